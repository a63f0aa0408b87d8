// Names, titles and screens come from programs that may be hostile. What leaves this folder holds no control character,
// so that it can be shown in a terminal, a page or a log.

/** C0, DEL, C1, line and paragraph separators, and the marks that reorder text on the screen. */
const CONTROL = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** `text` without control characters, at most `maxLength` UTF-16 units, never ending in half a character. */
export const cleanText = (text: string, maxLength: number): string =>
  text
    .replace(CONTROL, "")
    .slice(0, maxLength)
    .toWellFormed()
    .replace(/\ufffd$/, "");

/** The same for one line of a screen, trailing blanks cut. */
export const cleanLine = (text: string, maxLength: number): string => cleanText(text, maxLength).trimEnd();
