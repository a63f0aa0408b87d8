// What git prints of a worktree whose names and lines are anybody's, down to the message that comments on them become.
import * as fc from "fast-check";
import { parseList, parsePatch } from "../../../features/workspaces/treeDiff.ts";
import { commentedLine, diffRows, lineParts } from "../../../ui/lists/diffRows.ts";
import { commentsMessage } from "../../../ui/text/changesText.ts";
import { hold } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { hostileText, mutatedText } from "../mutateText.ts";

const PATCH = [
  "diff --git a/a.txt b/a.txt",
  "index 1127304..19e6599 100644",
  "--- a/a.txt",
  "+++ b/a.txt",
  "@@ -1,3 +1,4 @@ const x",
  " one",
  "-two \u001B[201~",
  "+2",
  "+--- a/b",
  " three",
  "\\ No newline at end of file",
  'diff --git "a/we\\"ird\\nname" "b/we\\"ird\\nname"',
  "new file mode 100644",
  "@@ -0,0 +1 @@",
  "+x",
  "",
].join("\n");
const LIST = ':100644 100644 1127304 0000000 M\0a.txt\0:100644 100644 1 2 R090\0old\0we"ird\nname\0';
const OUTPUTS = [`${LIST}2\t1\ta.txt\0-\t-\t\0old\0we"ird\nname\0\0${PATCH}`, `\0`, LIST, PATCH];

export const diffTargets = (): FuzzTarget[] => [
  defineTarget({
    name: "git/what has changed",
    open: () => ({
      arbitrary: fc.oneof(mutatedText(OUTPUTS, 6), hostileText),
      check: (output) => {
        const { files, patch } = parseList(output);
        for (const { hunks } of parsePatch(patch)) {
          const items = files.slice(0, 3).map((file, index) => ({
            ...file,
            identity: { path: `${index} ${file.identity.path}` },
            is_untracked: false,
            hunks,
            left_out: null,
          }));
          const rows = diffRows({ items }, { toggled: new Set(), isSplit: false });
          for (const row of rows)
            for (const side of row.kind === "line" ? [row.old, row.new] : [])
              if (side !== null) lineParts(side);
          const comments = rows
            .flatMap((row) => commentedLine(row) ?? [])
            .map((place) => ({ ...place, words: "No." }));
          hold(
            commentsMessage(comments).split("\n").length ===
              (comments.length === 0 ? 1 : 1 + 4 * comments.length),
            "a line became several",
          );
        }
      },
    }),
  }),
];
