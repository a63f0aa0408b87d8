// Names, titles and texts come from other programs: nothing of theirs may steer the terminal, and nothing may be hidden.
import { visibleLine, visibleText } from "../../core/model/visibleText.ts";

/** What a terminal would obey: whole sequences, and control characters by themselves. Without them a name is still complete. */
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const ESCAPE_SEQUENCE = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?)/g;
// oxlint-disable-next-line no-control-regex -- see above
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]+/g;

const withoutControls = (text: string): string => text.replace(ESCAPE_SEQUENCE, "").replace(CONTROL, " ");

/** One printable line of a name, a title or a message. */
export const cleanLine = (text: string): string => visibleLine(withoutControls(text));

/** Printable lines with their indentation; tabs become spaces. */
export const cleanLines = (text: string): string[] =>
  text.split(/\r?\n/).map((line) => visibleText(withoutControls(line.replaceAll("\t", "    "))).trimEnd());
