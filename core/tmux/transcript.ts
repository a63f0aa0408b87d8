// Takes the answers of a batch apart. Pure. What panes show is hostile: a screen may print `%end 1 2 1`, even with the
// right numbers. So between any two commands of a batch a `display-message -p` prints a marker that holds a nonce made
// for this batch only; content cannot know it, hence cannot end its own answer or begin another's.

/** What one command answered; when `isOk` is false, `lines` is tmux's message. */
export interface CommandAnswer {
  isOk: boolean;
  lines: readonly string[];
}

/** The marker before command `index` (0-based); the one with the batch's length ends it. */
export const markerOf = (nonce: string, index: number): string => `agtmux-${nonce}-${index}`;

interface Section {
  answer: CommandAnswer;
  notifications: string[];
}

/**
 * One section of a control-mode transcript: what stands between two marker lines, which is the end of the first marker's
 * block, notifications, the command's own block, notifications, and the begin of the next marker's block. The block's
 * begin is the first `%begin` (notifications never look like one); its end is the *last* line that closes that number.
 */
const parseSection = (lines: readonly string[]): Section | null => {
  if (
    lines.length < 4 ||
    !/^%(?:end|error) /.test(lines[0] ?? "") ||
    !(lines.at(-1) ?? "").startsWith("%begin ")
  )
    return null;
  const inner = lines.slice(1, -1);
  const begin = inner.findIndex((line) => line.startsWith("%begin "));
  if (begin === -1) return null;
  const number = (inner[begin] ?? "").slice("%begin ".length);
  const isEnd = (line: string): boolean => line === `%end ${number}` || line === `%error ${number}`;
  const end = inner.findLastIndex(isEnd);
  if (end <= begin) return null;
  return {
    answer: { isOk: (inner[end] ?? "").startsWith("%end"), lines: inner.slice(begin + 1, end) },
    notifications: [...inner.slice(0, begin), ...inner.slice(end + 1)],
  };
};

/**
 * `lines`: everything received from the sending of a batch of `count` commands up to and with its last marker. Null: not
 * of that form, so nothing of it can be trusted.
 */
export const parseControlTranscript = (
  lines: readonly string[],
  nonce: string,
  count: number,
): { answers: CommandAnswer[]; notifications: string[] } | null => {
  const markers = Array.from({ length: count + 1 }, (_, index) => lines.indexOf(markerOf(nonce, index)));
  const first = markers[0] ?? -1;
  if (first < 1 || !(lines[first - 1] ?? "").startsWith("%begin ")) return null;
  const answers: CommandAnswer[] = [];
  const notifications = lines.slice(0, first - 1).filter((line) => line.startsWith("%"));
  for (let index = 0; index < count; index++) {
    const from = markers[index] ?? -1;
    const to = markers[index + 1] ?? -1;
    const section = from === -1 || to <= from ? null : parseSection(lines.slice(from + 1, to));
    if (section === null) return null;
    answers.push(section.answer);
    notifications.push(...section.notifications);
  }
  return { answers, notifications };
};

/**
 * The same for the output of one process that ran `marker ; command ; marker ; …`. tmux stops such a sequence at the
 * first command that fails, so there may be fewer answers than commands: those of the commands before it.
 */
export const parseProcessTranscript = (stdout: string, nonce: string, count: number): CommandAnswer[] => {
  const lines = stdout.split("\n");
  const answers: CommandAnswer[] = [];
  let from = lines.indexOf(markerOf(nonce, 0));
  for (let index = 1; index <= count && from !== -1; index++) {
    const to = lines.indexOf(markerOf(nonce, index), from + 1);
    if (to === -1) break;
    answers.push({ isOk: true, lines: lines.slice(from + 1, to) });
    from = to;
  }
  return answers;
};
