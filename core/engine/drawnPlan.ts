// Whether a dialog draws the plan that an event told. Pure. Events tell a plan as Markdown and agents draw it laid out: signs of
// lists and headings, fences and tables change, words do not.

/** Signs that Markdown gives a meaning, white space, and what frames and bullets are drawn with. */
const LAYOUT = /[\s#*_`~>|+\-=:\\[\]()!<\u2022\u2500-\u25ff]/gu;
/** Names the language of what it opens, which nobody draws. */
const FENCE = /^[ \t]*(`{3,}|~{3,}).*$/gmu;

const wordsOf = (markdown: string): string => markdown.replaceAll(FENCE, "").replaceAll(LAYOUT, "");

/** Fewer characters are found in any plan. */
const LEAST = 12;

/** `all`: every word is drawn. `part`: they are words of it, in a row, and the rest is out of sight. */
export const matchPlan = (told: string, drawn: string): "all" | "part" | "none" => {
  const [whole, seen] = [wordsOf(told), wordsOf(drawn)];
  if (whole === seen) return "all";
  return seen.length >= LEAST && whole.includes(seen) ? "part" : "none";
};
