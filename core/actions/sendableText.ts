// What may be typed into a pane: text without anything that a terminal or a program would take for a command. Pure.

/** C0 without tab and newline, DEL, C1. An escape sequence loses its first character and is harmless text then. */
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** `stripped`: how many characters were left out. Line ends become newlines. */
export const toSendable = (input: string): { text: string; stripped: number } => {
  const lines = input.toWellFormed().replaceAll("\r\n", "\n");
  const text = lines.replace(CONTROL, "");
  return { text, stripped: lines.length - text.length };
};

/** What a person is told of characters that were left out: nothing where there were none. */
export const strippedNotes = (stripped: number): string[] => {
  if (stripped === 0) return [];
  return [
    stripped === 1 ? "1 control character was left out." : `${stripped} control characters were left out.`,
  ];
};
