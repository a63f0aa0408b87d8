// What an edit changes, as lines of a difference: how requests carry it, whatever fields an agent tells it in.

const NO_LINE_BREAK = "\\ No newline at the end";

/** The last line break ends the last line and begins no other. */
const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

const signed = (sign: string, text: string, isMarked: boolean): string[] => [
  ...linesOf(text).map((line) => `${sign}${line}`),
  ...(isMarked && text !== "" && !text.endsWith("\n") ? [NO_LINE_BREAK] : []),
];

/** All of a file that is written: a line each. */
export const writtenLines = (text: string): string => signed("+", text, true).join("\n");

/** `before` taken out and `after` put in, line by line; that only one of them ends its last line is said, as diffs do. */
export const changedLines = (before: string, after: string): string => {
  const isMarked = before !== "" && after !== "" && before.endsWith("\n") !== after.endsWith("\n");
  return [...signed("-", before, isMarked), ...signed("+", after, isMarked)].join("\n");
};

/** The lines of a unified difference of one file, without its headers but those between two places; null for another form. */
const diffLines = (diff: string): string | null => {
  const lines = diff.replace(/\n$/, "").split("\n");
  const start = lines.findIndex((line) => line.startsWith("@@ "));
  const own = lines.slice(start + 1);
  return start >= 0 && own.every((line) => /^([+\- \\]|@@ |$)/.test(line)) ? own.join("\n") : null;
};

/**
 * What a unified difference changes, and whether that is all of it. One of several files, which no request is known to draw, is
 * told with its headers; null for another form.
 */
export const contentOfDiff = (diff: string | null): { content: string | null; isAll: boolean } => {
  const lines = diff === null ? null : diffLines(diff);
  return { content: lines ?? (diff !== null && /^@@ /m.test(diff) ? diff : null), isAll: lines !== null };
};
