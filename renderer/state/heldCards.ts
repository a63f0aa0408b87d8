// Keeps the place of a card that went away while the person points at the list, so that no other card moves below the pointer.
// The place is given up once the pointer leaves, or a key is pressed.
import type { Row } from "../../ui/lists/rows.ts";

/** A row, or the place where a card was. */
export type HeldRow = Row | { kind: "gone"; key: string; cardKey: string };

const cardKeyOf = (row: HeldRow): string | null => {
  if (row.kind === "gone") return row.cardKey;
  return row.kind === "pane" && row.pane.needs_action ? row.key : null;
};

const goneRow = (cardKey: string): HeldRow => ({ kind: "gone", key: `gone:${cardKey}`, cardKey });

/** `rows` with the cards that were in `before` at their old places. */
const keepPlaces = (rows: readonly Row[], before: readonly HeldRow[]): readonly HeldRow[] => {
  const cards = new Set(rows.map(cardKeyOf));
  const isGone = (row: HeldRow): boolean => {
    const key = cardKeyOf(row);
    return key !== null && !cards.has(key);
  };
  if (!before.some(isGone)) return rows;
  const heading = before.find((row) => row.kind === "heading");
  const hasHeading = rows.some((row) => row.kind === "heading");
  const rest = [...(hasHeading || heading === undefined ? [] : [heading]), ...rows];
  const kept: HeldRow[] = [];
  for (const row of before) {
    const key = cardKeyOf(row);
    if (isGone(row)) kept.push(goneRow(key ?? ""));
    // What stood before this card, and what is new above it.
    else if (key !== null || row.kind === "heading")
      while (rest.length > 0 && kept.at(-1)?.key !== row.key) kept.push(...rest.splice(0, 1));
  }
  return [...kept, ...rest];
};

export class HeldCards {
  private before: readonly HeldRow[] = [];

  arrange(rows: readonly Row[], isHeld: boolean): readonly HeldRow[] {
    this.before = isHeld ? keepPlaces(rows, this.before) : rows;
    return this.before;
  }
}
