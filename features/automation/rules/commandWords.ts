// Reads a command as the words that a shell gives to one program. Strict where something may be allowed: whatever a shell might
// take for more than plain words is not understood. Loose where something is to be refused: every part of the text that may
// become a command.
import { parse } from "unbash";

const MAX_LENGTH = 1_000;

/** No shell gives any of these characters a meaning of its own within a word that begins so. */
const WORD = /^[A-Za-z0-9_./,:@%+-][A-Za-z0-9_./,:@%+-]*(?:=[A-Za-z0-9_./,:@%+-]*)?$/;
const PROGRAM = /^(?!-)(?:[A-Za-z0-9_.-]*\/)*[A-Za-z0-9_][A-Za-z0-9_.+-]*$/;

/** What bash, dash or zsh take for a part of their language, or do themselves. */
const OF_SHELLS: ReadonlySet<string> = new Set(
  (
    "alias autoload bg bind bindkey break builtin bye caller case cd chdir command compadd comparguments compcall compctl " +
    "compdescribe compfiles compgen compgroups complete compopt compquote compset comptags comptry compvalues continue coproc " +
    "declare dirs disable disown do done echo echotc echoti elif else emulate enable end esac eval exec exit export false fc fg " +
    "fi float for foreach function functions getln getopts hash help history if in integer jobs kill let limit local log logout " +
    "mapfile nocorrect noglob popd print printf private pushd pushln pwd r read readarray readonly rehash repeat return sched " +
    "select set setopt shift shopt source suspend test then time times trap true ttyctl type typeset ulimit umask unalias " +
    "unfunction unhash unlimit unset unsetopt until vared wait whence where which while zcompile zformat zle zmodload " +
    "zparseopts zregexparse zstyle"
  ).split(" "),
);

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
  if (text.length > MAX_LENGTH) return null;
  const words = text.split(" ");
  const [program = ""] = words;
  if (!PROGRAM.test(program) || OF_SHELLS.has(program)) return null;
  if (!words.every((word) => WORD.test(word))) return null;
  try {
    return isPlainCommand(text, words) ? words : null;
  } catch {
    // What a parser cannot read is not understood.
    return null;
  }
};

/** Whether a word can stand in a command that is understood. */
export const isPlainWord = (word: string): boolean => WORD.test(word);
export const isPlainProgram = (word: string): boolean => PROGRAM.test(word) && !OF_SHELLS.has(word);

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
