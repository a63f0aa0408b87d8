// The rows of the visible view, made from the feed and the person's choices; the places of cards that went away; and which card is
// selected by itself.
import { type Row, moveSelection, nextWaiting, RowMemory } from "../../ui/lists/rows.ts";
import { useEffect, useEffectEvent, useMemo, useState } from "react";
import type { ActionKind } from "../../ui/actions/actionStatus.ts";
import { isFiltered } from "../state/listStore.ts";
import { usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";

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

/** Keeps the place of a card that went away while the person points at the list, so that no other moves below the pointer. */
export class HeldCards {
  private before: readonly HeldRow[] = [];

  arrange(rows: readonly Row[], isHeld: boolean): readonly HeldRow[] {
    this.before = isHeld ? keepPlaces(rows, this.before) : rows;
    return this.before;
  }
}

export const useRows = () => {
  const { feed, list } = usePopover();
  const { panes, targets } = useStore(feed);
  const state = useStore(list);
  const { view, filter, collapsed, isMerged, selectedKey } = state;
  const [memory] = useState(() => new RowMemory());
  // Without a search every row is found, and a move arranges nothing again.
  const keptKey = isFiltered(state) ? selectedKey : null;
  const overview = useMemo(
    () => memory.arrange(panes, targets, filter, keptKey),
    [memory, panes, targets, filter, keptKey],
  );
  const rows = useMemo(
    () => memory.list({ view, overview, targets, collapsed, text: filter.text, isMerged }),
    [memory, view, overview, targets, collapsed, filter.text, isMerged],
  );
  const selected = selectedKey === null ? undefined : rows.find((row) => row.key === selectedKey);
  return {
    overview,
    rows,
    selected,
    /** The one row that the tab key reaches: the first while none is selected. */
    tabKey: selected?.key ?? moveSelection(rows, null, 1),
  };
};

export type ShownRows = ReturnType<typeof useRows>;

/** Rows with the places of cards that went away; these are given up once the pointer leaves or a key is pressed. */
export const useHeldRows = (rows: readonly Row[]): readonly HeldRow[] => {
  const { pointing } = usePopover();
  const isPointing = useStore(pointing);
  const [cards] = useState(() => new HeldCards());
  return useMemo(() => cards.arrange(rows, isPointing), [cards, rows, isPointing]);
};

/** Actions after which the person is done with a card. */
const LEAVES: ReadonlySet<ActionKind> = new Set(["answer", "dismiss"]);

/** The first card is selected while no row is, and the next one once the person answered or dismissed one. */
export const useNextCard = ({ rows, selected }: ShownRows): void => {
  const { list, statuses, pointing } = usePopover();
  const isInbox = useStore(list, ({ view }) => view.kind === "agents");
  const first = isInbox && selected === undefined ? nextWaiting(rows, null, () => false) : null;
  useEffect(() => {
    if (first !== null) list.preselect(first);
  }, [list, first]);

  const goOn = useEffectEvent((ref: string) => {
    if (list.getState().selectedKey !== ref || list.getState().replyKey === ref) return;
    const all = statuses.getState();
    const next = nextWaiting(rows, ref, (key) => all.get(key)?.kind === "sending");
    // Scrolling to it would move things below the pointer.
    if (next !== null && pointing.getState()) list.noteFocus(next);
    else if (next !== null) list.select(next);
  });
  useEffect(
    () =>
      statuses.follow((ref, status, before) => {
        if (status.kind === "sending" && LEAVES.has(status.action) && before?.kind !== "sending") goOn(ref);
      }),
    [statuses],
  );
};
