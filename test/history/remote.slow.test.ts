// Sessions on a machine behind a real sshd, by the real command line: listed, searched, read and gone on with there. What lies in
// the far home is hostile: links, pipes, names, endless lines; and the far side itself may answer with anything.
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import * as z from "zod";
import BetterSqlite3 from "better-sqlite3";
import { limitListSchema } from "../../core/model/view.ts";
import { HISTORY_DOCUMENTS, historyListSchema } from "../../core/model/history.ts";
import { openCommandLine, serveDaemon, type CommandLine } from "../harness/commandLine.ts";
import { OPENCODE_TABLES } from "./historyHome.ts";
import { openTargetHarness, type TargetHarness } from "../ssh/targetHarness.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const ID = "aaaaaaaa-1111-4111-8111-111111111111";
let harness: TargetHarness;
let cli: CommandLine;
let stop: () => Promise<void>;

const line = (text: string, role: "user" | "assistant" = "user"): string =>
  `${JSON.stringify({ type: role, cwd: "/w", timestamp: "2026-11-22T10:00:00.000Z", message: { role, content: text } })}\n`;
const writeIn = (home: string, path: string, text: string): string => {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};
const far = (path: string, text: string): string => writeIn(harness.server.remoteHome, path, text);
/** What a program for databases is needed for. */
const canAsk = ["sqlite3 -json :memory: 'SELECT 1'", "python3 -c 'import sqlite3'"].some(
  (command) => spawnSync("sh", ["-c", command]).status === 0,
);
const answer = (id: string, input: number, output: number): string =>
  `${JSON.stringify({ type: "assistant", timestamp: "2026-11-22T10:00:05.000Z", message: { id, role: "assistant", model: "opus", content: [], usage: { input_tokens: input, output_tokens: output } } })}\n`;
const usageBy = async (by: string, ...args: string[]) => {
  const { stdout } = await cli.run(["history", "usage", "--by", by, "--json", ...args]);
  const { items, problems } = HISTORY_DOCUMENTS["history usage"].parse(JSON.parse(stdout));
  const sums = items.map(({ identity, answers, input, output, cost }) =>
    [...Object.values(identity), answers, input, output, cost ?? "-"].join(" "),
  );
  return { sums: sums.toSorted(), problems };
};
const openFarDatabase = (): void => {
  const file = far(".local/share/opencode/opencode.db", "");
  const db = new BetterSqlite3(file);
  db.exec(OPENCODE_TABLES);
  db.exec(`INSERT INTO session VALUES ('ses_far111', NULL, '/w', 'far work', 1, 1795390000000), ('ses_sub222', 'ses_far111', '/w', 'sub', 1, 2);
    INSERT INTO message VALUES ('m0', 'ses_far111', 1, '{"role":"user"}'),
      ('m1', 'ses_far111', 2, '{"role":"assistant","modelID":"x","cost":0.5,"tokens":{"input":7,"output":3,"reasoning":0,"cache":{"read":0,"write":0}}}'),
      ('m''); .shell touch mark', 'ses_far111', 3, '{"role":"user"}');
    INSERT INTO part VALUES ('p0', 'm0', 'ses_far111', '{"type":"text","text":"keep it in a far database"}'),
      ('p1', 'm1', 'ses_far111', '{"type":"text","text":"kept \\"Quoted\\" there"}'),
      ('p2', 'm''); .shell touch mark', 'ses_far111', '{"type":"text","text":"odd id"}');`);
  db.close();
};
const writeUsage = (folder: string): void => {
  const path = `${folder}/cccccccc-1111-4111-8111-111111111111.jsonl`;
  // An endless line, a half written one, and an answer that this machine has too.
  far(
    path,
    `${line("counted there")}${answer("far1", 10, 1)}${answer("far1", 10, 4)}${"x".repeat(9_000_000)}\n` +
      `${answer("here1", 999_999, 999_999)}${answer("far2", 5, 5).slice(0, -20)}`,
  );
  far(`${folder}/cccccccc-1111-4111-8111-111111111111/subagents/agent-1.jsonl`, answer("side1", 100, 10));
  writeIn(
    harness.daemon.home,
    `${folder}/dddddddd-1111-4111-8111-111111111111.jsonl`,
    `${line("counted here")}${answer("here1", 1, 2)}`,
  );
};
const listed = async (...args: string[]) =>
  historyListSchema.parse(JSON.parse((await cli.run(["history", "list", "--json", ...args])).stdout));

