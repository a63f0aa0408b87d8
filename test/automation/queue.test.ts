// A text for later, from the command line to the agent that gets it once its box is empty. The rest is in queue.slow.test.ts.
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { openAgent } from "../actions/agentPane.ts";
import { openServed } from "../actions/servedHarness.ts";
import { until } from "../setup/realClock.ts";

const documentSchema = z.object({ job: z.object({ job_id: z.string(), text: z.string().nullable() }) });

const { harness, cli, close } = await openServed();
afterAll(close);

const jobOf = async (...args: string[]) =>
  documentSchema.parse(JSON.parse((await cli.run([...args, "--json"])).stdout)).job;

describe("what is refused arms nothing", () => {
  it("keeps a secret text in memory alone, and nothing of a text in the audit", async () => {
    const agent = await openAgent(harness);
    const secret = `ghp_${"aB3dE6gH9j".repeat(3)}K2m4P6`;
    await harness.tmux.run("send-keys", "-t", agent.paneId, "-l", "x");
    const ref = agent.row.identity.pane_ref;
    const sent = ["send", ref, "--text", secret, "--when-ready", "--volatile"];
    const { job_id: id } = await jobOf(...sent);
    expect((await jobOf("jobs", "show", id)).text).toBeNull();
    await harness.tmux.run("send-keys", "-t", agent.paneId, "Enter");
    await until(() => agent.received().length === 2, "it is sent", 20_000);
    expect(agent.received()).toEqual(["x", secret]);
    for (const part of ["state.db", "state.db-wal"])
      expect(readFileSync(`${harness.daemon.paths.home}/${part}`, "latin1")).not.toContain(secret);
  });
});
