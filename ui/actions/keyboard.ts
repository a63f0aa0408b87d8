// The keyboard of the popover: which key does what, and how the list of shortcuts says it. Keys that move are a table here; those
// that act on the selected row come from the table of actions.
import { PANE_ACTIONS, type PaneActionId } from "./paneActions.ts";

/** What a key does to the view, whatever is selected. */
export type MoveCommand =
  | "moveDown"
  | "moveUp"
  | "activate"
  | "expand"
  | "collapse"
  | "nextWaiting"
  | "filter"
  | "escape"
  | "agents"
  | "sessions"
  | "targets"
  | "history"
  | "armed"
  | "help"
  | "start"
  | "settings";

export type KeyCommand = MoveCommand | PaneActionId | { option: number };

interface Move {
  command: MoveCommand;
  /** `event.key` values. */
  keys: readonly string[];
  /** Also works while the person types. */
  isForTyping?: true;
  /** On a button, the key belongs to the button. */
  isButtonKey?: true;
}

const MOVES: readonly Move[] = [
  { command: "escape", keys: ["Escape"], isForTyping: true },
  { command: "moveDown", keys: ["ArrowDown"], isForTyping: true },
  { command: "moveUp", keys: ["ArrowUp"], isForTyping: true },
  { command: "activate", keys: ["Enter"], isForTyping: true, isButtonKey: true },
  { command: "moveDown", keys: ["j"] },
  { command: "moveUp", keys: ["k"] },
  { command: "expand", keys: [" "], isButtonKey: true },
  { command: "expand", keys: ["ArrowRight"] },
  { command: "collapse", keys: ["ArrowLeft"] },
  { command: "filter", keys: ["/"] },
  { command: "nextWaiting", keys: ["n"] },
  { command: "agents", keys: ["g"] },
  { command: "sessions", keys: ["s"] },
  { command: "targets", keys: ["m"] },
  { command: "history", keys: ["h"] },
  { command: "armed", keys: ["l"] },
  { command: "help", keys: ["?"] },
  { command: "start", keys: ["+"] },
  { command: "settings", keys: [","] },
];

/** `isTyping`: in the filter field. `isOnButton`: on a button that is not a row. */
export const commandOf = (
  key: string,
  { isTyping, isOnButton }: { isTyping: boolean; isOnButton: boolean },
): KeyCommand | null => {
  if (!isTyping && /^[1-9]$/.test(key)) return { option: Number(key) };
  const move = MOVES.find(({ keys }) => keys.includes(key));
  if (move === undefined) return isTyping ? null : (PANE_ACTIONS.find((row) => row.key === key)?.id ?? null);
  if (isTyping && move.isForTyping !== true) return null;
  return isOnButton && move.isButtonKey === true ? null : move.command;
};

type Entry = readonly [keys: string, words: string];

const byHelp = Map.groupBy(PANE_ACTIONS, ({ help }) => help);
const ACTION_ENTRIES = [...byHelp].map(([help, rows]): Entry => [
  rows.map(({ key }) => key).join("  "),
  help,
]);
const WHOLE = ACTION_ENTRIES.findIndex(([keys]) => keys === "w");

/** Its keys are those of the view of changes, which the picker shows in the view itself. */
export const IN_CHANGES = "In changes";

/** The list of shortcuts, part by part. */
export const SHORTCUTS: readonly { title: string; entries: readonly Entry[] }[] = [
  {
    title: "Move",
    entries: [
      ["↑ ↓  or  k j", "Previous, next row"],
      ["n", "Next that needs you"],
      ["→ ←  or  Space", "Expand, collapse; ← again folds the session"],
      ["/", "Search everything"],
      ["g  s  m  h  l", "Agents, sessions, machines, history, automation"],
      ["+", "Start an agent"],
      [",", "Settings"],
      ["Esc", "Back; then close"],
    ],
  },
  {
    title: "Act on the selected row",
    entries: ACTION_ENTRIES.toSpliced(WHOLE + 1, 0, ["1 – 9", "Choose an option"]),
  },
  {
    title: IN_CHANGES,
    entries: [
      ["↑ ↓  or  k j", "Previous, next line"],
      ["n  p", "Next, previous file"],
      ["Space  f", "Fold a file, all files"],
      ["c  x", "Comment on the line, remove that"],
      ["s", "Send the comments when the agent is idle"],
      ["r", "Read again"],
    ],
  },
  {
    title: "While you reply",
    entries: [
      ["Enter", "Send"],
      ["Shift Enter", "New line"],
      ["Esc", "Close; the draft is kept"],
    ],
  },
];
