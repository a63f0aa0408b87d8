// What an agent's screen shows now and which of its rows the rules matched, for `explain`. The stored evidence quotes only what
// was seen then; this reads the whole screen again with the same rules.
import type { Explanation } from "../model/view.ts";
import type { Pane } from "../model/runtime.ts";
import type { AgentAdapter, Screen } from "../ports/agentAdapter.ts";

type ScreenNow = NonNullable<Explanation["screen"]>;

/** How many rows around a matching one are shown too. */
const CONTEXT_ROWS = 2;
const MAX_ROWS = 30;
/** A shorter quote would be found everywhere. */
const MIN_QUOTE = 3;

const squeeze = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Rows that hold the quote or a part of it: an adapter's quote may span rows, or join several with a slash. */
export const matchingRows = (lines: readonly string[], matched: string): number[] => {
  const quotes = [matched, ...matched.split(" / ")].map(squeeze).filter((quote) => quote.length >= MIN_QUOTE);
  return lines.flatMap((line, row) => {
    const text = squeeze(line);
    const isMatch = quotes.some(
      (quote) => text.includes(quote) || (text.length > MIN_QUOTE && quote.includes(text)),
    );
    return isMatch ? [row] : [];
  });
};

export const describeScreen = (
  screen: Screen,
  adapter: Pick<AgentAdapter, "readScreen">,
  redact: (text: string) => string,
): ScreenNow => {
  const reading = adapter.readScreen(screen);
  if (reading === null) return { state: null, reason_code: null, matched: null, lines: [] };
  const { status, matched } = reading;
  const rows = new Set(matchingRows(screen.lines, matched));
  const isNear = (row: number): boolean => [...rows].some((one) => Math.abs(one - row) <= CONTEXT_ROWS);
  const lines = screen.lines.flatMap((text, row) =>
    isNear(row) ? [{ row: row + 1, text: redact(text), is_match: rows.has(row) }] : [],
  );
  return {
    state: status.state,
    reason_code: status.reasonCode,
    matched: redact(matched),
    lines: lines.slice(-MAX_ROWS),
  };
};

export type ReadScreenNow = (
  pane: Pane,
  adapter: Pick<AgentAdapter, "readScreen">,
) => Promise<Explanation["screen"]>;

/** Null where the screen cannot be read now. */
export const createScreenNow =
  (deps: {
    capture: (pane: Pane) => Promise<readonly string[] | null>;
    redact: (text: string) => string;
  }): ReadScreenNow =>
  async (pane, adapter) => {
    const lines = await deps.capture(pane);
    if (lines === null) return null;
    const { title, isAlternate, width, height } = pane;
    return describeScreen({ lines, title, isAlternate, width, height }, adapter, deps.redact);
  };
