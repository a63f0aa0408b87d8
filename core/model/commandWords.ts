// Words of commands that are run elsewhere: text for a POSIX `sh` (not for fish, csh or a login shell of unknown kind: see
// core/targets/remoteScript.ts), git within bounds, and questions to tmux that no hook notices.

import type { Account } from "./runtime.ts";

/** A quoted word that no shell interprets, byte for byte. A NUL character cannot be given to any program. */
export const quoteWord = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** The same for a person to paste: without quotes where none are needed. We never run this text ourselves. */
export const quoteForPerson = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : quoteWord(word);

/**
 * Runs a script of ours, in which nothing needs a quote, in the person's login shell, which finds programs as their terminals do.
 * Without `-i`: an interactive shell could take the daemon's terminal away.
 */
export const inLoginShell = (script: string): string[] => [
  "sh",
  "-c",
  `case \${SHELL##*/} in bash|zsh|fish|ksh|mksh|dash|ash) exec "$SHELL" -l -c "$1" ;; *) exec sh -l -c "$1" ;; esac`,
  "agtmux",
  script,
];

/** What stands before the words of an agent's command to run it with this account; nothing for the usual one. */
export const inAccount = (account: Pick<Account, "environment"> | null): string[] =>
  account === null || account.environment.length === 0 ? [] : ["env", ...account.environment.map(quoteWord)];

// Git, wherever it is started: with bounds on what it may take, because it reads every file of a repository, which may have no
// end, and without any program that the repository names. Words alone; nothing is run here.

/** What git takes for large repositories is mapped from files, which does not count. */
const MAX_DATA_KB = 1024 * 1024;
/** Processor time; the caller limits how long a whole call may take. */
const MAX_CPU_S = 300;

/**
 * The first line of each script that runs git. macOS knows these limits but ignores the first: there, only time ends a git that
 * reads something without end.
 */
export const GIT_BOUNDS = `ulimit -d ${MAX_DATA_KB} 2>/dev/null; ulimit -t ${MAX_CPU_S} 2>/dev/null; ulimit -c 0 2>/dev/null
`;

/** Words that run git with these arguments, within the bounds. */
export const boundedGit = (args: readonly string[]): readonly string[] => [
  "sh",
  "-c",
  `${GIT_BOUNDS}exec git "$@"`,
  "git",
  "--no-pager",
  ...args,
];

/** Settings that keep git from starting anything that a repository names: hooks, a monitor, a signature, a fetch, a clean-up. */
const OFF: Readonly<Record<string, string>> = {
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "commit.gpgSign": "false",
  "log.showSignature": "false",
  "protocol.allow": "never",
  "gc.auto": "0",
  "maintenance.auto": "false",
};

/** The same for sections that name programs under names of their own; \`names\`: settings of the repository, as git lists them. */
const offFor = (names: readonly string[]): Record<string, string> => {
  const off: Record<string, string> = {};
  for (const name of names) {
    const [, section = "", own = ""] = /^(filter|hook)\.(.*)\.[^.]+$/s.exec(name) ?? [];
    if (section === "filter")
      for (const key of ["clean", "smudge", "process"]) off[`filter.${own}.${key}`] = "";
    if (section === "filter") off[`filter.${own}.required`] = "false";
    if (section === "hook") off[`hook.${own}.enabled`] = "false";
  }
  return off;
};

/** Which settings have to be named to `gitWithout`; a pattern of `git config --get-regexp`. */
export const NAMING_PROGRAMS = String.raw`^(filter|hook)\.`;

/** Variables that let git start no program of the repository. In variables, unlike in arguments, no name can pass for another. */
export const gitWithout = (names: readonly string[]): Record<string, string> => {
  const all = Object.entries({ ...OFF, ...offFor(names) });
  return {
    GIT_CONFIG_COUNT: String(all.length),
    ...Object.fromEntries(
      all.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, key],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
  };
};

// Questions to tmux that no hook of a person notices: where a hook is set that would run with the answer, there is no answer.

/**
 * True where no session has one of the hooks set: the value of an unset hook is empty. Up to 3.4 only single entries of a hook
 * have a value, so a hook without a first entry is not seen there.
 */
export const hasNoHook = (hooks: readonly string[]): string =>
  `#{?#{S:${hooks.map((hook) => `#{${hook}}#{${hook}[0]}`).join("")}},,1}`;

/**
 * The words of a tmux command that prints what `format` (without quotes) is, of a pane where one is named. It prints nothing where
 * a hook is set, or the pane is gone; then it does not fail, for which there are hooks too.
 */
export const printWords = (format: string, paneId: string | null): string[] => {
  const isUnseen = hasNoHook(["after-display-message"]);
  if (paneId === null) return ["if-shell", "-F", isUnseen, `display-message -p '${format}'`];
  // If the target of `if-shell` does not exist, tmux takes the current pane instead.
  const isThere = `#{==:#{pane_id},${paneId}}`;
  const print = `display-message -p -t ${paneId} '${format}'`;
  return ["if-shell", "-F", "-t", paneId, `#{&&:${isUnseen},${isThere}}`, print];
};
