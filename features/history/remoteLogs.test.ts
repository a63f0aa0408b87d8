// A far side that answers with anything: what is made of it.
import { expect, it } from "vitest";
import type { FeatureTarget } from "../../core/ports/feature.ts";
import type { RunResult } from "../../core/ports/targetExecutor.ts";
import { findInRemoteLogs, listRemoteLogs, readRemoteHeads, withRemoteLog } from "./remoteLogs.ts";

const ROOT = { folder: "projects", depth: 1, file: /^[^/]+\/[a-z0-9-]+\.jsonl$/ };
const answering = (answer: Partial<RunResult>, size = 10): FeatureTarget =>
  ({
    homeDir: () => Promise.resolve("/home/far"),
    run: () => Promise.resolve({ exitCode: 0, stdout: "", stderr: "", timedOut: false, ...answer }),
    files: { stat: () => Promise.resolve({ mtimeMs: 0, size, isFile: true, mode: 0o600 }) },
  }) as unknown as FeatureTarget;
const at = (answer: Partial<RunResult>) => ({ target: answering(answer), dataDir: "/home/far/.claude" });
const log = { path: "/home/far/.claude/projects/a/x.jsonl", below: "a/x.jsonl", size: 1, mtime: 1 };

it("lists what can be a log below the root, and at most as many as were asked for", async () => {
  const stdout = [
    "1763805600 120 ./-w/aaaa.jsonl",
    "1763805600 120 ./../aaaa.jsonl",
    "1763805600 120 /etc/passwd",
    "1763805600 120 ./-w/../../../etc/x.jsonl",
    "-5 120 ./-w/bbbb.jsonl",
    "99999999999999999999 1 ./-w/cccc.jsonl",
    "1763805600 1e9 ./-w/dddd.jsonl",
    `1763805600 1 ./${"x".repeat(5_000)}/eeee.jsonl`,
    "junk \u001b[2J",
    "",
  ].join("\n");
  expect(await listRemoteLogs(at({ stdout }), ROOT, 200)).toEqual([
    {
      path: "/home/far/.claude/projects/-w/aaaa.jsonl",
      below: "-w/aaaa.jsonl",
      size: 120,
      mtime: 1_763_805_600_000,
    },
  ]);
  const many = Array.from({ length: 5_000 }, (_, index) => `1 1 ./w/${index}.jsonl`).join("\n");
  expect(await listRemoteLogs(at({ stdout: many }), ROOT, 200)).toHaveLength(200);
  for (const answer of [{ exitCode: 1 }, { exitCode: null }, { exitCode: null, timedOut: true }])
    await expect(listRemoteLogs(at(answer), ROOT, 200)).rejects.toThrow();
});

it("takes no beginning for that of another log", async () => {
  const read = (stdout: string) =>
    readRemoteHeads(answering({ stdout }), [log, log], { headBytes: 10, tailBytes: 10, nonce: "<n>" });
  expect(await read("one<n>end<n>two<n>last<n>")).toEqual([
    { head: "one", tail: "end" },
    { head: "two", tail: "last" },
  ]);
  for (const wrong of ["", "one<n>", "one<n>end<n>two<n>last<n>more<n>"])
    await expect(read(wrong)).rejects.toThrow("they cannot be read");
});

it("reads no more of a log than was asked for", async () => {
  const far = (stdout: string, more: Partial<RunResult> = {}) => answering({ stdout, ...more }, 1_000_000);
  const read = (target: FeatureTarget) =>
    withRemoteLog(target, log.path, async (content) => (await content.read(0, 4)).toString("utf8"));
  expect(await read(far(Buffer.from("abcdefgh").toString("base64")))).toBe("abcd");
  expect(await read(far("\u001b not base64 !"))).not.toContain("\u001b");
  expect(await read(far("", { exitCode: 3 }))).toBe("");
  await expect(read(far("", { exitCode: null }))).rejects.toThrow("the target did not give it");
});

it("finds the text only in logs that were named", async () => {
  const stdout = `${log.path}\n/etc/shadow\n-e\n`;
  expect([...(await findInRemoteLogs(answering({ stdout, exitCode: 2 }), [log.path, "/b"], "x"))]).toEqual([
    log.path,
  ]);
  await expect(findInRemoteLogs(answering({ exitCode: null, timedOut: true }), ["/b"], "x")).rejects.toThrow(
    "takes too long",
  );
});
