// `npm run test:tmux -- PATH…`: every suite that talks to a real tmux, with each of these tmux programs, and a table. What passed
// stays passed while the tree is the same, so that a run that was stopped goes on where it was; `--fresh` runs it again.
// `--only test/chain,remote` names parts; `--markdown FILE` writes the table between two marks of that file.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { intoDocument } from "../../bench/report/toMarkdown.ts";
import { outcomeSchema, PARTS, runPart, type Outcome } from "./parts.ts";
import { openLongRun } from "../setup/longRun.ts";

const { values, positionals: programs } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", default: PARTS.map(({ name }) => name).join(",") },
    fresh: { type: "boolean", default: false },
    markdown: { type: "string" },
  },
});
if (programs.length === 0) throw new Error("name the tmux programs: npm run test:tmux -- /usr/bin/tmux …");
const wanted = values.only.split(",");
const unknown = wanted.filter((name) => !PARTS.some((part) => part.name === name));
if (unknown.length > 0)
  throw new Error(`no part ${unknown.join(", ")}: name ${PARTS.map(({ name }) => name).join(", ")}`);

const versionOf = (program: string): string =>
  execFileSync(program, ["-V"], { encoding: "utf8" })
    .trim()
    .replace(/^tmux /, "");
const ROOT = join(import.meta.dirname, "..", "..");

/** The files as git sees them, changed ones too, but for documents: a table that is written must not undo what it tells. */
const treeNow = (): string => {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 28 });
  const files = ["--", ".", ":!docs", ":!*.md"];
  const listed = git("ls-tree", "-r", "HEAD").replaceAll(/^.*\t(?:docs\/.*|.*\.md)\n/gm, "");
  const untracked = git("ls-files", "--others", "--exclude-standard", ...files);
  return createHash("sha256")
    .update([listed, git("diff", "HEAD", ...files), untracked].join("\0"))
    .digest("hex");
};
/** What passed already of a version; another one may be running beside it. */
const openVersion = (version: string) =>
  openLongRun({
    name: `tmux-${version}`,
    asked: treeNow(),
    schema: z.record(z.string(), outcomeSchema),
    begin: (): Record<string, Outcome> => ({}),
    isFresh: values.fresh,
  });
const parts = PARTS.filter(({ name }) => wanted.includes(name));
const rows: { version: string; outcomes: Outcome[] }[] = [];
for (const program of programs) {
  const version = versionOf(program);
  const passed = openVersion(version);
  const outcomes: Outcome[] = [];
  for (const part of parts) {
    const known = passed.state[part.name];
    const outcome = known ?? runPart(part, program);
    if (outcome.failed.length === 0) passed.state[part.name] = outcome;
    passed.save();
    console.log(
      `tmux ${version}, ${part.name}: ${outcome.passed} passed, ${outcome.failed.length} failed, ${outcome.skipped} skipped${known === undefined ? "" : " (before)"}`,
    );
    for (const name of outcome.failed) console.log(`  failed: ${name}`);
    outcomes.push(outcome);
  }
  rows.push({ version, outcomes });
}

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const cell = ({ passed, failed }: Outcome): string => `${passed} / ${failed.length}`;
const table = [
  row(["tmux", ...parts.map(({ name }) => name), "failed"]),
  row(["---", ...parts.map(() => "--:"), "--:"]),
  ...rows.map(({ version, outcomes }) =>
    row([version, ...outcomes.map(cell), String(outcomes.flatMap(({ failed }) => failed).length)]),
  ),
].join("\n");
console.log(`\npassed / failed\n\n${table}`);
if (values.markdown !== undefined) {
  const document = intoDocument(readFileSync(values.markdown, "utf8"), table, "test:tmux");
  writeFileSync(values.markdown, document);
  execFileSync(join(ROOT, "node_modules", ".bin", "oxfmt"), [values.markdown]);
}
process.exitCode = rows.some(({ outcomes }) => outcomes.some(({ failed }) => failed.length > 0)) ? 1 : 0;
