// Text of agents, tmux and repositories as the popover shows it.
import { visibleLine, visibleText } from "../../core/model/visibleText.ts";

/** Text over several lines. */
export const displayText = visibleText;

/** Text for one line: any white space becomes one blank. */
export const displayLine = visibleLine;

/** A message as a sentence of its own: a capital first, a full stop at the end. */
export const displaySentence = (text: string): string => {
  const line = displayLine(text);
  const [first = ""] = line;
  const sentence = first.toUpperCase() + line.slice(first.length);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
};

/** What no shell gives a meaning to; a leading `=` or `~` is expanded by some. */
const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/;

const quote = (argument: string): string =>
  PLAIN.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;

/** An argument vector as a command to paste into a POSIX shell. Only for showing and copying: nothing here is ever run. */
export const shellCommand = (argv: readonly string[]): string => argv.map(quote).join(" ");
