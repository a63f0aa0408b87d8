// Text for tmux's status line, where `#` starts a format and `#[…]` a style.
import { cleanLine } from "./clean.ts";
import type { Colour, Paint } from "./paint.ts";

const STYLES: Readonly<Record<Colour, string>> = {
  bold: "bold",
  dim: "dim",
  red: "fg=red",
  green: "fg=green",
  yellow: "fg=yellow",
  blue: "fg=blue",
  magenta: "fg=magenta",
  cyan: "fg=cyan",
};

/** One line in which tmux finds no format and no style. */
const escapeTmux = (text: string): string => cleanLine(text).replaceAll("#", "##");

/** Colours as tmux's styles; what is painted is escaped. */
export const paintTmux: Paint = (colour, text) => `#[${STYLES[colour]}]${escapeTmux(text)}#[default]`;
