// Words as the text that a terminal takes a command as: for those that hand it to a shell, and for iTerm2, which reads it in a way
// of its own.
import { quoteWord } from "../../core/model/shellWord.ts";

/** The words as text of a POSIX `sh`. */
export const quoteForSh = (argv: readonly string[]): string => argv.map(quoteWord).join(" ");

/**
 * The words as the `command` of a new window of iTerm2. There `$$…$$` is a variable, and its versions differ in what a quote is. A
 * backslash outside of quotes is the same in all: the next character as it is, but for four letters.
 */
export const quoteForITerm2 = (argv: readonly string[]): string =>
  argv
    .map((word) => (word === "" ? '""' : word.replaceAll(/[^A-Za-z0-9_/.,:=@%+-]/gu, String.raw`\$&`)))
    .join(" ");
