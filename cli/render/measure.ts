// How wide text is in a terminal. The exact answer needs tables that cost more start-up than the rest of a command, so they
// are loaded only when some text is not plainly one column per character.

export interface Measure {
  width(text: string): number;
  /** The text in pieces that must not be cut. */
  segments(text: string): Iterable<string>;
}

/**
 * Characters that always have width one: ASCII, Latin, Greek, Cyrillic, Armenian, punctuation, currencies, arrows, mathematics,
 * keys, boxes, and the signs beside the emoji that agents draw with.
 */
export const PLAIN =
  /^[\u0020-\u007E\u00A1-\u00AC\u00AE-\u02FF\u0370-\u0482\u048A-\u0590\u2010-\u2027\u2030-\u205E\u20A0-\u20C0\u2100-\u2319\u231C-\u2328\u232B-\u23E8\u23ED-\u23EF\u23F1\u23F2\u23F4-\u25FC\u25FF-\u2613\u2616-\u262F\u2654-\u267E\u2694-\u26A0\u2701-\u2704\u2706-\u2709\u270C-\u2727\u2729-\u274B\u2756\u2758-\u2794\u2798-\u27AF\u27C0-\u2B1A\u2B1D-\u2B4F]*$/;

/** A character that always has width two: an emoji by itself, most of Chinese, Japanese and Korean. */
export const WIDE =
  /^(?:(?!\p{Emoji_Modifier}|\p{Regional_Indicator})\p{Emoji_Presentation}|[\u3001-\u3020\u3041-\u3096\u309B-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7A3\uFF01-\uFF60])$/u;

/** The width of a text in which no character changes the width of another; null for others. */
export const simpleWidth = (text: string): number | null => {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) {
    if (!PLAIN.test(character) && !WIDE.test(character)) return null;
    width += PLAIN.test(character) ? 1 : 2;
  }
  return width;
};

/** A text as the characters that a person sees. What cuts them is made when it is first needed, because that takes 9 ms. */
export const characters = ((): ((text: string) => Iterable<string>) => {
  let segmenter: Intl.Segmenter | null = null;
  const cut = function* (text: string): Generator<string> {
    segmenter ??= new Intl.Segmenter();
    for (const { segment } of segmenter.segment(text)) yield segment;
  };
  return (text) => (PLAIN.test(text) ? text : cut(text));
})();

export const PLAIN_MEASURE: Measure = {
  width: (text) => text.length,
  segments: (text) => text,
};

/** For wide, combined and zero-width characters, as terminals draw them. */
export const loadExactMeasure = async (): Promise<Measure> => {
  const { default: stringWidth } = await import("string-width");
  return { width: stringWidth, segments: characters };
};

/** The cheapest measure that is right for all given texts. */
export const measureFor = async (document: unknown): Promise<Measure> => {
  const text = JSON.stringify(document);
  return PLAIN.test(text) ? PLAIN_MEASURE : loadExactMeasure();
};
