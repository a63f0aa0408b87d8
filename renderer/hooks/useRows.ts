// The rows of the visible view, made from the feed and the person's choices.
import { useMemo, useState } from "react";
import { RowMemory } from "../../ui/lists/rows.ts";
import { moveSelection } from "../../ui/lists/rows.ts";
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
