// Many generated texts through a real pane, each byte compared.
import fc from "fast-check";
import { strippedNotes } from "../../../core/actions/typing.ts";
import { hostileText } from "./hostileTexts.ts";
import { openTextBench } from "./textBench.ts";

export interface TextTally {
  texts: number;
  bytes: number;
  largest: number;
  stripped: number;
}

/** @throws the smallest text that fast-check finds, when one arrived otherwise. */
export const surveyTexts = async (texts: number, seed: number): Promise<TextTally> => {
  const bench = await openTextBench();
  const tally: TextTally = { texts: 0, bytes: 0, largest: 0, stripped: 0 };
  const modes = fc.record({ isBracketed: fc.boolean(), pressEnter: fc.boolean() });
  try {
    await fc.assert(
      fc.asyncProperty(hostileText, modes, async (text, mode) => {
        const { bytes, expected, stripped, report } = await bench.send(text, mode);
        if (!bytes.equals(expected)) {
          const at = bytes.findIndex((byte, index) => byte !== expected[index]);
          const near = (all: Buffer): string =>
            JSON.stringify(all.subarray(Math.max(0, at - 10), at + 30).toString());
          throw new Error(
            `${bytes.length} of ${expected.length} bytes, from ${at}: ${near(bytes)} for ${near(expected)}`,
          );
        }
        const [note = "control character"] = strippedNotes(stripped);
        if (report.notes.some((one) => one.includes(note)) !== stripped > 0)
          throw new Error(`notes are ${report.notes.join("; ")} for ${stripped}`);
        tally.texts += 1;
        tally.bytes += bytes.length;
        tally.largest = Math.max(tally.largest, bytes.length);
        tally.stripped += stripped;
      }),
      { numRuns: texts, seed },
    );
  } finally {
    await bench.close();
  }
  return tally;
};
