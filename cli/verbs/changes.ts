// `agtmux changes <ref>`: what has changed in an agent's worktree since its branch began, by file and then line by line. Names and
// lines are hostile, so on a terminal every sign that it would obey is a mark.
import type { FileDiff, TreeDiff } from "../../core/model/treeDiff.ts";
import {
  baseText,
  countsText,
  fileCounts,
  fileNote,
  fileText,
  leftOutText,
  lineText,
} from "../../ui/text/changesText.ts";
import { withRef } from "../command/settleRef.ts";
import type { CliContext } from "../command/context.ts";
import { printDocument } from "../command/document.ts";
import { cleanLine, textFor } from "../render/clean.ts";
import type { Colour } from "../render/table.ts";

type Paint = CliContext["paint"];

const summaryLines = (diff: TreeDiff, paint: Paint): string[] => {
  const names = diff.items.map((file) => fileText(file));
  const width = Math.min(60, Math.max(0, ...names.map((name) => name.length)));
  const files = diff.items.map((file, index) => {
    const counts = file.is_binary
      ? paint("dim", "binary")
      : `${paint("green", `+${file.added ?? 0}`)} ${paint("red", `−${file.removed ?? 0}`)}`;
    const note = fileNote(file);
    return ` ${(names[index] ?? "").padEnd(width)}  ${counts}${note === "" ? "" : paint("dim", `  ${cleanLine(note)}`)}`;
  });
  const leftOut = leftOutText(diff);
  return [
    `${countsText(diff.summary)} ${baseText(diff)}`,
    ...files,
    ...(leftOut === "" ? [] : [paint("dim", cleanLine(leftOut))]),
  ];
};

const COLOURS: Readonly<Record<string, Colour>> = { "+": "green", "-": "red" };

/** `1` or `1,4`, as in the head of a hunk. */
const range = (start: number, count: number): string => (count === 1 ? String(start) : `${start},${count}`);

const patchLines = (file: FileDiff, { stdout, paint }: Pick<CliContext, "stdout" | "paint">): string[] => {
  const { identity, old_path: old, change, hunks } = file;
  const [from, to] = [cleanLine(old ?? identity.path), cleanLine(identity.path)];
  const head = [
    `diff --git a/${from} b/${to}`,
    ...(hunks.length === 0
      ? [`# ${cleanLine([fileCounts(file), fileNote(file)].filter((part) => part !== "").join(" · "))}`]
      : [
          change === "added" ? "--- /dev/null" : `--- a/${from}`,
          change === "deleted" ? "+++ /dev/null" : `+++ b/${to}`,
        ]),
  ];
  const body = hunks.flatMap(({ old_start: olds, new_start: news, heading, lines }) => {
    const count = (sign: string): number =>
      lines.filter((line) => line.startsWith(" ") || line.startsWith(sign)).length;
    const place = `@@ -${range(olds, count("-"))} +${range(news, count("+"))} @@`;
    return [
      paint("cyan", `${place}${heading === "" ? "" : ` ${cleanLine(heading)}`}`),
      ...lines.map((line) => {
        const colour = COLOURS[line[0] ?? ""];
        const text = stdout.isTTY ? lineText(line) : textFor(stdout, line);
        return colour === undefined ? text : paint(colour, text);
      }),
    ];
  });
  return ["", ...head.map((line) => paint("bold", line)), ...body];
};

export const runChanges = async (
  context: CliContext,
  typed: string,
  options: { stat?: boolean; json?: boolean },
): Promise<void> => {
  const diff = await withRef(context, { ref: typed, says: false }, (client, ref) =>
    client.call((api) => api.workspaces.changes.mutate({ ref })),
  );
  if (options.json === true) return printDocument<TreeDiff>(context, diff);
  const patch = options.stat === true ? [] : diff.items.flatMap((file) => patchLines(file, context));
  context.print(`${[...summaryLines(diff, context.paint), ...patch].join("\n")}\n`);
};
