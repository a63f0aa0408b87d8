// Reads what git printed of a work tree. Records end in NUL, which no file name has, so that no name can pass for a record; the
// records of the two programs begin differently. Pure.
import type { Changes } from "../../../core/model/workspace.ts";

/** `# branch.ab +1 -2`. */
const AHEAD_BEHIND = /^# branch\.ab \+(\d+) -(\d+)$/;
/** There is nothing to compare lines with. */
const NO_COMMIT = "# branch.oid (initial)";
/** A changed, unmerged or unknown file. */
const FILE = /^[12u?] /;
/** Lines added and removed, and the file; `-` for a file that has no lines. */
const LINES = /^(\d+|-)\t(\d+|-)\t/;

const numberOf = (text: string | undefined): number => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : 0;
};

export const parseLook = (output: string): Changes => {
  let files = 0;
  let hasCommit = true;
  let [added, removed] = [0, 0];
  let between: { ahead: number; behind: number } | null = null;
  for (const record of output.split("\0")) {
    const distance = AHEAD_BEHIND.exec(record);
    const lines = LINES.exec(record);
    if (distance !== null) between = { ahead: numberOf(distance[1]), behind: numberOf(distance[2]) };
    else if (lines !== null) {
      added += numberOf(lines[1]);
      removed += numberOf(lines[2]);
    } else if (FILE.test(record)) files += 1;
    else if (record === NO_COMMIT) hasCommit = false;
  }
  return {
    files,
    added: hasCommit ? added : null,
    removed: hasCommit ? removed : null,
    ahead: between?.ahead ?? null,
    behind: between?.behind ?? null,
  };
};
