// A screen as one line: what an agent wraps at a narrow pane or puts into a frame is found by the same words.

/** Frames, rules and bars that agents draw around their text. */
const FRAME = /[\u2500-\u259f]+/g;

export const toOneLine = (screen: string): string =>
  screen.replaceAll(FRAME, " ").replaceAll(/\s+/g, " ").trim();

/** What stands behind the last time that the person's prompt is on the screen; all of it where the prompt is not. */
export const textAfter = (screen: string, prompt: string): string => {
  const line = toOneLine(screen);
  const at = line.lastIndexOf(toOneLine(prompt));
  return at < 0 ? line : line.slice(at + prompt.length);
};
