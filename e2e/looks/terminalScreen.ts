// What `capture-pane -e` of a real tmux tells of a screen, and the colours in which pictures show it.
import type { Scheme } from "./look.ts";

/** Text, background, and the eight colours of a common theme of each kind. */
export const TERMINAL_THEMES: Readonly<Record<Scheme, readonly string[]>> = {
  dark: [
    "#d4d4d4",
    "#1b1d22",
    "#3b4048",
    "#f07178",
    "#a5d075",
    "#e6b455",
    "#6cb2f7",
    "#c792ea",
    "#56c8d8",
    "#e6e6e6",
  ],
  light: [
    "#24292f",
    "#ffffff",
    "#24292f",
    "#c4303a",
    "#2c7a32",
    "#8a5a00",
    "#1f5fbf",
    "#8a3fb0",
    "#0b7285",
    "#57606a",
  ],
};

export interface ScreenPart {
  readonly text: string;
  /** Of the eight; null: the terminal's own. */
  readonly colour: number | null;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isReversed: boolean;
}

const PLAIN = { colour: null, isBold: false, isDim: false, isReversed: false };

const applied = (style: Omit<ScreenPart, "text">, code: number): Omit<ScreenPart, "text"> => {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isDim: true };
  if (code === 22) return { ...style, isBold: false, isDim: false };
  if (code === 7 || code === 27) return { ...style, isReversed: code === 7 };
  if (code >= 30 && code <= 37) return { ...style, colour: code - 30 };
  return code === 39 ? { ...style, colour: null } : style;
};

/** Its lines, each in parts of one style. */
export const screenParts = (screen: string): ScreenPart[][] => {
  let style: Omit<ScreenPart, "text"> = PLAIN;
  return screen.split("\n").map((line) => {
    // oxlint-disable-next-line no-control-regex -- the sequences that set a style
    const [first = "", ...more] = line.split(/\u001B\[(?=[0-9;]*m)/);
    const parts: ScreenPart[] = [{ ...style, text: first }];
    for (const piece of more) {
      const end = piece.indexOf("m");
      for (const code of piece.slice(0, end).split(";")) style = applied(style, Number(code));
      parts.push({ ...style, text: piece.slice(end + 1) });
    }
    return parts.filter(({ text }) => text !== "");
  });
};

export const escapeMarkup = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
