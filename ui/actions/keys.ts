// The keyboard of the popover as one table: which key does what, and how the shortcut sheet says it. Pure.

export type KeyCommand =
  | "moveDown"
  | "moveUp"
  | "activate"
  | "expand"
  | "collapse"
  | "filter"
  | "escape"
  | "reply"
  | "approve"
  | "deny"
  | "whole"
  | "output"
  | "interrupt"
  | "kill"
  | "dismiss"
  | "agents"
  | "sessions"
  | "targets"
  | "help"
  | "settings"
  | { option: number };

interface Shortcut {
  command: Exclude<KeyCommand, { option: number }>;
  /** `event.key` values. */
  keys: readonly string[];
  /** Works while the person types too. */
  isForTyping?: boolean;
  /** Buttons keep it for themselves. */
  isButtonKey?: boolean;
}

const SHORTCUTS: readonly Shortcut[] = [
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
  { command: "reply", keys: ["r"] },
  { command: "approve", keys: ["a"] },
  { command: "deny", keys: ["d"] },
  { command: "whole", keys: ["w"] },
  { command: "output", keys: ["o"] },
  { command: "interrupt", keys: ["i"] },
  { command: "kill", keys: ["x"] },
  { command: "dismiss", keys: ["e"] },
  { command: "agents", keys: ["g"] },
  { command: "sessions", keys: ["s"] },
  { command: "targets", keys: ["t"] },
  { command: "help", keys: ["?"] },
  { command: "settings", keys: [","] },
];

/** `isTyping`: in the filter field. `isOnButton`: on a button that is not a row. */
export const commandOf = (
  key: string,
  { isTyping, isOnButton }: { isTyping: boolean; isOnButton: boolean },
): KeyCommand | null => {
  if (!isTyping && /^[1-9]$/.test(key)) return { option: Number(key) };
  const shortcut = SHORTCUTS.find(({ keys }) => keys.includes(key));
  if (shortcut === undefined) return null;
  if (isTyping && shortcut.isForTyping !== true) return null;
  return isOnButton && shortcut.isButtonKey === true ? null : shortcut.command;
};

/** The shortcut sheet, part by part. */
export const KEY_SHEET: readonly { title: string; entries: readonly (readonly [string, string])[] }[] = [
  {
    title: "Move",
    entries: [
      ["↑ ↓  or  k j", "Previous, next row"],
      ["→ ←  or  Space", "Expand, collapse"],
      ["/", "Search everything"],
      ["g  s  t", "Agents, sessions, targets"],
      [",", "Settings"],
      ["Esc", "Back; then close"],
    ],
  },
  {
    title: "Act on the selected row",
    entries: [
      ["Enter", "Attach in a terminal"],
      ["a  d", "Approve this once, deny"],
      ["w", "Show all of a long request"],
      ["1 – 9", "Choose an option"],
      ["r", "Reply"],
      ["o", "Show the output, live"],
      ["i", "Interrupt the turn; asks first"],
      ["x", "Kill the agent; asks first"],
      ["e", "Dismiss an error"],
    ],
  },
  {
    title: "While you reply",
    entries: [
      ["Enter", "Send"],
      ["Shift Enter", "New line"],
      ["Esc", "Leave; the draft is kept"],
    ],
  },
];