beforeAll(async () => {
  harness = await openTargetHarness("ssh2");
  stop = await serveDaemon(harness.daemon);
  cli = openCommandLine(harness.daemon.paths.home);
  const folder = ".claude/projects/-w";
  far(
    `${folder}/${ID}.jsonl`,
    `${line("fix the retry budget")}${line("Größe: \u{1f600} done", "assistant")}`,
  );
  far(
    `${folder}/aaaaaaaa-2222-4111-8111-111111111111.jsonl`,
    `${"x".repeat(200_000)}\n${line("behind a long line")}`,
  );
  const huge = far(`${folder}/aaaaaaaa-3333-4111-8111-111111111111.jsonl`, line("of a huge log"));
  truncateSync(huge, 3 * 1024 ** 3);
  const secret = far("secret.jsonl", line("somebody else's retry budget"));
  symlinkSync(secret, join(harness.server.remoteHome, folder, "aaaaaaaa-4444-4111-8111-111111111111.jsonl"));
  execFileSync("mkfifo", [
    join(harness.server.remoteHome, folder, "aaaaaaaa-5555-4111-8111-111111111111.jsonl"),
  ]);
  far(
    `.claude/projects/-w\n$(touch mark);'"/aaaaaaaa-6666-4111-8111-111111111111.jsonl`,
    line("hostile name"),
  );
  far(
    `.claude/projects/$(touch mark) 'x/aaaaaaaa-7777-4111-8111-111111111111.jsonl`,
    line("odd folder\u001b[2J"),
  );
  chmodSync(far(`${folder}/aaaaaaaa-8888-4111-8111-111111111111.jsonl`, line("closed")), 0);
  writeUsage(folder);
  openFarDatabase();
  writeIn(
    harness.daemon.home,
    `${folder}/bbbbbbbb-1111-4111-8111-111111111111.jsonl`,
    line("here, retry budget"),
  );
});
afterAll(async () => {
  await cli?.close();
  await stop?.();
  await harness?.close();
});

it("limits that agents there state are read there, plain files alone", async () => {
  const inAnHour = Math.floor(Date.now() / 1_000) + 3_700;
  const limit = (used: number): string =>
    `${JSON.stringify({
      timestamp: new Date().toISOString(),
      type: "event_msg",
      payload: {
        type: "token_count",
        rate_limits: { primary: { used_percent: used, window_minutes: 300, resets_at: inAnHour } },
      },
    })}\n`;
  const day = ".codex/sessions/2026/11/29";
  const name = (minute: number): string =>
    `rollout-2026-11-29T10-${minute}-00-01a2059b-7fc5-7cc3-a062-067da0b4b9f5.jsonl`;
  far(`${day}/${name(10)}`, `${"x".repeat(400_000)}\n${limit(55)}`);
  symlinkSync(far("elsewhere", limit(99)), join(harness.server.remoteHome, day, name(11)));
  execFileSync("mkfifo", [join(harness.server.remoteHome, day, name(12))]);
  far(`.codex/sessions/2026/11/$(touch mark)/${name(13)}`, limit(98));
  far(".claude/agtmux-status.json", "{".repeat(100_000));
  const { stdout, stderr, code } = await cli.run(["usage", "--limits", "--json"]);
  expect(code, stderr).toBe(0);
  const { items } = limitListSchema.parse(JSON.parse(stdout));
  expect(items.map(({ identity, windows }) => [identity, windows[0]?.used_percent])).toEqual([
    [{ target: "vm1", agent: "codex", account: null }, 55],
  ]);
  expect(existsSync(join(harness.server.remoteHome, "mark"))).toBe(false);
});

it("are listed with their machine, and nothing but plain files is read", async () => {
  const all = await listed();
  const prompts = all.items.map(({ identity, first_prompt }) => `${identity.target} ${first_prompt ?? ""}`);
  const isRoot = process.getuid?.() === 0;
  expect(prompts.toSorted()).toEqual(
    [
      "host counted here",
      "host here, retry budget",
      ...(canAsk ? ["vm1 keep it in a far database"] : []),
      ...(isRoot ? ["vm1 closed"] : []),
      "vm1 behind a long line",
      "vm1 counted there",
      "vm1 fix the retry budget",
      "vm1 odd folder[2J",
      "vm1 of a huge log",
    ].toSorted(),
  );
  expect(all.problems).toEqual(canAsk ? [] : [expect.stringContaining("no program there")]);
  expect((await listed("--target", "vm1")).items).toHaveLength(prompts.length - 2);
  expect((await listed("--target", "host")).items).toHaveLength(2);
  const unknown = await cli.run(["history", "list", "--target", "vm9"]);
  expect([unknown.code, unknown.stderr]).toEqual([18, expect.stringContaining("there is no machine 'vm9'")]);
  const text = (await cli.run(["history", "list", "--target", "vm1"])).stdout;
  expect(text).toContain("vm1:w");
  expect(text).not.toContain("\u001b[2J");
});

