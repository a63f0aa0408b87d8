// The commands of rules and requests: their words (`wordsOf`, `commandsIn`), the few programs that run nothing and may take any
// more words (`commandProblem`), and what a person should know of the others. One that is not known may run anything.
import { parse } from "unbash";
import { isPlainProgram, isPlainWord, plainWords } from "../../../core/model/plainWords.ts";

// Words: what a shell gives to one program. Strict where something may be allowed: whatever a shell might take for more than plain
// words is not understood. Loose where something is to be refused: every part of the text that may become a command.

/** The same text as a parser of the whole language reads it: a second opinion on what our own few lines take for plain. */
const isPlainCommand = (text: string, words: readonly string[]): boolean => {
  const { commands, errors = [] } = parse(text);
  const [only, ...more] = commands;
  if (only === undefined || more.length > 0 || errors.length > 0) return false;
  const { command } = only;
  if (command.type !== "Command" || command.prefix.length > 0 || only.background !== undefined) return false;
  const read = [command.name, ...command.suffix].map((word) =>
    word?.type === "Word" && word.parts === undefined ? word.value : null,
  );
  return read.length === words.length && read.every((word, index) => word === words[index]);
};

/** Program and arguments of a text that is one plain command; null where that is not sure. Never throws. */
export const wordsOf = (text: string): string[] | null => {
  const words = plainWords(text);
  if (words === null) return null;
  try {
    return isPlainCommand(text, words) ? words : null;
  } catch {
    // What a parser cannot read is not understood.
    return null;
  }
};

const MAX_LOOSE = 65_536;
/** Where another command may begin. */
const BORDER = /[\n;|&(){}`<>]/;
const QUOTES = /\$?["']|\\/g;

/** The words of everything in a text that may become a command, quotes taken away. */
export const commandsIn = (text: string): string[][] =>
  text
    .slice(0, MAX_LOOSE)
    .replaceAll("\\\n", "")
    .split(BORDER)
    .map((part) =>
      part
        .replaceAll(QUOTES, "")
        .split(/\s+/)
        .filter((word) => word !== ""),
    )
    .filter((words) => words.length > 0);

/** The last word of a command: any number of plain words may follow. */
export const MORE = "*";

const set = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/));

/**
 * Whatever plain words follow, these run no other program, neither by themselves nor because a file or a variable says so, and
 * write into no file. Not here, for one: egrep (a script), uniq and xxd (their second word is written), diff (runs pr), rg and jq
 * (read settings).
 */
const RUNS_NOTHING =
  set(`basename cat cksum cmp comm cut df dirname du echo expand fold grep head join ls md5sum
  mkdir nl od paste printenv readlink realpath rev seq sha1sum sha256sum sha512sum stat sum tac tail touch tr wc`);
/** By their names alone, or where the system has them. */
const SYSTEM_FOLDERS: ReadonlySet<string> = new Set(["", "/bin/", "/usr/bin/"]);

/** They run what their arguments name. */
const RUNNERS =
  set(`sudo doas su env xargs nice ionice nohup timeout setsid stdbuf script watch parallel flock strace ltrace
  gdb lldb chroot unshare nsenter systemd-run sh bash dash zsh fish ksh csh tcsh busybox python node bun deno perl
  ruby php lua awk gawk mawk sed find fd ssh scp rsync tmux screen expect npx pnpx bunx uvx pipx tar zip vim vi nvim emacs
  ed less more man osascript open xdg-open docker podman kubectl`);

/** They run what files of the project say, which an agent may have written a minute ago. */
const RUNS_PROJECT =
  set(`npm pnpm yarn bun npx deno cargo go make just task rake mix bundle gradle gradlew mvn mvnw dotnet
  swift pytest tox nox uv poetry vitest jest mocha ava playwright cypress tsc eslint prettier vite webpack rollup esbuild turbo nx
  cmake ctest ninja bazel meson composer phpunit rspec node python ruby perl php sh bash zsh dash pre-commit oxlint`);

/** They run programs that a repository can name in its settings. */
const RUNS_REPOSITORY = set("git hg jj");

/** Without its folder and its version; a Mac takes small and capital letters for the same. */
const baseName = (program: string): string =>
  program
    .slice(program.lastIndexOf("/") + 1)
    .replace(/(?<=[A-Za-z])[\d.]+$/, "")
    .toLowerCase();

/** To the letter: what only looks like the system's own program may be anything. */
const runsNothing = (program: string): boolean => {
  const at = program.lastIndexOf("/") + 1;
  return SYSTEM_FOLDERS.has(program.slice(0, at)) && RUNS_NOTHING.has(program.slice(at));
};

/** Why nothing may be approved by this command; null: it may. */
export const commandProblem = (words: readonly string[]): string | null => {
  const [program = "", ...rest] = words;
  const own = rest.filter((word) => word !== MORE);
  if (!isPlainProgram(program))
    return `'${program}' isn't a simple program name: a command that begins with it always comes to you`;
  const odd = own.find((word) => !isPlainWord(word));
  if (odd !== undefined)
    return `'${odd}' isn't a plain word: a command with quotes, patterns or variables always comes to you`;
  if (rest.at(-1) !== MORE) return null;
  if (!runsNothing(program))
    return `'*' works only after programs that run nothing else, such as ls, cat and grep: list all words of ${program}`;
  return own.at(-1)?.startsWith("-") === true
    ? `'*' after '${own.at(-1)}' could be its value: list all words`
    : null;
};

/** What a person should know before a rule approves this command. */
export const commandNotes = (words: readonly string[]): string[] => {
  const [program = ""] = words;
  const name = baseName(program);
  const shown = words.join(" ");
  if (RUNNERS.has(name)) return [`${shown} runs another program`];
  if (RUNS_REPOSITORY.has(name))
    return [`${shown} may run programs that the repository names in its settings`];
  if (RUNS_PROJECT.has(name))
    return [`${shown} runs what the project says, which the agent may have just written`];
  return runsNothing(program) ? [] : [`${shown} may run anything: agtmux doesn't know ${name}`];
};
