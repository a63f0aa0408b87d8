// Texts that are sent later, as a person arms them: the real command line, a real daemon, an agent on real tmux that a person
// types into, reads in and is asked by at the wrong moment.
import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { openAgent, type AgentPane } from "../actions/agentPane.ts";
import { dialogOf, openDialogs, openFrame } from "../actions/dialogPane.ts";
import { openServed } from "../actions/servedHarness.ts";
import { until } from "../setup/realClock.ts";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });
const WAIT_MS = 20_000;
const jobSchema = z.object({
  job_id: z.string(),
  state: z.string(),
  waits_for: z.string().nullable(),
  text: z.string().nullable(),
});
const documentSchema = z.object({
  job: jobSchema,
  told: z.array(z.object({ outcome: z.string() })).default([]),
});
type JobDocument = z.infer<typeof documentSchema>;

const { harness, cli, restart, close } = await openServed();
afterAll(close);

const arm = async (ref: string, text: string, ...more: string[]): Promise<string> => {
  const { stdout, stderr, code } = await cli.run(["send", ref, "--text", text, ...more, "--json"]);
  expect(code, stderr).toBe(0);
  return documentSchema.parse(JSON.parse(stdout)).job.job_id;
};
const show = async (id: string): Promise<JobDocument> =>
  documentSchema.parse(JSON.parse((await cli.run(["jobs", "show", id, "--json"])).stdout));
const untilWaits = async (id: string, why: string): Promise<void> => {
  let job = (await show(id)).job;
  const end = Date.now() + WAIT_MS;
  while (job.waits_for?.includes(why) !== true && Date.now() < end) {
    await wait(200);
    job = (await show(id)).job;
  }
  expect(job).toMatchObject({ state: "armed", waits_for: expect.stringContaining(why) });
};
const untilReceived = (agent: AgentPane, count: number): Promise<void> =>
  until(() => agent.received().length >= count, `${count} texts have arrived`, WAIT_MS);
const type = (paneId: string, keys: string): Promise<string> =>
  harness.tmux.run("send-keys", "-t", paneId, "-l", keys);
const press = (paneId: string, key: string): Promise<string> =>
  harness.tmux.run("send-keys", "-t", paneId, key);

// First: nothing was armed yet.
describe("what is refused arms nothing", () => {
  it("by the command line", async () => {
    const agent = await openAgent(harness);
    const ref = agent.row.identity.pane_ref;
    await type(agent.paneId, "draft");
    const secret = `ghp_${"aB3dE6gH9j".repeat(3)}K2m4P6`;
    const refusals: [string[], number, string][] = [
      [["--when-ready", "--at", "07:00"], 2, "takes one of"],
      [["--at", "7 o'clock"], 2, "--at: invalid value"],
      [["--at", "2020-01-01T07:00"], 2, "has passed"],
      [["--cron", "0 9 L * *"], 2, "is refused"],
      [["--cron", "61 9 * * *"], 2, "is refused"],
      [["--cron", "0 9 31 2 *"], 2, "never comes"],
      [["--cron", "0 9 * * *", "--times", "201"], 2, "isn't such a number"],
      [["--when-ready", "--times", "2"], 2, "goes with --cron"],
      [["--when-ready", "--expires", "8d"], 2, "too long"],
      [["--when-ready", "--if-state", "idle"], 2, "takes no guards"],
      [["--when-ready", "--no-enter"], 2, "takes no guards"],
      [["--when-ready", "--text", secret], 2, "contains a secret"],
      [["--when-ready", "--text", " "], 2, "no text"],
    ];
    for (const [args, status, words] of refusals) {
      const { code, stderr } = await cli.run(["send", ref, "--text", "x", ...args]);
      expect([code, stderr], args.join(" ")).toEqual([status, expect.stringContaining(words)]);
    }
    const bare = (await harness.open("exec cat")).identity.pane_ref;
    expect((await cli.run(["send", bare, "--text", "x", "--when-ready"])).code).toBe(15);
    expect((await cli.run(["jobs", "list"])).stdout).toContain("No jobs yet");
    for (let count = 0; count < 10; count += 1) await arm(ref, `text ${count}`, "--when-ready");
    const more = await cli.run(["send", ref, "--text", "x", "--when-ready"]);
    expect([more.code, more.stderr]).toEqual([2, expect.stringContaining("10 texts wait")]);
    // They would wait as long as its agent does.
    await harness.tmux.run("kill-pane", "-t", agent.paneId);
  });
});

