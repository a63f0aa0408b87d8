// Which view is shown and which of its rows are selected and expanded: everything about the popover that is neither what the
// feed says nor what is done to panes.
import { useMemo, useState } from "react";
import { z } from "zod";
import type { FeedState } from "../../ui/lists/feedReducer.ts";
import type { Filter } from "../../ui/lists/groups.ts";
import { RowMemory } from "../../ui/lists/rowMemory.ts";
import { moveSelection, type Row } from "../../ui/lists/rows.ts";
import { parentOf, type TabKind, type View } from "../../ui/lists/views.ts";
import { useCollapsed } from "./useCollapsed.ts";
import { useStored } from "./useStored.ts";

const NO_FILTER: Filter = { text: "", states: new Set() };

const useMerged = () => useStored("agtmux.merged", z.boolean(), false);

export const useRows = (feed: FeedState) => {
  const [view, setView] = useState<View>({ kind: "agents" });
  const [filter, setFilter] = useState(NO_FILTER);
  const [isMerged, setMerged] = useMerged();
  const [collapsed, toggleGroup] = useCollapsed();
  const [selectedKey, setSelectedKey] = useState<string | null>(null);
  const [openKey, setOpenKey] = useState<string | null>(null);
  const [focusRequest, setFocusRequest] = useState(0);

  const [memory] = useState(() => new RowMemory());
  const overview = useMemo(
    () => memory.arrange(feed.panes, feed.targets, filter),
    [memory, feed.panes, feed.targets, filter],
  );
  const rows = useMemo(
    () => memory.list({ view, overview, targets: feed.targets, collapsed, text: filter.text, isMerged }),
    [memory, view, overview, feed.targets, collapsed, filter.text, isMerged],
  );
  const selected = selectedKey === null ? undefined : rows.find((row) => row.key === selectedKey);
  // With nothing selected the first row takes the tab key.
  const tabKey = selected?.key ?? moveSelection(rows, null, 1);

  const select = (key: string | null) => {
    setSelectedKey(key);
    setFocusRequest((count) => count + 1);
  };
  const show = (next: View, key: string | null) => {
    setView(next);
    setOpenKey(null);
    select(key);
  };
  return {
    view,
    filter,
    isMerged,
    overview,
    rows,
    selected,
    tabKey,
    openKey,
    focusRequest,
    setFilter,
    setMerged,
    select,
    /** The focus got there by itself. */
    noteFocus: setSelectedKey,
    move: (step: 1 | -1) => select(moveSelection(rows, selectedKey, step)),
    clearFilter: () => setFilter(NO_FILTER),
    isFiltered: filter.text !== "" || filter.states.size > 0,
    go: (kind: TabKind) => {
      if (kind !== view.kind) show({ kind }, null);
    },
    /** False when there is nothing to go back to. */
    back: (): boolean => {
      const parent = parentOf(view);
      if (parent === null) return false;
      show(parent, view.kind === "windows" ? `session:${view.sessionKey}` : null);
      return true;
    },
    isExpanded: (row: Row) => (row.kind === "group" ? row.isOpen : row.key === openKey),
    /** Expands a pane or a group, or collapses it; shows the windows of a session. */
    toggle: (row: Row) => {
      setSelectedKey(row.key);
      if (row.kind === "group") toggleGroup(row.key);
      if (row.kind === "pane") setOpenKey((open) => (open === row.key ? null : row.key));
      if (row.kind === "session") {
        const { key: sessionKey, name } = row.session;
        show({ kind: "windows", sessionKey, name, isMerged }, null);
      }
    },
    open: (key: string) => {
      setSelectedKey(key);
      setOpenKey(key);
    },
    close: () => setOpenKey(null),
  };
};

export type Rows = ReturnType<typeof useRows>;
