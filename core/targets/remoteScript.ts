// Words as shell text for another machine, and the scripts around a command there. A remote login shell may be sh, fish, csh or
// anything else, and each quotes in its own way, so it never sees the words themselves. It only starts a POSIX `sh`; the words
// travel either over the input of that `sh` (`LOGIN_COMMAND`, used for all that the executors do) or as one single-quoted word of
// letters, digits and octal escapes that `sh` decodes (`quoteForLogin`, for a terminal's `ssh -t`).
import { AgtmuxError } from "../model/errors.ts";
import { quoteWord } from "../model/commandWords.ts";

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

// Scripts: what `sh` gets before every command, around a command that is awaited, and before one that keeps running. They use only
// POSIX and what GNU, BSD and busybox have in common. Marks are unguessable, so that neither a talkative login shell nor hostile
// output can pass for ours.

/**
 * A non-interactive login has a short PATH, so the usual places come after its own. Messages and dates are English, while
 * the character set stays the person's: tmux does not start without a UTF-8 one on some systems.
 */
const ENVIRONMENT = `PATH=\${PATH:-/usr/bin:/bin}:/opt/homebrew/bin:/usr/local/bin:/opt/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:$HOME/.local/bin:$HOME/.nix-profile/bin:/run/current-system/sw/bin:/nix/var/nix/profiles/default/bin
{ LC_CTYPE=\${LC_ALL:-\${LC_CTYPE:-\${LANG:-C}}}; case $LC_CTYPE in (C|POSIX) LC_CTYPE=C.UTF-8;; esac
unset LC_ALL LC_MESSAGES LC_TIME LC_NUMERIC LC_COLLATE LANGUAGE CDPATH TMUX TMUX_PANE; LANG=C; export PATH LANG LC_CTYPE; } 2>/dev/null`;

export const marksOf = (nonce: string) => ({
  start: `agtmux-${nonce}-start`,
  end: `agtmux-${nonce}-end`,
});

export type RemoteMarks = ReturnType<typeof marksOf>;

/** Stands in place of the status when the program does not exist. */
export const NOT_STARTED = "absent";

export interface AwaitedCommand {
  /** Script text that uses its words as "$@"; just `"$@"` when it only runs a program. */
  command: string;
  words: readonly string[];
  /**
   * What follows the script on the input. `text`: this many bytes, which `printf %b` turns into the command's input. `bytes`:
   * the command reads the input itself and must count the bytes; nothing but the end of the input can stop it.
   */
  input: { kind: "none" } | { kind: "text"; length: number } | { kind: "bytes" };
  /** The first word is a program that must exist. */
  isProgram: boolean;
}

const checkOf = (end: string): string =>
  `command -v "$1" >/dev/null 2>&1 || { printf '%s\\n' ${end}; printf '%s ${NOT_STARTED}\\n' ${end} >&2; exit 0; }\n`;

/** Started beside the command. The shell waits for it too, so that the process it signals is always its own. */
const WATCH = "{ read -r x <&3; kill -TERM $$; } >/dev/null 2>&1 &\n";

/**
 * What a built-in prints is no program's argument, so its length has no limit. mksh and the shells of the BSDs have no built-in
 * `printf`; their `print` knows the same escapes.
 */
const DECODE = `d() { printf %b "$1"; }
[ "$(command -v printf)" = printf ] || [ "$(command -v print)" != print ] || d() { print -n -- "$1"; }`;

const startOf = ({ command, input }: AwaitedCommand): string => {
  switch (input.kind) {
    case "none":
      return `${command} </dev/null 3<&- & p=$!\n${WATCH}`;
    case "text":
      return `s=$(head -c ${input.length} <&3); [ "\${#s}" -eq ${input.length} ] || exit 1
${DECODE}
d "$s" 2>/dev/null 3<&- | ${command} 3<&- & p=$!\n${WATCH}`;
    case "bytes":
      return `${command} <&3 3<&- & p=$!\n`;
  }
};

/**
 * A command whose end is awaited. An open input means that somebody still waits. Once it closes, on purpose or because the
 * connection is gone, the command is ended (TERM, and KILL a second later). Marks frame both outputs; the status follows the
 * end mark on stderr. The shell exits after the input is closed.
 */
export const awaitedScript = (marks: RemoteMarks, awaited: AwaitedCommand): string =>
  `${ENVIRONMENT}
set -- ${quoteArgv(awaited.words)}
printf '%s\\n' ${marks.start}; printf '%s\\n' ${marks.start} >&2
${awaited.isProgram ? checkOf(marks.end) : ""}exec 3<&0
e= r=
trap 'e=1; [ -n "$r" ] || { kill -TERM "$p"; sleep 1; kill -KILL "$p"; } >/dev/null 2>&1 3<&- &' TERM
${startOf(awaited)}wait "$p"; r=$?
[ -z "$e" ] || { wait; exit 1; }
printf '%s\\n' ${marks.end}; printf '%s %s\\n' ${marks.end} "$r" >&2
wait
`;

/** A program that takes the shell's place and keeps the channel. Its pid follows the start mark. */
export const stayingScript = (marks: RemoteMarks, argv: readonly string[]): string =>
  `${ENVIRONMENT}
set -- ${quoteArgv(argv)}
printf '%s %s\\n' ${marks.start} $$; printf '%s\\n' ${marks.start} >&2
exec "$@"
`;
