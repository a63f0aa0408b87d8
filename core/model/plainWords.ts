// Which texts of commands are one program with plain words, so that a rule can name them. Surfaces ask it before they offer a rule;
// features/automation asks a parser of the whole language too before a rule counts.

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

/** Whether a word can stand in a command that is understood. */
export const isPlainWord = (word: string): boolean => WORD.test(word);
export const isPlainProgram = (word: string): boolean => PROGRAM.test(word) && !OF_SHELLS.has(word);

/** Program and arguments; null where a shell may take any of it for more than plain words. */
export const plainWords = (text: string): string[] | null => {
  if (text.length > MAX_LENGTH) return null;
  const words = text.split(" ");
  const [program = ""] = words;
  return isPlainProgram(program) && words.every(isPlainWord) ? words : null;
};
