// Sessions on a machine behind a real sshd, by the real command line: listed, searched, read and gone on with there. What lies in
// the far home is hostile: links, pipes, names, endless lines; and the far side itself may answer with anything.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { historyListSchema } from "../../core/model/history.ts";
import { openCommandLine, serveDaemon, type CommandLine } from "../harness/commandLine.ts";
import { openTargetHarness, type TargetHarness } from "../ssh/targetHarness.ts";

const LIMIT_MS = 60_000;
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
  writeIn(
    harness.daemon.home,
    `${folder}/bbbbbbbb-1111-4111-8111-111111111111.jsonl`,
    line("here, retry budget"),
  );
}, LIMIT_MS);
afterAll(async () => {
  await cli?.close();
  await stop?.();
  await harness?.close();
}, LIMIT_MS);

it("are listed with their machine, and nothing but plain files is read", { timeout: LIMIT_MS }, async () => {
  const all = await listed();
  const prompts = all.items.map(({ identity, first_prompt }) => `${identity.target} ${first_prompt ?? ""}`);
  const isRoot = process.getuid?.() === 0;
  expect(prompts.toSorted()).toEqual(
    [
      "host here, retry budget",
      ...(isRoot ? ["vm1 closed"] : []),
      "vm1 behind a long line",
      "vm1 fix the retry budget",
      "vm1 odd folder[2J",
      "vm1 of a huge log",
    ].toSorted(),
  );
  expect(all.problems).toEqual([]);
  expect((await listed("--target", "vm1")).items).toHaveLength(prompts.length - 1);
  expect((await listed("--target", "host")).items).toHaveLength(1);
  const unknown = await cli.run(["history", "list", "--target", "vm9"]);
  expect([unknown.code, unknown.stderr]).toEqual([18, expect.stringContaining("there is no target 'vm9'")]);
  const text = (await cli.run(["history", "list", "--target", "vm1"])).stdout;
  expect(text).toContain("vm1:w");
  expect(text).not.toContain("\u001b[2J");
});

it("are read and searched there, and only what was asked for comes over", { timeout: LIMIT_MS }, async () => {
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
  expect((await cli.run(["history", "search", "grÖße", "--target", "vm1"])).stdout).toBe(
    "Nothing is found.\n",
  );
  expect((await cli.run(["history", "search", "Größe", "--target", "vm1"])).stdout).toContain("done");
  for (const hostile of ["$(touch mark)", "-e x", "'; touch mark; '", ".*retry"])
    expect((await cli.run(["history", "search", "--target", "vm1", "--", hostile])).code).toBe(1);
});

it("go on where they lie", { timeout: LIMIT_MS }, async () => {
  const { remoteHome } = harness.server;
  const done = await cli.run(["history", "resume", ID, "--cwd", remoteHome, "--dry-run", "--json"]);
  expect(done.stderr).toBe("");
  expect(JSON.parse(done.stdout)).toMatchObject({
    target: "vm1",
    command: `claude --resume ${ID}`,
    folder: remoteHome,
  });
});

it("say so when their machine is away, and stay in the list", { timeout: LIMIT_MS }, async () => {
  await harness.server.stop();
  await harness.untilHealth("down");
  const shown = await cli.run(["history", "show", ID]);
  expect(shown.code).toBe(7);
  const found = await cli.run(["history", "search", "never asked before", "--target", "vm1"]);
  expect([found.code, found.stderr]).toEqual([1, expect.stringContaining("vm1 was not searched")]);
  const all = await listed("--target", "vm1");
  expect(all.items.length).toBeGreaterThan(3);
});
