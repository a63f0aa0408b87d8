// Words as text of a POSIX `sh` (dash, bash, zsh, ksh, busybox). Not for fish or csh, and not for a login shell of unknown kind:
// see core/targets/quote.ts.

/** A quoted word that no shell interprets, byte for byte. A NUL character cannot be given to any program. */
export const quoteWord = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** The same for a person to paste: without quotes where none are needed. We never run this text ourselves. */
export const quoteForPerson = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : quoteWord(word);
