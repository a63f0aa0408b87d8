// The form by which the picker starts an agent, at the foot of the screen.
import { displayLine } from "../../ui/text/displayText.ts";
import { visibleOnTerminal } from "../../core/model/visibleText.ts";
import { clip, hintLine, keyHint, span, STYLE, widthOf, wrapWhole, type Line } from "./line.ts";
import { shownFields } from "./pickerStart.ts";
import type { StartField, StartMode } from "./pickerState.ts";

const LABELS: Readonly<Record<StartField, string>> = {
  agent: "Agent",
  target: "Machine",
  folder: "Folder",
  branch: "Branch",
  text: "Task",
};
const HINTS: Readonly<Record<StartField, string>> = {
  agent: "← → another one",
  target: "← → another one",
  folder: "",
  branch: "optional: in a work tree of its own",
  text: "optional; Alt+Enter breaks the line",
};
const LABEL_WIDTH = 11;
const TASK_ROWS = 4;

interface Bar {
  readonly lines: readonly Line[];
  readonly cursor: { row: number; column: number } | null;
}

export const startBar = (mode: StartMode, width: number): Bar => {
  const title = mode.said === null ? " Start an agent " : " Started ";
  const head: Line = [
    span(title, STYLE.mark),
    span(mode.isBusy ? "  starting…" : "", STYLE.dim),
    ...(mode.problem === null ? [] : [span(`  ${displayLine(mode.problem)}`, STYLE.red)]),
  ];
  if (mode.said !== null)
    return {
      lines: [
        clip(head, width),
        ...mode.said.flatMap((text) => wrapWhole(text, width - 3).map((row): Line => [span(`  ${row}`)])),
        hintLine([keyHint("any key", "back")], width),
      ],
      cursor: null,
    };
  const lines: Line[] = [clip(head, width)];
  let cursor: Bar["cursor"] = null;
  for (const field of shownFields(mode)) {
    const isHere = field === mode.field;
    const value = mode.form[field];
    const rows = wrapWhole(visibleOnTerminal(value), Math.max(10, width - LABEL_WIDTH - 4)).slice(-TASK_ROWS);
    const hint = value === "" || field === "agent" || field === "target" ? HINTS[field] : "";
    for (const [index, row] of rows.entries())
      lines.push(
        clip(
          [
            span(isHere && index === 0 ? " ❯ " : "   ", STYLE.key),
            span((index === 0 ? LABELS[field] : "").padEnd(LABEL_WIDTH - 2), isHere ? STYLE.bold : STYLE.dim),
            span(row),
            span(hint === "" ? "" : `  ${hint}`, STYLE.dim),
          ],
          width,
        ),
      );
    if (isHere && !mode.isBusy)
      cursor = {
        row: lines.length - 1,
        column: Math.min(width - 1, 1 + LABEL_WIDTH + widthOf(rows.at(-1) ?? "")),
      };
  }
  lines.push(hintLine([keyHint("Tab ↑↓", "fields"), keyHint("⏎", "start"), keyHint("Esc", "leave")], width));
  return { lines, cursor };
};
