// Which rows of a screen are new since the last look. Pure. Only what is seen is known: a screen that scrolls faster than it is
// looked at loses rows, and that is said.

/** What the last look saw. */
export interface ScreenMemory {
  /** How often each row that counted was there. */
  readonly rows: ReadonlyMap<string, number>;
  /** The last row with anything in it: a program may still be writing it. */
  readonly last: string | null;
}

export interface NewLines {
  readonly memory: ScreenMemory;
  /** In order, from the top. Empty at the first look, which only learns what is there. */
  readonly added: readonly string[];
  /** Nothing of the last look is left: what came in between was not seen. */
  readonly hasGap: boolean;
}

const countRows = (rows: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1);
  return counts;
};

/** Rows are compared as a set with counts, which also fits programs that redraw the screen in place. */
export const takeNewLines = (before: ScreenMemory | null, lines: readonly string[]): NewLines => {
  const filled = lines.map((line) => line.trimEnd()).filter((line) => line !== "");
  const last = filled.at(-1) ?? null;
  // The last row is complete once another follows it, or once it stayed as it was for a whole look.
  const complete = last !== null && before !== null && before.last === last ? filled : filled.slice(0, -1);
  const rows = countRows(complete);
  const memory = { rows, last };
  if (before === null) return { memory: { rows: countRows(filled), last }, added: [], hasGap: false };
  const left = new Map(before.rows);
  const added = complete.filter((row) => {
    const known = left.get(row) ?? 0;
    left.set(row, known - 1);
    return known <= 0;
  });
  const hasGap = before.rows.size > 0 && complete.length > 0 && added.length === complete.length;
  return { memory, added, hasGap };
};
