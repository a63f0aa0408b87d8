// `agtmux rename --in-agent`: the agent's own command for the name of its session, typed only where a text for later would be.
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, test, vi } from "vitest";
import * as z from "zod";
import { openAgent } from "./agentPane.ts";
import { openServed } from "./servedHarness.ts";
import { until } from "../setup/realClock.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const { harness, cli, close } = await openServed();
afterAll(close);

const documentSchema = z.object({
  name: z.string().nullable(),
  session: z.object({ outcome: z.string(), detail: z.string() }).nullable(),
});
const rename = async (ref: string, name: string, ...more: string[]) => {
  const { stdout, stderr, code } = await cli.run(["rename", ref, name, ...more, "--json"]);
  expect(stdout, stderr).not.toBe("");
  return { code, ...documentSchema.parse(JSON.parse(stdout)) };
};

test("names the session of an agent that is idle, and only where it was asked for", async () => {
  const agent = await openAgent(harness, {});
  const ref = agent.row.identity.pane_ref;
  expect(await rename(ref, "refunds")).toEqual({ code: 0, name: "refunds", session: null });
  const named = await rename(ref, " refunds,\u001b second\n try ", "--in-agent");
  expect(named).toMatchObject({ code: 0, name: "refunds, second try", session: { outcome: "delivered" } });
  await until(() => agent.received().length > 0, "the agent was told", 5_000);
  expect(agent.received()).toEqual(["/rename refunds, second try"]);
  expect(await rename(ref, "", "--in-agent")).toMatchObject({ code: 20, name: null });
  expect(agent.received()).toHaveLength(1);
});

test("types nothing over a draft, nor into a turn; the row gets its name all the same", async () => {
  const agent = await openAgent(harness, { turnMs: 600_000 });
  const ref = agent.row.identity.pane_ref;
  await harness.tmux.run("send-keys", "-t", agent.paneId, "-l", "half a thought");
  await wait(1_000);
  const drafted = await rename(ref, "one", "--in-agent");
  expect(drafted).toMatchObject({ code: 20, name: "one", session: { outcome: "not_delivered" } });
  await harness.tmux.run("send-keys", "-t", agent.paneId, "Enter");
  await harness.daemon.untilState(agent.paneId, "running");
  const working = await rename(ref, "two", "--in-agent");
  expect(working).toMatchObject({ code: 20, name: "two", session: { outcome: "not_delivered" } });
  expect(agent.received()).toEqual(["half a thought"]);
});
