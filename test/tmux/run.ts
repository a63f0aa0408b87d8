// `npm run test:tmux -- PATH…`: every suite that talks to a real tmux, with each of these tmux programs, and a table. What passed
// stays passed while the tree is the same, so that a run that was stopped goes on where it was; `--fresh` runs it again.
// `--only test/chain,remote` names parts; `--markdown FILE` writes the table between two marks of that file.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { intoDocument } from "../../bench/report/toMarkdown.ts";
import { PARTS, runPart, type Outcome } from "./parts.ts";
import { openProgress } from "./progress.ts";

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
const progress = openProgress({ isFresh: values.fresh });
const parts = PARTS.filter(({ name }) => wanted.includes(name));
const rows: { version: string; outcomes: Outcome[] }[] = [];
for (const program of programs) {
  const version = versionOf(program);
  const outcomes: Outcome[] = [];
  for (const part of parts) {
    const known = progress.passed(`${version} ${part.name}`);
    const outcome = known ?? runPart(part, program);
    if (known === null && outcome.failed.length === 0) progress.note(`${version} ${part.name}`, outcome);
    console.log(
      `tmux ${version}, ${part.name}: ${outcome.passed} passed, ${outcome.failed.length} failed, ${outcome.skipped} skipped${known === null ? "" : " (before)"}`,
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
  execFileSync(join(import.meta.dirname, "..", "..", "node_modules", ".bin", "oxfmt"), [values.markdown]);
}
process.exitCode = rows.some(({ outcomes }) => outcomes.some(({ failed }) => failed.length > 0)) ? 1 : 0;
