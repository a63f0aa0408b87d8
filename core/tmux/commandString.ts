// Commands as tmux's own parser reads them, each word literally.

/** Part of a tmux command: its words. */
export type TmuxCommand = readonly [name: string, ...args: string[]];

/** Between single quotes every character but the quote is itself. Newlines do not belong here. */
const quoteForTmux = (word: string): string => `'${word.replaceAll("'", `'"'"'`)}'`;
/** Left bare where that means the same: what is asked again and again stays short, also in tmux's log of messages. */
const toWord = (word: string): string => (/^[-\w]+$/.test(word) ? word : quoteForTmux(word));

export const toCommandString = (commands: readonly TmuxCommand[]): string =>
  commands.map((command) => command.map(toWord).join(" ")).join(" ; ");
