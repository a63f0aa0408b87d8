// An argument vector as a command to paste into a POSIX shell. Only for showing and copying: nothing here is ever run.

/** What no shell gives a meaning to; a leading `=` or `~` is expanded by some. */
const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/;

const quote = (argument: string): string =>
  PLAIN.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;

export const shellCommand = (argv: readonly string[]): string => argv.map(quote).join(" ");
