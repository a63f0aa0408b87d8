// A long document with twenty changes on either side and a long answer, as a session of weeks has them.

export interface LargeEdit {
  readonly base: string;
  readonly agent: string;
  readonly person: string;
  /** Lines that have to be in the merged text once. */
  readonly kept: readonly string[];
}

const CHANGES = 20;
const ANSWER_LINES = 200;
const WORDS = ["plan", "bridge", "tests", "because", "later", "which", "never", "the", "of", "under"];

export const makeLarge = (random: () => number, bytes: number): LargeEdit => {
  const word = () => WORDS[Math.floor(random() * WORDS.length)] ?? "";
  const sentence = () => Array.from({ length: 9 }, word).join(" ");
  const lines: string[] = [];
  for (let size = 0; size < bytes; size += (lines.at(-1)?.length ?? 0) + 1)
    lines.push(random() < 0.2 ? "" : `- ${sentence()}`);
  const change = (who: string): string[] => {
    const changed = [...lines];
    for (let made = 0; made < CHANGES; made += 1) {
      const at = Math.floor(random() * changed.length);
      if (random() < 0.5) changed.splice(at, 0, `${who} ${made} ${sentence()}`);
      else changed[at] = `${changed[at]} ${who}${made}`;
    }
    return changed;
  };
  const answer = Array.from({ length: ANSWER_LINES }, (_one, index) => `answer ${index}: ${sentence()}`);
  const [agent, person] = [[...change("agent"), ...answer], change("person")];
  const kept = [...agent, ...person].filter((line) => /^(?:agent|person|answer) \d/.test(line));
  const join = (all: readonly string[]) => `${all.join("\n")}\n`;
  return { base: join(lines), agent: join(agent), person: join(person), kept };
};
