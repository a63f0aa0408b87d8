// Names, titles and texts come from other programs: nothing of theirs may steer the terminal, and nothing may be hidden. In this
// file: a prompt as lines, names and texts cleaned for a person, and JSON and texts for a program.
import type { OptionRole, RequestView } from "../../core/model/request.ts";
import { visibleLine, visibleOnTerminal, visibleText } from "../../core/model/words.ts";
import { expiryText, requestText } from "../../ui/text/requestText.ts";

const ROLES: Readonly<Record<OptionRole, string>> = {
  approve: " (approve)",
  approve_always: "",
  deny: " (deny)",
};

const indented = (text: string): string[] =>
  visibleOnTerminal(text)
    .split("\n")
    .map((line) => `    ${line}`);

const optionLines = (
  { label, description, role, ticked }: RequestView["options"][number],
  index: number,
): string[] => [
  `  ${index + 1}. ${ticked === undefined ? "" : ticked ? "[x] " : "[ ] "}${visibleLine(label)}${role === null || role === undefined ? "" : ROLES[role]}`,
  ...((description ?? "") === "" ? [] : [`     ${visibleLine(description ?? "")}`]),
];

/**
 * A prompt, to the letter: what is asked, the options, when the agent goes on without an answer. Every line is indented. Characters
 * that a terminal would obey or that nobody would see become marks, which can be read back.
 */
export const promptLines = (request: RequestView, now: number): string[] => {
  const { heading, parts, note } = requestText(request);
  return [
    ...(heading === "" ? [] : [`  ${heading}`]),
    ...parts.flatMap(({ text }) => indented(text)),
    ...[note, expiryText(request, now)].flatMap((sentence) => (sentence === "" ? [] : [`    ${sentence}`])),
    ...request.options.flatMap(optionLines),
  ];
};

/** What a terminal would obey: whole sequences, and control characters by themselves. Without them a name is still complete. */
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const ESCAPE_SEQUENCE = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?)/g;
// oxlint-disable-next-line no-control-regex -- see above
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]+/g;

const withoutControls = (text: string): string => text.replace(ESCAPE_SEQUENCE, "").replace(CONTROL, " ");

/** One printable line of a name, a title or a message. */
export const cleanLine = (text: string): string => visibleLine(withoutControls(text));

/** A text for a program, to the letter but for what a terminal would obey: a program may show it on one. */
const plainText = (text: string): string =>
  text
    .replaceAll(/\r(?!\n)/g, " ")
    .split("\r\n")
    .map(withoutControls)
    .join("\r\n");

/** JSON for a program: what a terminal would obey, or nobody would see, is written by its number, which reads the same. */
export const plainJson = (value: unknown, space = 0): string =>
  JSON.stringify(value, null, space).replaceAll(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Printable lines with their indentation; tabs become spaces. */
export const cleanLines = (text: string): string[] =>
  text.split(/\r?\n/).map((line) => visibleText(withoutControls(line.replaceAll("\t", "    "))).trimEnd());

/** A document's own text: to the letter for a program, with everything visible on a terminal. */
export const textFor = ({ isTTY }: { readonly isTTY: boolean }, text: string): string =>
  isTTY ? cleanLines(text).join("\n") : plainText(text);
