// Makes text of agents, tmux and repositories safe to look at, in the same way on every surface: characters that a terminal or
// a bidi algorithm would obey, and characters that nobody would see, become visible marks. Nothing is lost: the marks can be
// read back, because the sign that begins a mark is itself marked.

/**
 * Control characters but newline and tab; white space that is no blank; marks of direction; everything for which nothing is drawn,
 * assigned or not: joiners, fillers, selectors, tags; and the sign that begins a mark.
 */
const MARKED =
  /[^\P{Cc}\n\t]|[^\P{Z} ]|[^\P{Cf}\u200d]|(?!\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb\u27e8]/u
    .source;
/** Both join the parts of an emoji; only there they have a visible effect. */
const OUTSIDE_EMOJI =
  "(?<![\\p{Emoji}\\p{M}])[\\ufe0e\\ufe0f]|(?<![\\p{Extended_Pictographic}\\ufe0f\\p{Emoji_Modifier}])\\u200d|\\u200d(?!\\p{Extended_Pictographic})";
const TO_MARK = new RegExp(`${MARKED}|${OUTSIDE_EMOJI}`, "gu");

const mark = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;

/** Text over several lines: newlines and tabs stay. Two texts that differ are shown differently. */
export const visibleText = (text: string): string => text.replace(TO_MARK, mark);

/** Text over several lines for a terminal, which draws a tab as blanks: tabs are marked too. */
export const visibleOnTerminal = (text: string): string => visibleText(text).replaceAll("\t", mark);

/** Text for one line: white space at the ends is removed, and any run within becomes one blank. */
export const visibleLine = (text: string): string => visibleText(text.replace(/\s+/g, " ").trim());
