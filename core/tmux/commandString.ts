// Writes commands so that tmux's own parser reads each word literally.

/** Part of a tmux command: its words. */
export type TmuxCommand = readonly [name: string, ...args: string[]];

/** Between single quotes every character except the quote means itself. Newlines do not belong here. */
const quoteForTmux = (word: string): string => `'${word.replaceAll("'", `'"'"'`)}'`;
/** Words that need no quotes get none: commands that are sent again and again stay short, also in tmux's log of messages. */
const toWord = (word: string): string => (/^[-\w]+$/.test(word) ? word : quoteForTmux(word));

export const toCommandString = (commands: readonly TmuxCommand[]): string =>
  commands.map((command) => command.map(toWord).join(" ")).join(" ; ");
