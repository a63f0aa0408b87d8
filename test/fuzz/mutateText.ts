// Mutations of recorded texts and bytes: what a parser may meet when a file is cut, a program lies or a line is broken.
// A case is a seed and a few numbers, so that it is cheap to make and shrinks to few mutations.
import * as fc from "fast-check";
import { fragmentAt } from "./hostileText.ts";

/** No case is larger; real bounds of this size are tested beside the code that has them. */
const MAX_LENGTH = 300_000;

/** What happens, where, how much, and a second place. */
type Step = readonly [kind: number, at: number, amount: number, other: number];

const RANGE = 0xff_ff_ff;
const stepArbitrary: fc.Arbitrary<Step> = fc.tuple(fc.nat(0xff), fc.nat(RANGE), fc.nat(RANGE), fc.nat(RANGE));
export const stepsArbitrary = (maxLength = 6): fc.Arbitrary<Step[]> => fc.array(stepArbitrary, { maxLength });

/** A place in a text; spread over it whatever its length. */
const placeIn = (length: number, at: number): number => Math.floor((at / RANGE) * length);
const splice = (text: string, from: number, to: number, middle: string): string =>
  text.slice(0, from) + middle + text.slice(to);

const HUGE_NUMBERS = ["1e308", "-1", "0", "-0", "4294967296", "9".repeat(30), "0x10", "1.5", "00", ""];
const LINE_ENDS = ["\r\n", "\r", "\n\r", "\u2028", "\n\n", "\0", ""];

type Mutation = (text: string, at: number, amount: number, other: string) => string;

const replaceNumber: Mutation = (text, at, amount) => {
  const found = /\d+/g;
  found.lastIndex = placeIn(text.length, at);
  const match = found.exec(text);
  if (match === null) return text;
  const number = HUGE_NUMBERS[amount % HUGE_NUMBERS.length] ?? "";
  return splice(text, match.index, match.index + match[0].length, number);
};

const changeLines: Mutation = (text, at, amount) => {
  const lines = text.split("\n");
  const index = placeIn(lines.length, at);
  const line = lines[index] ?? "";
  if (amount % 3 === 0) lines.splice(index, 1);
  else if (amount % 3 === 1) lines.splice(index, 0, line);
  else lines.splice(placeIn(lines.length, amount), 0, ...lines.splice(index, 1));
  return lines.join("\n");
};

const MUTATIONS: readonly Mutation[] = [
  (text, at) => text.slice(0, placeIn(text.length, at)),
  (text, at) => text.slice(placeIn(text.length, at)),
  (text, at, amount) => splice(text, placeIn(text.length, at), placeIn(text.length, at), fragmentAt(amount)),
  (text, at, amount) =>
    splice(
      text,
      placeIn(text.length, at),
      placeIn(text.length, at),
      String.fromCharCode(amount & (amount & 0x10000 ? 0xffff : 0xff)),
    ),
  (text, at, amount) => splice(text, placeIn(text.length, at), placeIn(text.length, at) + (amount % 40), ""),
  (text, at, amount) =>
    splice(text, placeIn(text.length, at), placeIn(text.length, at) + (amount % 40), fragmentAt(amount >> 6)),
  (text, at, amount) => {
    const from = placeIn(text.length, at);
    const span = text.slice(from, from + 1 + (amount % 200));
    return splice(text, from, from, span.repeat((amount >> 8) % 50));
  },
  (text, at, amount) => {
    const from = placeIn(text.length, at);
    const code = text.charCodeAt(from);
    return Number.isNaN(code)
      ? text
      : splice(text, from, from + 1, String.fromCharCode(code ^ (1 << (amount % 8))));
  },
  replaceNumber,
  changeLines,
  (text, _at, amount) => text.replaceAll("\n", LINE_ENDS[amount % LINE_ENDS.length] ?? ""),
  (text, at, amount, other) =>
    text.slice(0, placeIn(text.length, at)) + other.slice(placeIn(other.length, amount)),
  (text, at, amount) => {
    const from = placeIn(text.length, at);
    return splice(text, from, from, (text[from] ?? "x").repeat(amount % 64 === 0 ? 50_000 : amount % 300));
  },
];

/** The text after all steps; `seeds` are what it may be spliced with. */
const mutate = (seed: string, steps: readonly Step[], seeds: readonly string[]): string => {
  let text = seed;
  for (const [kind, at, amount, other] of steps) {
    const mutation = MUTATIONS[kind % MUTATIONS.length];
    text = (mutation?.(text, at, amount, seeds[other % seeds.length] ?? "") ?? text).slice(0, MAX_LENGTH);
  }
  return text;
};

/** One of the seeds, changed in at most `maxSteps` places; sometimes not at all. */
export const mutatedText = (seeds: readonly string[], maxSteps = 6): fc.Arbitrary<string> => {
  if (seeds.length === 0) throw new Error("mutatedText: no seeds");
  return fc
    .tuple(fc.nat(seeds.length - 1), stepsArbitrary(maxSteps))
    .map(([index, steps]) => mutate(seeds[index] ?? "", steps, seeds));
};

/** Any text that a person or a program may choose: short and long, of every kind of character. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.nat(1_000).map(fragmentAt) },
  {
    weight: 2,
    arbitrary: fc.array(fc.nat(0xff_ff), { maxLength: 40 }).map((codes) => String.fromCharCode(...codes)),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(1_000), fc.nat(1_000)).map(([a, b]) => fragmentAt(a) + fragmentAt(b)),
  },
  { weight: 2, arbitrary: fc.string({ maxLength: 30 }) },
);

/** The same as bytes, with broken UTF-8 here and there. */
export const mutatedBytes = (texts: fc.Arbitrary<string>): fc.Arbitrary<Buffer> =>
  fc.tuple(texts, fc.array(fc.tuple(fc.nat(RANGE), fc.nat(0xff)), { maxLength: 3 })).map(([text, flips]) => {
    const bytes = Buffer.from(text, "utf8");
    for (const [at, value] of flips)
      if (bytes.length > 0) bytes[Math.min(placeIn(bytes.length, at), bytes.length - 1)] = value;
    return bytes;
  });

/** Where a stream is cut into chunks: places in it, ascending. */
export const cutsArbitrary: fc.Arbitrary<number[]> = fc
  .array(fc.nat(RANGE), { maxLength: 12 })
  .map((places) => places.toSorted((a, b) => a - b));

/** The stream in pieces. */
export const cutBytes = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const places = [0, ...cuts.map((at) => placeIn(bytes.length, at)), bytes.length];
  return places.slice(1).map((to, index) => bytes.subarray(places[index], to));
};
