// The screen of a pane as lines of the picker: its colours stay, everything else that a terminal would obey becomes visible or goes.
import { visibleText } from "../../core/model/visibleText.ts";
import { span, type Line, type Style } from "./line.ts";

// oxlint-disable-next-line no-control-regex -- it is what this is about
const SGR = /\u001B\[([0-9;:]*)m/g;
/** Longest style that is passed on; no program needs more. */
const MAX_STYLE = 60;
const TAB = "    ";

/** The style after one more sequence: they add up until a reset. Only digits and separators come through. */
const nextStyle = (style: Style, parameters: string): Style => {
  if (parameters === "" || parameters === "0") return "";
  const sum = /^0[;:]/.test(parameters) || style === "" ? parameters : `${style};${parameters}`;
  if (sum.length <= MAX_STYLE) return sum;
  return parameters.length <= MAX_STYLE ? parameters : "";
};

/** One line; a style does not go on into the next, because the daemon ends each with a reset. */
export const outputLine = (text: string): Line => {
  const line: { text: string; style: Style }[] = [];
  let style: Style = "";
  let from = 0;
  const add = (part: string): void => {
    if (part !== "") line.push(span(visibleText(part.replaceAll("\t", TAB)), style));
  };
  for (const found of text.matchAll(SGR)) {
    add(text.slice(from, found.index));
    style = nextStyle(style, found[1] ?? "");
    from = found.index + found[0].length;
  }
  add(text.slice(from));
  return line;
};

/** The last `count` lines; blank ones at the end are left out. */
export const lastLines = (lines: readonly string[], count: number): Line[] => {
  const last = lines.findLastIndex((line) => line.replace(SGR, "").trim() !== "");
  return lines.slice(Math.max(0, last + 1 - count), last + 1).map(outputLine);
};
