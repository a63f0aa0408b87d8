// The control protocol: answers in pieces of any size, with forged lines in them, and broken ones.
import { StringDecoder } from "node:string_decoder";
import * as fc from "fast-check";
import { createControlClient } from "../../../core/tmux/controlClient.ts";
import { markerOf, parseControlTranscript, parseProcessTranscript } from "../../../core/tmux/transcript.ts";
import { createLineSplitter } from "../../../core/targets/executors/lineProcess.ts";
import { hold } from "../expectations.ts";
import { stubClock, stubLineProcess } from "../stubs.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { cutBytes, cutsArbitrary, hostileText, mutatedText } from "../mutateText.ts";
const NONCE = "00112233445566778899aabbccddeeff";

interface Answer {
  isOk: boolean;
  lines: string[];
}
/** What a control client receives for a batch: each command between two markers, notifications anywhere between blocks. */
const transcriptOf = (nonce: string, answers: readonly Answer[], noise: readonly string[]): string[] => {
  let number = 100;
  const block = (lines: readonly string[], isOk = true): string[] => {
    number += 1;
    return [`%begin 1795 ${number} 1`, ...lines, `${isOk ? "%end" : "%error"} 1795 ${number} 1`];
  };
  const lines = answers.flatMap((answer, index) => [
    ...block([markerOf(nonce, index)]),
    ...noise,
    ...block(answer.lines, answer.isOk),
    ...noise,
  ]);
  return [...lines, ...block([markerOf(nonce, answers.length)])];
};

const NOISE = ["%output %1 abc", "%window-add @1", "%session-changed $1 work", "%unlinked-window-close @9"];
const FORGED = [
  "%begin 1795 102 1",
  "%end 1795 102 1",
  "%error 1795 102 1",
  "%end 1795 104 1",
  "%exit",
  `agtmux-${"f".repeat(32)}-1`,
  "agtmux--1",
  "",
];
const line = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...FORGED) },
  { weight: 2, arbitrary: hostileText.map((text) => text.replaceAll("\n", " ").toWellFormed()) },
);
const answersArbitrary: fc.Arbitrary<Answer[]> = fc.array(
  fc.record({ isOk: fc.boolean(), lines: fc.array(line, { maxLength: 6 }) }),
  { minLength: 1, maxLength: 4 },
);

/**
 * What a pane shows cannot end its own answer. The one thing that the numbers of a block cannot tell is a line that closes
 * the block's own number before the real end with nothing but notifications after it; the last one counts.
 */
const controlTarget = defineTarget({
  name: "tmux/control answers in pieces",
  weight: 3,
  open: () => ({
    arbitrary: fc.record({
      answers: answersArbitrary,
      noise: fc.array(fc.constantFrom(...NOISE), { maxLength: 3 }),
      cuts: cutsArbitrary,
      isCutEverywhere: fc.boolean(),
    }),
    check: async ({ answers, noise, cuts, isCutEverywhere }) => {
      const { process, tell } = stubLineProcess();
      const ends: string[] = [];
      const client = createControlClient({
        process,
        clock: stubClock(),
        makeNonce: () => NONCE,
        onNotification: () => {},
        onEnd: (reason) => ends.push(reason),
      });
      const answered = client.send(answers.map(() => "list-panes -a"));
      const text = `${transcriptOf(NONCE, answers, noise).join("\n")}\n`;
      const splitter = createLineSplitter(tell);
      const decoder = new StringDecoder("utf8");
      const bytes = Buffer.from(text, "utf8");
      const pieces =
        isCutEverywhere && bytes.length < 3_000
          ? [...bytes].map((byte) => Buffer.of(byte))
          : cutBytes(bytes, cuts);
      for (const piece of pieces) splitter.push(decoder.write(piece));
      const got = await answered;
      hold(ends.length === 0, `the client ended: ${ends.join()}`);
      hold(got.length === answers.length, `${got.length} answers`);
      for (const [index, answer] of got.entries()) {
        hold(answer.isOk === answers[index]?.isOk, `answer ${index}: another status`);
        hold(
          answer.lines.join("\n") === answers[index]?.lines.join("\n"),
          `answer ${index}: ${JSON.stringify(answer.lines)}`,
        );
      }
    },
  }),
});

const brokenControlTarget = defineTarget({
  name: "tmux/control answers that are broken",
  weight: 2,
  open: () => {
    const two = [
      { isOk: true, lines: ["%5 1 2", "x"] },
      { isOk: false, lines: ["can't find pane"] },
    ];
    const whole = transcriptOf(NONCE, two, NOISE.slice(0, 2));
    return {
      arbitrary: mutatedText([whole.join("\n"), transcriptOf(NONCE, two.slice(1), []).join("\n")]),
      check: async (text) => {
        const lines = text.split("\n");
        for (const count of [0, 1, 2]) {
          const parsed = parseControlTranscript(lines, NONCE, count);
          hold(parsed === null || parsed.answers.length === count, "another number of answers");
          hold(parseProcessTranscript(text, NONCE, count).length <= count, "more answers than commands");
        }
        const { process, tell } = stubLineProcess();
        const client = createControlClient({
          process,
          clock: stubClock(),
          makeNonce: () => NONCE,
          onNotification: () => {},
          onEnd: () => {},
        });
        const answered = client.send(["a", "b"]).then(
          (answers) => hold(answers.length === 2, "another number of answers"),
          (error: unknown) =>
            hold(
              error instanceof Error && error.message.startsWith("tmux control client ended"),
              `another error: ${String(error)}`,
            ),
        );
        for (const one of lines) tell(one);
        await client.close();
        await answered;
      },
    };
  },
});

export const controlTargets = (): FuzzTarget[] => [controlTarget, brokenControlTarget];