it("are read and searched there, and only what was asked for comes over", async () => {
  const shown = await cli.run(["history", "show", ID.slice(0, 13), "--all"]);
  expect(shown.stdout).toContain("> fix the retry budget");
  expect(shown.stdout).toContain("Größe: \u{1f600} done");
  const before = harness.target()?.rtt_ms;
  const found = await cli.run(["history", "search", "Retry", "BUDGET", "--json"]);
  const hits = z
    .object({
      items: z.array(z.object({ identity: z.object({ target: z.string() }), matches: z.array(z.unknown()) })),
      problems: z.array(z.string()),
    })
    .parse(JSON.parse(found.stdout));
  expect(hits.items.map(({ identity }) => identity.target).toSorted()).toEqual(["host", "vm1"]);
  expect([hits.problems, before !== undefined]).toEqual([[], true]);
  expect((await cli.run(["history", "search", "grÖße", "--target", "vm1"])).stdout).toBe("Nothing found.\n");
  expect((await cli.run(["history", "search", "Größe", "--target", "vm1"])).stdout).toContain("done");
  for (const hostile of ["$(touch mark)", "-e x", "'; touch mark; '", ".*retry"])
    expect((await cli.run(["history", "search", "--target", "vm1", "--", hostile])).code).toBe(1);
});

it("go on where they lie", async () => {
  const { remoteHome } = harness.server;
  const done = await cli.run(["history", "resume", ID, "--cwd", remoteHome, "--dry-run", "--json"]);
  expect(done.stderr).toBe("");
  expect(JSON.parse(done.stdout)).toMatchObject({
    target: "vm1",
    command: `claude --resume ${ID}`,
    folder: remoteHome,
  });
});

it("say what was used there, and never change what was counted here", async () => {
  // A machine that takes long is told so far, with the problem that says it.
  const sums = await vi.waitFor(
    async () => {
      const usage = await usageBy("target", "--agent", "claude");
      expect(usage.problems).not.toContain("vm1: what was used there is still being read");
      return usage;
    },
    { timeout: 30_000 },
  );
  expect(sums).toMatchObject({ sums: ["host 1 1 2 -", "vm1 2 110 14 -"] });
  expect((await usageBy("session", "--target", "vm1", "--agent", "claude")).sums).toEqual([
    "vm1 claude cccccccc-1111-4111-8111-111111111111 2 110 14 -",
  ]);
  expect((await cli.run(["history", "usage", "--by", "session"])).stdout).toContain("vm1/claude:");
  expect((await cli.run(["history", "usage", "--target", "vm9"])).code).toBe(18);
});

it.runIf(canAsk)("that lie in a database are asked for there", async () => {
  const sessions = await listed("--agent", "opencode");
  expect(sessions.problems).toEqual([]);
  expect(
    sessions.items.map(({ identity, title }) => `${identity.target} ${identity.session_id} ${title}`),
  ).toEqual(["vm1 ses_far111 far work"]);
  const shown = await cli.run(["history", "show", "ses_far111"]);
  expect(shown.stdout).toContain("> keep it in a far database");
  expect(shown.stdout).toContain("odd id");
  expect((await cli.run(["history", "search", "QUOTED", "--target", "vm1"])).stdout).toContain(
    'kept "Quoted" there',
  );
  expect((await usageBy("agent", "--agent", "opencode")).sums).toEqual(["opencode 1 7 3 0.5"]);
  expect(existsSync(join(harness.server.remoteHome, "mark"))).toBe(false);
  expect(readdirSync(join(harness.server.remoteHome, ".local/share/opencode"))).toEqual(["opencode.db"]);
});

it("say so when their machine is away, and stay in the list", async () => {
  await harness.server.stop();
  await harness.untilHealth("down");
  const shown = await cli.run(["history", "show", ID]);
  expect(shown.code).toBe(7);
  const found = await cli.run(["history", "search", "never asked before", "--target", "vm1"]);
  expect([found.code, found.stderr]).toEqual([1, expect.stringContaining("vm1 was not searched")]);
  const limits = await cli.run(["usage", "--limits"]);
  expect([limits.code, limits.stderr]).toEqual([0, expect.stringContaining("vm1")]);
  const all = await listed("--target", "vm1");
  expect(all.items.length).toBeGreaterThan(3);
});
