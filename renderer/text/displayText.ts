// Makes text of agents, tmux and repositories safe to look at: what a terminal or a bidi algorithm would obey becomes a
// visible mark, so that nobody approves something that reads differently from what it is.

/** Right-to-left overrides and isolates, zero-width characters, line separators, soft hyphen, tag characters. */
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

const markCode = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

const markControl = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  // Caret notation, as terminals have it: `^[` for escape. Fonts rarely have the pictures that Unicode offers.
  return code < 0x80 ? `^${String.fromCodePoint(code ^ 0x40)}` : markCode(character);
};

/** Text over several lines: newlines and tabs stay, `\r\n` counts as a newline. */
export const displayText = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(CONTROL, markControl).replace(INVISIBLE, markCode);

/** Text for one line: any white space becomes one blank. */
export const displayLine = (text: string): string => displayText(text.replace(/[\s]+/g, " ").trim());

/** A message as a sentence of its own: a capital first, a full stop at the end. */
export const displaySentence = (text: string): string => {
  const line = displayLine(text);
  const [first = ""] = line;
  const sentence = first.toUpperCase() + line.slice(first.length);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
};