// Alone, because it restarts the daemon of all.
describe("send --when-ready", () => {
  it("sends one text per turn, in order, over a restart of the daemon", async () => {
    // The first turn lasts until the test has armed and looked, however long its commands take.
    const held = join(harness.tmux.folder, `held-${randomUUID()}`);
    writeFileSync(held, "");
    const agent = await openAgent(harness, { turnMs: 4_000, held });
    const ref = agent.row.identity.pane_ref;
    const ids: string[] = [];
    for (const text of ["first", "second", "third"]) ids.push(await arm(ref, text, "--when-ready"));
    expect((await cli.run(["jobs", "list"])).stdout).toMatch(/ready[\s\S]*third/);
    await untilReceived(agent, 1);
    await wait(1_500);
    expect(agent.received()).toEqual(["first"]);
    rmSync(held);
    await restart();
    await untilReceived(agent, 3);
    expect(agent.received()).toEqual(["first", "second", "third"]);
    await until(
      async () => (await show(ids[2] ?? "")).job.state === "done",
      "the last one is on record",
      5_000,
    );
    for (const id of ids)
      expect(await show(id)).toMatchObject({
        job: { state: "done", text: null },
        told: [{ outcome: "sent" }],
      });
    const audit = (await cli.run(["audit", "--json"])).stdout;
    for (const id of ids) expect(audit.match(new RegExp(`"surface":"job:${id}"`, "g"))).toHaveLength(1);
    expect(audit).not.toContain("second");
  });
});

describe.concurrent("send --when-ready", () => {
  it("arrives soon after its agent came to rest", async () => {
    const agent = await openAgent(harness, { turnMs: 3_500 });
    await type(agent.paneId, "a turn");
    await wait(300);
    await press(agent.paneId, "Enter");
    await harness.daemon.untilState(agent.paneId, "running");
    await arm(agent.row.identity.pane_ref, "next", "--when-ready");
    await harness.daemon.until(agent.paneId, ({ state }) => state === "completed");
    const restedAt = Date.now();
    await untilReceived(agent, 2);
    expect(Date.now() - restedAt).toBeLessThan(4_000);
  });

  it("never touches what a person has typed and not sent", async () => {
    const agent = await openAgent(harness, { turnMs: 4_000 });
    await type(agent.paneId, "half a thought");
    const id = await arm(agent.row.identity.pane_ref, "from the queue", "--when-ready");
    await untilWaits(id, "its input box has a draft");
    await wait(5_000);
    expect(agent.received()).toEqual([]);
    expect(await harness.screen(agent.paneId)).toContain("❯ half a thought\n");
    await press(agent.paneId, "Enter");
    await untilReceived(agent, 2);
    expect(agent.received()).toEqual(["half a thought", "from the queue"]);
  });

  it("never answers a prompt", async () => {
    const asking = dialogOf("recordings/claude/waiting_approval", {
      options: ["Yes", "Yes, and always", "Yes, and switch to auto mode", "No"],
      digits: "too",
      escapes: "No",
    });
    const pane = await openDialogs(harness, "claude", [asking], { name: "asking" });
    const id = await arm(pane.row.identity.pane_ref, "1", "--when-ready");
    await untilWaits(id, "its agent waits for you");
    await wait(4_000);
    expect(pane.chosen()).toEqual([]);
  });

  it("waits while somebody reads in copy mode", async () => {
    const agent = await openAgent(harness);
    await harness.tmux.run("copy-mode", "-t", agent.paneId);
    const id = await arm(agent.row.identity.pane_ref, "later", "--when-ready");
    await untilWaits(id, "somebody reads in it");
    await harness.tmux.run("copy-mode", "-q", "-t", agent.paneId);
    await untilReceived(agent, 1);
  });

  it("ends with its agent, and is not sent to what runs there next", async () => {
    const agent = await openAgent(harness, {}, "doomed");
    await harness.tmux.run("set-option", "-p", "-t", agent.paneId, "remain-on-exit", "on");
    await type(agent.paneId, "draft");
    const id = await arm(agent.row.identity.pane_ref, "for this one alone", "--when-ready");
    await harness.tmux.run("respawn-pane", "-k", "-t", agent.paneId, "exec cat");
    await until(async () => (await show(id)).job.state === "stopped", "it is stopped", WAIT_MS);
    expect((await show(id)).told).toEqual([{ outcome: "not sent: its agent has ended" }]);
    expect(await harness.screen(agent.paneId)).not.toContain("alone");
  });
});

