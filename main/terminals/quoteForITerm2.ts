// A command as iTerm2 reads it, which is not as a shell does: `$$…$$` is a variable of its own, and its versions differ in what a
// quote is. A backslash outside of quotes is the same in all: the next character as it is, but for four letters.

/** The words as the `command` of a new window; newline, quotes, blanks, `$` and `~` included. */
export const quoteForITerm2 = (argv: readonly string[]): string =>
  argv
    .map((word) => (word === "" ? '""' : word.replaceAll(/[^A-Za-z0-9_/.,:=@%+-]/gu, String.raw`\$&`)))
    .join(" ");
