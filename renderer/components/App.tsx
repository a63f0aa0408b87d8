// The popover: puts the header, the notices and the list together and holds what the person selected, expanded and
// filtered. What is shown comes from the feed alone.
import { useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { Host } from "../connection/connectHost.ts";
import { useActions } from "../hooks/useActions.ts";
import { useCollapsed } from "../hooks/useCollapsed.ts";
import { usePopoverKeys } from "../hooks/usePopoverKeys.ts";
import type { FeedStore } from "../state/feedStore.ts";
import { arrange, type Filter } from "../state/groups.ts";
import { listRows, moveSelection, type Row } from "../state/rows.ts";
import type { TickingClock } from "../state/tickingClock.ts";
import { paneName, waitAnnouncement } from "../text/paneText.ts";
import { ClockContext } from "./Age.tsx";
import { CommandDialog } from "./CommandDialog.tsx";
import { EmptyView, whyEmpty } from "./EmptyView.tsx";
import { FilterBar } from "./FilterBar.tsx";
import { GroupHeader } from "./GroupHeader.tsx";
import { ConnectionNotice, FailureNotice, ProblemNotice } from "./Notices.tsx";
import { PaneDetail } from "./PaneDetail.tsx";
import { PaneRow } from "./PaneRow.tsx";
import { RowList } from "./RowList.tsx";
import styles from "./App.module.css";

const NO_FILTER: Filter = { text: "", states: new Set() };

interface AppProps {
  host: Host;
  store: FeedStore;
  clock: TickingClock;
  onRetry: () => void;
}

export const App = ({ host, store, clock, onRetry }: AppProps) => {
  const feed = useSyncExternalStore(store.subscribe, store.getState);
  const [filter, setFilter] = useState(NO_FILTER);
  const [collapsed, toggleGroup] = useCollapsed();
  const [selectedKey, setSelectedKey] = useState<string | null>(null);
  const [openKey, setOpenKey] = useState<string | null>(null);
  const [focusRequest, setFocusRequest] = useState(0);
  const inputRef = useRef<HTMLInputElement>(null);
  const actions = useActions(host);

  const overview = useMemo(
    () => arrange(feed.panes.values(), feed.targets, filter),
    [feed.panes, feed.targets, filter],
  );
  const rows = useMemo(() => listRows(overview, collapsed), [overview, collapsed]);
  const selected = rows.find((row) => row.key === selectedKey);
  // With nothing selected the first row takes the tab key.
  const tabKey = selected?.key ?? moveSelection(rows, null, 1);
  const clockContext = useMemo(() => ({ clock, offsetMs: feed.clockOffsetMs }), [clock, feed.clockOffsetMs]);

  const select = (key: string | null) => {
    setSelectedKey(key);
    setFocusRequest((count) => count + 1);
  };
  const toggleRow = (row: Row) => {
    setSelectedKey(row.key);
    if (row.kind === "group") toggleGroup(row.key);
    if (row.kind === "pane") setOpenKey((open) => (open === row.key ? null : row.key));
  };
  const isExpanded = (row: Row) => (row.kind === "group" ? row.isOpen : row.key === openKey);

  usePopoverKeys({
    move: (step) => select(moveSelection(rows, selectedKey, step)),
    activate: () => {
      const row = selected ?? rows.find((candidate) => candidate.key === tabKey);
      if (row?.kind === "pane") actions.attach(row.pane);
      if (row?.kind === "group") toggleRow(row);
    },
    expand: () => {
      if (selected !== undefined && !isExpanded(selected)) toggleRow(selected);
      else if (selected?.kind === "pane") toggleRow(selected);
    },
    collapse: () => {
      if (selected !== undefined && isExpanded(selected)) toggleRow(selected);
    },
    focusFilter: () => inputRef.current?.focus(),
    escape: () => {
      if (actions.outcome !== null) actions.clearOutcome();
      else if (filter.text !== "" || filter.states.size > 0) setFilter(NO_FILTER);
      else if (openKey !== null) setOpenKey(null);
      else if (document.activeElement === inputRef.current) select(tabKey);
      else return false;
      return true;
    },
  });

  const renderRow = (row: Row) => {
    switch (row.kind) {
      case "heading":
        return (
          <h2 className={styles.heading}>
            {row.text} <span className={styles.count}>{row.count}</span>
          </h2>
        );
      case "note":
        return <p className={styles.note}>{row.text}</p>;
      case "group":
        return (
          <GroupHeader
            group={row.group}
            isOpen={row.isOpen}
            isSelected={row.key === selectedKey}
            isTabStop={row.key === tabKey}
            onToggle={() => toggleRow(row)}
            onFocus={() => setSelectedKey(row.key)}
          />
        );
      case "pane":
        return (
          <PaneRow
            pane={row.pane}
            isInInbox={row.isInInbox}
            isSelected={row.key === selectedKey}
            isTabStop={row.key === tabKey}
            isOpen={row.key === openKey}
            onToggle={() => toggleRow(row)}
            onFocus={() => setSelectedKey(row.key)}
            onAttach={() => actions.attach(row.pane)}
          >
            {row.key === openKey && (
              <PaneDetail api={host.api} pane={row.pane} onDismiss={() => actions.dismiss(row.pane)} />
            )}
          </PaneRow>
        );
    }
  };

  const isLost = feed.connection.kind === "lost";
  return (
    <ClockContext value={clockContext}>
      <div className={styles.app} data-connection={feed.connection.kind}>
        <FilterBar counts={overview.counts} filter={filter} inputRef={inputRef} onChange={setFilter} />
        <ConnectionNotice connection={feed.connection} onRetry={onRetry} />
        <ProblemNotice problems={overview.problems} />
        {actions.outcome?.kind === "failed" && (
          <FailureNotice failure={actions.outcome.failure} onClose={actions.clearOutcome} />
        )}
        <main className={styles.main} aria-label="Agents in tmux">
          {rows.length === 0 ? (
            <EmptyView
              why={whyEmpty({
                hasSnapshot: feed.hasSnapshot,
                isLost,
                total: overview.total,
                targets: feed.targets.values(),
              })}
            />
          ) : (
            <RowList
              rows={rows}
              selectedKey={tabKey}
              openKey={openKey}
              focusRequest={focusRequest}
              renderRow={renderRow}
            />
          )}
        </main>
        <div className={styles.announcer} role="log" aria-live="polite" aria-label="New waits">
          {waitAnnouncement(feed.newWaits)}
        </div>
        {actions.outcome?.kind === "command" && (
          <CommandDialog
            name={paneName(actions.outcome.pane)}
            command={actions.outcome.command}
            onClose={actions.clearOutcome}
          />
        )}
      </div>
    </ClockContext>
  );
};