describe.concurrent("send --at-reset", () => {
  const refusal = async (ref: string) => {
    const { code, stderr } = await cli.run(["send", ref, "--text", "go on", "--at-reset"]);
    return [code, stderr.split("\n")[0]];
  };

  it("is armed for the time that the agent names, and a little later", async () => {
    const row = await openFrame(harness, "codex", "limit_time_120_columns");
    expect([row.state, row.reason_code]).toEqual(["error", "usage_limit"]);
    const { stdout } = await cli.run([
      "send",
      row.identity.pane_ref,
      "--text",
      "carry on",
      "--at-reset",
      "--json",
    ]);
    const { job } = z
      .object({ job: z.object({ when: z.string(), next_at: z.string() }) })
      .parse(JSON.parse(stdout));
    // The frame says "try again at 10:26 AM.", in the time of this machine.
    const [at, reset] = [new Date(job.next_at), new Date(job.next_at)];
    reset.setHours(10, 26, 0, 0);
    expect(job.when).toBe("at");
    expect(at.getTime() - reset.getTime()).toBeGreaterThanOrEqual(60_000);
    expect(at.getTime() - reset.getTime()).toBeLessThanOrEqual(180_000);
    expect(at.getTime()).toBeGreaterThan(Date.now());
  });

  it("is refused where nobody knows when the limit ends, or there is none", async () => {
    const byItself = await openFrame(harness, "claude", "limit_time_120_columns");
    const why = "Claude Code doesn't say when its limit ends; nothing was scheduled";
    expect(await refusal(byItself.identity.pane_ref)).toEqual([15, expect.stringContaining(why)]);
    const agent = await openAgent(harness);
    expect(await refusal(agent.row.identity.pane_ref)).toEqual([
      15,
      expect.stringContaining("doesn't say when its limit ends"),
    ]);
    expect((await cli.run(["jobs", "list"])).stdout).not.toContain("go on");
  });
});

describe.concurrent("send --at and --cron", () => {
  it("are armed for the time that was said, and listed with it", async () => {
    const agent = await openAgent(harness);
    const ref = agent.row.identity.pane_ref;
    const ids = [
      await arm(ref, "in the morning", "--at", "07:00"),
      await arm(ref, "every morning", "--cron", "0 9 * * 1-5", "--times", "3"),
    ];
    const { stdout } = await cli.run(["jobs", "list", "--json"]);
    const listed = z
      .object({
        items: z.array(
          z.object({
            job_id: z.string(),
            when: z.string(),
            next_at: z.string().nullable(),
            repeated: z.boolean(),
          }),
        ),
      })
      .parse(JSON.parse(stdout));
    const items = listed.items.filter(({ job_id }) => ids.includes(job_id));
    expect(items.map(({ when, repeated }) => [when, repeated])).toEqual([
      ["cron 0 9 * * 1-5", true],
      ["at", false],
    ]);
    const hours = items.map(({ next_at }) => new Date(next_at ?? "").getHours());
    expect(hours).toEqual([9, 7]);
    await wait(2_000);
    expect(agent.received()).toEqual([]);
  });
});

// Alone, because it pauses what the others arm.
describe("send --when-ready", () => {
  it("rests while it is held or everything is paused", async () => {
    const agent = await openAgent(harness);
    await type(agent.paneId, "x");
    const id = await arm(agent.row.identity.pane_ref, "held", "--when-ready");
    expect((await cli.run(["jobs", "hold", id])).stdout).toBe(`Held ${id}.\n`);
    expect((await cli.run(["automation", "pause"])).stdout).toContain("Paused: ");
    await press(agent.paneId, "Enter");
    await untilReceived(agent, 1);
    expect((await cli.run(["jobs", "release", id])).stdout).toBe(`Released ${id}.\n`);
    await wait(3_000);
    expect([agent.received(), (await cli.run(["jobs", "list"])).stdout]).toEqual([
      ["x"],
      expect.stringContaining("! Paused for "),
    ]);
    await cli.run(["automation", "resume"]);
    await untilReceived(agent, 2);
    expect((await cli.run(["jobs", "hold", id])).code).toBe(3);
  });
});
