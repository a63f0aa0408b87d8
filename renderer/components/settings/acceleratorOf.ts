// Turns pressed keys into a shortcut as Electron writes it. Pure.

interface Pressed {
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

const NAMED: Readonly<Record<string, string>> = {
  Space: "Space",
  Enter: "Enter",
  ArrowUp: "Up",
  ArrowDown: "Down",
  ArrowLeft: "Left",
  ArrowRight: "Right",
  Home: "Home",
  End: "End",
  PageUp: "PageUp",
  PageDown: "PageDown",
};

/** Uses the key's place (`code`), because with Alt a Mac gives other characters. */
const keyOf = (code: string): string | null =>
  /^Key([A-Z])$/.exec(code)?.[1] ??
  /^Digit(\d)$/.exec(code)?.[1] ??
  /^(F([1-9]|1\d|2[0-4]))$/.exec(code)?.[1] ??
  NAMED[code] ??
  null;

const MAC_MARKS: Readonly<Record<string, string>> = {
  Control: "⌃",
  Ctrl: "⌃",
  Alt: "⌥",
  Option: "⌥",
  Shift: "⇧",
  Command: "⌘",
  Cmd: "⌘",
  CommandOrControl: "⌘",
  CmdOrCtrl: "⌘",
};

/** A shortcut as the platform's menus write it. */
export const acceleratorText = (accelerator: string, platform: string): string =>
  platform === "darwin"
    ? accelerator
        .split("+")
        .map((part) => MAC_MARKS[part] ?? part)
        .join("")
    : accelerator;

/**
 * Null while only modifiers are held, and for a key without Ctrl, Alt or Command, because no other program could use that key
 * any more.
 */
export const acceleratorOf = (pressed: Pressed, platform: string): string | null => {
  const key = keyOf(pressed.code);
  if (key === null || !(pressed.ctrlKey || pressed.metaKey || pressed.altKey)) return null;
  return [
    ...(pressed.ctrlKey ? ["Control"] : []),
    ...(pressed.metaKey ? [platform === "darwin" ? "Command" : "Super"] : []),
    ...(pressed.altKey ? ["Alt"] : []),
    ...(pressed.shiftKey ? ["Shift"] : []),
    key,
  ].join("+");
};
