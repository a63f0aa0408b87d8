// How wide text is in a terminal. The exact answer needs tables that cost more start-up than the rest of a command, so they
// are loaded only when some text is not plainly one column per character.

export interface Measure {
  width(text: string): number;
  /** The text in pieces that must not be cut. */
  segments(text: string): Iterable<string>;
}

/** Characters that always have width one: ASCII, Latin, punctuation, arrows, boxes, Braille, our signs. */
export const PLAIN =
  /^[\u0020-\u007E\u00A1-\u00AC\u00AE-\u02FF\u2010-\u2027\u2030-\u205E\u2190-\u21FF\u2500-\u25FC\u2713\u2717\u2733\u2800-\u28FF]*$/;

export const PLAIN_MEASURE: Measure = {
  width: (text) => text.length,
  segments: (text) => text,
};

/** For wide, combined and zero-width characters, as terminals draw them. */
export const loadExactMeasure = async (): Promise<Measure> => {
  const { default: stringWidth } = await import("string-width");
  const segmenter = new Intl.Segmenter();
  return {
    width: stringWidth,
    segments: function* (text) {
      for (const { segment } of segmenter.segment(text)) yield segment;
    },
  };
};

/** The cheapest measure that is right for all given texts. */
export const measureFor = async (document: unknown): Promise<Measure> => {
  const text = JSON.stringify(document);
  return PLAIN.test(text) ? PLAIN_MEASURE : loadExactMeasure();
};
