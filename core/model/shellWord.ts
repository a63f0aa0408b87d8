// Words as text of a POSIX `sh` (dash, bash, zsh, ksh, busybox). Not for fish or csh, and not for a login shell of unknown kind:
// see core/targets/quote.ts.

/** A word that no shell looks into, byte for byte. A NUL character cannot be given to any program. */
export const quoteWord = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** The same as a person pastes it: bare where that means the same. Nothing that is shown so is ever run from here. */
export const quoteForPerson = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : quoteWord(word);
