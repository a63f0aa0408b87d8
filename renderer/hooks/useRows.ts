// The rows of the visible view, made from the feed and the person's choices; and which of its cards is selected without being
// asked for.
import { useEffect, useEffectEvent, useMemo, useState } from "react";
import type { ActionKind } from "../../ui/actions/actionStatus.ts";
import { moveSelection, nextWaiting, RowMemory, type Row } from "../../ui/lists/rows.ts";
import { HeldCards, type HeldRow } from "../state/heldCards.ts";
import { usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";

export const useRows = () => {
  const { feed, list } = usePopover();
  const { panes, targets } = useStore(feed);
  const { view, filter, collapsed, isMerged, selectedKey } = useStore(list);
  const [memory] = useState(() => new RowMemory());
  const overview = useMemo(() => memory.arrange(panes, targets, filter), [memory, panes, targets, filter]);
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

/** The rows with the places of cards that went away while the person points at the list. */
export const useHeldRows = (rows: readonly Row[]): readonly HeldRow[] => {
  const { pointing } = usePopover();
  const isPointing = useStore(pointing);
  const [cards] = useState(() => new HeldCards());
  return useMemo(() => cards.arrange(rows, isPointing), [cards, rows, isPointing]);
};

/** What the person is done with a card by. */
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
  useEffect(() => {
    let before = statuses.getState();
    return statuses.subscribe(() => {
      const now = statuses.getState();
      for (const [ref, status] of now)
        if (status.kind === "sending" && LEAVES.has(status.action) && before.get(ref)?.kind !== "sending")
          goOn(ref);
      before = now;
    });
  }, [statuses]);
};
