// Separates the answers of a batch. Pure. What panes show is hostile: a screen may print anything. So a marker is printed
// before each command of a batch and after the last. It holds a nonce of this batch, which no content can know, so no content
// can end its own answer or begin another.

/** What one command answered; when `isOk` is false, `lines` say why not. */
export interface CommandAnswer {
  isOk: boolean;
  lines: readonly string[];
}

/** The marker before command `index` (0-based); the one with the batch's length ends it. */
export const markerOf = (nonce: string, index: number): string => `agtmux-${nonce}-${index}`;

/** The lines of each of `count` commands; null: a marker is missing, so none of the answers can be trusted. */
export const parseTranscript = (stdout: string, nonce: string, count: number): string[][] | null => {
  const lines = stdout.split("\n");
  const answers: string[][] = [];
  let from = lines.indexOf(markerOf(nonce, 0));
  if (from === -1) return null;
  for (let index = 1; index <= count; index++) {
    const to = lines.indexOf(markerOf(nonce, index), from + 1);
    if (to === -1) return null;
    answers.push(lines.slice(from + 1, to));
    from = to;
  }
  return answers;
};
