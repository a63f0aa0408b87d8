// A state in a terminal: a sign and a word, so that colour is never the only carrier.
import type { CanonicalState } from "../../core/model/state.ts";
import { stateCount, STATE_WORDS } from "../../core/model/words.ts";
import type { Colour, Paint } from "./paint.ts";
import type { Cell } from "./table.ts";

interface Mark {
  readonly sign: string;
  readonly colour: Colour;
}

export const MARKS: Readonly<Record<CanonicalState, Mark>> = {
  error: { sign: "✗", colour: "red" },
  waiting_approval: { sign: "!", colour: "yellow" },
  waiting_input: { sign: "?", colour: "magenta" },
  running: { sign: "▸", colour: "cyan" },
  completed: { sign: "✓", colour: "green" },
  idle: { sign: "·", colour: "dim" },
  unknown: { sign: "~", colour: "dim" },
};

/** Every state, most urgent first (the record's own order). */
export const STATE_NAMES: readonly string[] = Object.keys(MARKS);

export const isStateName = (text: string): text is CanonicalState => Object.hasOwn(MARKS, text);

/** Sign and word; a dash where there is no agent. */
export const stateCell = (state: CanonicalState | null, paint: Paint): Cell => {
  if (state === null) return { text: "-", paint: (text) => paint("dim", text) };
  const { sign, colour } = MARKS[state];
  return { text: `${sign} ${STATE_WORDS[state]}`, paint: (text) => paint(colour, text) };
};

/**
 * The states that occur, most urgent first: "! 1 needs approval · ▸ 2 running", or "!1 ▸2" if the first form is wider than
 * `room` columns (null: there is room for everything).
 */
export const describeCounts = (
  counts: Readonly<Record<CanonicalState, number>>,
  paint: Paint,
  room: number | null = null,
): string => {
  const parts: { long: string; short: string; colour: Colour }[] = [];
  for (const [state, { sign, colour }] of Object.entries(MARKS)) {
    const count = isStateName(state) ? counts[state] : 0;
    if (isStateName(state) && count > 0)
      parts.push({ long: `${sign} ${stateCount(state, count)}`, short: `${sign}${count}`, colour });
  }
  const isLong = room === null || parts.map(({ long }) => long).join(" · ").length <= room;
  return isLong
    ? parts.map(({ long, colour }) => paint(colour, long)).join(paint("dim", " · "))
    : parts.map(({ short, colour }) => paint(colour, short)).join(" ");
};
