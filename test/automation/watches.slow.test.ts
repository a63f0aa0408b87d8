// Watches as a person arms them: the real command line, a real daemon, agents on real tmux, a channel that receives.
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { openAgent } from "../actions/agentPane.ts";
import { until } from "../setup/realClock.ts";
import { openWatches } from "./watchHarness.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const WORKING = fileURLToPath(new URL("../fixtures/recordings/claude/running.txt", import.meta.url));
const TOKEN = `ghp_${"aB3dE6gH9j".repeat(3)}K2m4P6`;

const openTell = async (test: Parameters<typeof openWatches>[0]) => {
  const watches = await openWatches(test);
  const { cli, print } = watches;
  return {
    ...watches,
    arm: async (...args: string[]): Promise<string> => {
      const { stdout, stderr } = await cli.run(["tell", ...args, "--json"]);
      expect(stderr.replaceAll(/agtmux: .* is .*\n/g, "")).toBe("");
      return (JSON.parse(stdout) as { job: { job_id: string } }).job.job_id;
    },
    stateOf: async (id: string): Promise<string> =>
      (JSON.parse(await print("jobs", "show", id, "--json")) as { job: { state: string } }).job.state,
  };
};

describe.concurrent("tell", () => {
  it("tells once that an agent has gone, over a restart, and keeps the record", async (test) => {
    const { harness, told, arm, stateOf, restart } = await openTell(test);
    const { row } = await openAgent(harness, {}, "agent");
    const id = await arm(row.identity.pane_ref, "--when", "gone", "--channel", "phone");
    await restart();
    expect(await stateOf(id)).toBe("armed");
    await harness.tmux.run("kill-pane", "-t", row.identity.pane_id ?? "");
    await until(() => told().length > 0, "it is told", 20_000);
    expect(told()).toMatchObject([{ kind: "watch", title: expect.stringContaining("has ended") }]);
    expect(await stateOf(id)).toBe("done");
    expect(told()).toHaveLength(1);
  });

  it("tells of an agent that went while no daemon ran", async (test) => {
    const { harness, told, arm, stateOf, restart } = await openTell(test);
    const { row } = await openAgent(harness, {}, "agent");
    const id = await arm(row.identity.pane_ref, "--when", "gone");
    await restart(() => harness.tmux.run("kill-pane", "-t", row.identity.pane_id ?? ""));
    await until(() => told().length > 0, "it is told", 20_000);
    expect(await stateOf(id)).toBe("done");
  });

  it("tells of an agent that shows nothing new while it works, once", async (test) => {
    const { harness, told, arm, stateOf } = await openTell(test);
    const { row } = await openAgent(harness, { working: WORKING }, "busy");
    const id = await arm(row.identity.pane_ref, "--when", "quiet:2s");
    await until(() => told().length > 0, "it is told", 20_000);
    expect(told()).toMatchObject([{ title: expect.stringContaining("has shown nothing new for 2s") }]);
    expect(await stateOf(id)).toBe("done");
  });

  it("tells of a new line that matches, by what the channel may say, and goes on with --every", async (test) => {
    const { harness, told, arm, stateOf } = await openTell(test);
    const { row } = await openAgent(harness, {}, "agent");
    const { pane_ref, pane_id } = row.identity;
    const id = await arm(pane_ref, "--when", "match:FAILED \\d", "--every");
    await harness.tmux.run("send-keys", "-t", pane_id ?? "", "-l", ` FAILED 7 ${TOKEN}`);
    await until(() => told().length > 0, "it is told", 20_000);
    const [first] = told();
    expect(first?.title).toContain("printed what matches");
    expect(first?.text).toContain("FAILED 7");
    expect(JSON.stringify(told())).not.toContain(TOKEN);
    expect(await stateOf(id)).toBe("armed");
  });

  it("tells of panes without an agent: their lines, their silence, their end", async (test) => {
    const { harness, cli, told, arm } = await openTell(test);
    const row = await harness.open("exec cat");
    const { pane_ref, pane_id } = row.identity;
    const line = await arm(pane_ref, "--when", "match:FAILED \\d", "--channel", "phone");
    await until(() => cli.run(["jobs", "list"]).then(({ stdout }) => stdout.includes(line)), "it is listed");
    await new Promise((done) => setTimeout(done, 1_500));
    await harness.tmux.run("send-keys", "-t", pane_id, "FAILED 7", "Enter", "next", "Enter");
    await until(() => told().length === 1, "its line is told", 20_000);
    expect(told()[0]).toMatchObject({ title: expect.stringContaining("The pane"), agent: null });
    await arm(pane_ref, "--when", "quiet:2s", "--channel", "phone");
    await until(() => told().length === 2, "its silence is told", 20_000);
    await arm(pane_ref, "--when", "gone", "--channel", "phone");
    await harness.tmux.run("kill-pane", "-t", pane_id);
    await until(() => told().length === 3, "its end is told", 20_000);
    expect(told()[2]?.title).toContain("has ended");
    const base = await harness.open("exec cat");
    const refused = await cli.run(["tell", base.identity.pane_ref, "--when", "state:idle"]);
    expect([refused.code, refused.stderr]).toEqual([
      15,
      expect.stringContaining("no agent runs in that pane"),
    ]);
  });

  it("is cancelled, listed, and refused where it is wrong", async (test) => {
    const { harness, cli, told, arm, stateOf } = await openTell(test);
    const { row } = await openAgent(harness, {}, "agent");
    const ref = row.identity.pane_ref;
    const id = await arm(ref, "--when", "state:error");
    expect((await cli.run(["jobs", "list"])).stdout).toContain("state:error");
    expect((await cli.run(["jobs", "cancel", id])).stdout).toBe(`Cancelled ${id}.\n`);
    expect(await stateOf(id)).toBe("cancelled");
    expect((await cli.run(["jobs", "cancel", id])).code).toBe(3);
    const refusals: [string[], string][] = [
      [[ref, "--when", "match:(a+)+$"], "the pattern"],
      [[ref, "--when", "match:("], "the pattern"],
      [[ref, "--when", "loud:3m"], "--when: unknown value"],
      [[ref, "--when", "gone", "--channel", "none"], "no channel in force"],
      [["--when", "gone"], "needs one agent"],
      [[ref, "--when", "gone", "--for", "8d"], "--for"],
      [[ref], "needs a condition"],
    ];
    for (const [args, words] of refusals) {
      const { code, stderr } = await cli.run(["tell", ...args]);
      expect([code, stderr], args.join(" ")).toEqual([2, expect.stringContaining(words)]);
    }
    expect(told()).toEqual([]);
  });
});
