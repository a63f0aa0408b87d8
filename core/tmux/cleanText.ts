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

/** How a name that was cut ends. */
const ENDS_IN_ID = /…[$@%]\d+$/;

/**
 * A name without control characters that stays unique: characters that may not be shown are spelled out (`\u{202e}`), and a
 * name that is too long is cut and ends in `id`, so that two names never become one. tmux itself doubles every backslash.
 */
export const cleanName = (name: string, maxLength: number, id: string): string => {
  const spelled = name
    .toWellFormed()
    .replace(CONTROL, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
  if (spelled.length <= maxLength && !ENDS_IN_ID.test(spelled)) return spelled;
  return `${cleanText(spelled, maxLength - id.length - 1)}…${id}`;
};

/**
 * The same for one line of a screen, trailing blanks cut. A character that may not be shown is replaced by a sign: a line that
 * lost something must not look complete.
 */
export const cleanLine = (text: string, maxLength: number): string =>
  cleanText(text.replace(CONTROL, "\ufffd"), maxLength).trimEnd();
