// Turns words into shell text for another machine. A remote login shell may be sh, fish, csh or anything else, and each quotes
// in its own way; so the login shell never sees the words themselves. It only starts a POSIX `sh`, and the words travel either
// over the input of that `sh` (`LOGIN_COMMAND`, used for all that the executors do) or as one single-quoted word of letters,
// digits and octal escapes that `sh` decodes (`quoteForLogin`, for a terminal's `ssh -t`).
import { AgtmuxError } from "../model/errors.ts";
import { quoteWord } from "../model/shellWord.ts";

const checkWord = (word: string): void => {
  if (word.includes("\0"))
    throw new AgtmuxError("E_USAGE", "run a command on a target: a word of it contains a NUL character", {
      remedy: "Take the NUL character out: no command line and no file name can hold one.",
    });
};

/**
 * The words as text of a POSIX `sh` script (sh, dash, bash, zsh, ksh, busybox), byte for byte. Do not use it for a login shell
 * of unknown kind, or for fish or csh.
 * @throws AgtmuxError E_USAGE for a word with a NUL character, which no program can be given.
 */
export const quoteArgv = (argv: readonly string[]): string =>
  argv
    .map((word) => {
      checkWord(word);
      return quoteWord(word);
    })
    .join(" ");

/**
 * Any text as printable ASCII that `printf %b` turns back. There is no quote, no lone backslash, no `!` and no newline in
 * it, so that every shell leaves it alone between single quotes.
 */
export const encodeForPrintf = (text: string): string =>
  Buffer.from(text, "utf8")
    .toString("latin1")
    .replaceAll(/[^ -~]|['\\!]/g, (byte) => `\\0${byte.charCodeAt(0).toString(8).padStart(3, "0")}`);

/**
 * What the login shell is asked to do: start a `sh` that takes one line of its input as its script and leaves the rest of the
 * input to that script. A line that was cut, because the connection broke, is not run. `read` takes no byte beyond its line; a
 * `sh` that read its whole script from the input would take more.
 */
export const LOGIN_COMMAND = `exec /bin/sh -c 'IFS= read -r l && eval "$(printf %b "$l")"'`;

/** A script as the line that the `sh` of `LOGIN_COMMAND` waits for. */
export const encodeScriptLine = (script: string): string => `${encodeForPrintf(script)}\n`;

/**
 * The words as one command for a login shell of any kind: the longest command line of the remote system limits it (128 kB on
 * Linux). The command has the login shell's input, output and terminal.
 * @throws AgtmuxError E_USAGE for a word with a NUL character.
 */
export const quoteForLogin = (argv: readonly string[]): string =>
  `exec /bin/sh -c 'eval "$(printf %b "$1")"' sh '${encodeForPrintf(`exec ${quoteArgv(argv)}`)}'`;
