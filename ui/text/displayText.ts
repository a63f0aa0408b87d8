// Text of agents, tmux and repositories as surfaces show it, commands to copy, and the search in texts.
import { shortenRefs } from "../../core/model/shortRef.ts";
import { visibleLine, visibleText } from "../../core/model/words.ts";

/** Text over several lines. */
export const displayText = visibleText;

/** Text for one line: any white space becomes one blank. */
export const displayLine = visibleLine;

/** A message of agtmux as a sentence of its own: a capital first, a full stop at the end, panes by their short references. */
export const displaySentence = (text: string): string => {
  const line = shortenRefs(displayLine(text));
  const [first = ""] = line;
  const sentence = first.toUpperCase() + line.slice(first.length);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
};

/** Characters that no shell interprets; some shells expand a leading `=` or `~`. */
const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/;

const quote = (argument: string): string =>
  PLAIN.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;

/** An argument vector as a command to paste into a POSIX shell. Only for display and copying: it is never run from here. */
export const shellCommand = (argv: readonly string[]): string => argv.map(quote).join(" ");

/** Whether every word that is searched for occurs somewhere in a text. */
export const searchFor = (search: string): ((textOf: () => string) => boolean) => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return (textOf) => {
    if (words.length === 0) return true;
    const text = textOf().toLowerCase();
    return words.every((word) => text.includes(word));
  };
};
