// A line of a pane with its colours, as parts that a page can draw. Colours become one of a few names, so that a surface keeps
// its own contrast; everything else that a terminal would obey was removed before, and what is left of it is made visible. Pure.
import { displayText } from "./displayText.ts";

export type Hue = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "grey";

interface ColouredPart {
  text: string;
  ink: Hue | null;
  ground: Hue | null;
  isBold: boolean;
  isDim: boolean;
}

type Style = Omit<ColouredPart, "text">;

const PLAIN: Style = { ink: null, ground: null, isBold: false, isDim: false };

// oxlint-disable-next-line no-control-regex -- it is what this is about
const SGR = /\u001B\[([0-9;:]*)m/g;

/** The eight colours in the order of their numbers; black and white are the surface's own. */
const HUES: readonly (Hue | null)[] = [null, "red", "green", "yellow", "blue", "magenta", "cyan", null];

/** By its place on the colour wheel; what has hardly any colour is grey, or the surface's own where it is very light. */
const hueOf = (red: number, green: number, blue: number): Hue | null => {
  const [high, low] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const spread = high - low;
  if (spread < 32) return high > 200 || high < 40 ? null : "grey";
  const turn =
    high === red
      ? ((green - blue) / spread + 6) % 6
      : high === green
        ? (blue - red) / spread + 2
        : (red - green) / spread + 4;
  const wheel: readonly Hue[] = ["red", "yellow", "green", "cyan", "blue", "magenta", "red"];
  return wheel[Math.round(turn)] ?? "red";
};

const STEPS = [0, 95, 135, 175, 215, 255] as const;

/** Of the 256 colours: 16 named ones, a cube of 216, and greys. */
const paletteHue = (index: number): Hue | null => {
  if (index === 8) return "grey";
  if (index < 16) return HUES[index % 8] ?? null;
  if (index >= 232) return hueOf((index - 232) * 10 + 8, (index - 232) * 10 + 8, (index - 232) * 10 + 8);
  const cube = index - 16;
  const step = (at: number): number => STEPS[at % 6] ?? 0;
  return hueOf(step(Math.floor(cube / 36)), step(Math.floor(cube / 6)), step(cube));
};

/** Reads `38;5;n` and `38;2;r;g;b` from their second number on; says how many numbers they take. */
const readColour = (codes: readonly number[], at: number): { hue: Hue | null; taken: number } => {
  const [kind, first = 0, second = 0, third = 0] = codes.slice(at + 1, at + 5);
  if (kind === 5) return { hue: paletteHue(first), taken: 2 };
  if (kind === 2) return { hue: hueOf(first, second, third), taken: 4 };
  return { hue: null, taken: codes.length };
};

const applyCode = (style: Style, code: number): Style => {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, isBold: true };
  if (code === 2) return { ...style, isDim: true };
  if (code === 22) return { ...style, isBold: false, isDim: false };
  if (code === 7) return { ...style, ground: "grey" };
  if (code === 27 || code === 49) return { ...style, ground: null };
  if (code === 39) return { ...style, ink: null };
  if (code === 90) return { ...style, ink: "grey" };
  if ((code >= 30 && code <= 37) || (code >= 91 && code <= 97))
    return { ...style, ink: HUES[code % 10] ?? null };
  if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107))
    return { ...style, ground: HUES[code % 10] ?? null };
  return style;
};

const applySequence = (style: Style, parameters: string): Style => {
  const codes = parameters.split(/[;:]/).map(Number);
  let next = style;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const { hue, taken } = readColour(codes, at);
      next = code === 38 ? { ...next, ink: hue } : { ...next, ground: hue };
      at += taken;
    } else next = applyCode(next, code);
  }
  return next;
};

/** The parts of some lines, in order; a style ends with its line. */
export const colouredParts = (lines: readonly string[]): ColouredPart[] => {
  const parts: ColouredPart[] = [];
  const add = (text: string, style: Style): void => {
    if (text !== "") parts.push({ text: displayText(text), ...style });
  };
  for (const [index, line] of lines.entries()) {
    let style = PLAIN;
    let from = 0;
    for (const found of line.matchAll(SGR)) {
      add(line.slice(from, found.index), style);
      style = applySequence(style, found[1] ?? "");
      from = found.index + found[0].length;
    }
    add(line.slice(from), style);
    if (index < lines.length - 1) parts.push({ text: "\n", ...PLAIN });
  }
  return parts;
};

/** Screens end with empty lines, which would push the content out of the box. */
export const withoutEmptyEnd = (lines: readonly string[]): readonly string[] =>
  lines.slice(0, lines.findLastIndex((line) => line.replaceAll(SGR, "").trim() !== "") + 1);
