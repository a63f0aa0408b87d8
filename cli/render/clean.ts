// Names, titles and prompts come from other programs: nothing of theirs may steer the terminal.

// C0, DEL, C1, line separators, and the bidirectional controls that can reorder what a person reads.
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const HOSTILE = /[\u0000-\u001F\u007F-\u009F\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]+/g;

/** One printable line: whole escape sequences go, other control characters become one space. */
export const cleanLine = (text: string): string =>
  text
    // oxlint-disable-next-line no-control-regex -- see above
    .replace(/\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?)/g, "")
    .replace(HOSTILE, " ")
    .trim();

/** Printable lines; tabs become spaces. */
export const cleanLines = (text: string): string[] => text.split(/\r?\n/).map((line) => cleanIndented(line));

/** Like `cleanLine`, but keeps the indentation that a diff or a command needs. */
const cleanIndented = (line: string): string => {
  const body = line.replaceAll("\t", "    ");
  const indent = /^ */.exec(body)?.[0] ?? "";
  return indent + cleanLine(body);
};
