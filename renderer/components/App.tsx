// The popover: puts the header, the notices and the rows of the view together. What is shown comes from the feed alone.
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from "react";
import type { PaneView } from "../../core/model/view.ts";
import type { Host } from "../connection/connectHost.ts";
import { useActions } from "../hooks/useActions.ts";
import { usePopoverKeys } from "../hooks/usePopoverKeys.ts";
import { useRows } from "../hooks/useRows.ts";
import { useRowTools } from "../hooks/useRowTools.ts";
import { useUninterruptible } from "../hooks/useUninterruptible.ts";
import { abilitiesOf, type Abilities } from "../state/abilities.ts";
import type { ActionDesk } from "../state/actionDesk.ts";
import type { DraftStore } from "../state/draftStore.ts";
import type { FeedState } from "../state/feedReducer.ts";
import type { FeedStore } from "../state/feedStore.ts";
import type { KeyCommand } from "../state/keys.ts";
import type { Row } from "../state/rows.ts";
import type { TickingClock } from "../state/tickingClock.ts";
import { paneName, waitAnnouncement } from "../text/paneText.ts";
import { ClockContext } from "./Age.tsx";
import { CommandDialog } from "./CommandDialog.tsx";
import { EmptyView, whyEmpty } from "./EmptyView.tsx";
import { FilterBar } from "./FilterBar.tsx";
import { GroupHeader } from "./GroupHeader.tsx";
import { KeySheet } from "./KeySheet.tsx";
import { KillDialog } from "./KillDialog.tsx";
import { ConnectionNotice, ProblemNotice } from "./Notices.tsx";
import { PaneItem } from "./PaneItem.tsx";
import { RowList } from "./RowList.tsx";
import { SessionRow } from "./SessionRow.tsx";
import { TargetRow } from "./TargetRow.tsx";
import { ViewBar } from "./ViewBar.tsx";
import { ViewTabs } from "./ViewTabs.tsx";
import { WindowHeading } from "./WindowHeading.tsx";
import styles from "./App.module.css";

interface AppProps {
  host: Host;
  store: FeedStore;
  clock: TickingClock;
  desk: ActionDesk;
  drafts: DraftStore;
  onRetry: () => void;
  onSettings: () => void;
  /** What the window has to say above the rows; null most of the time. */
  offer: ReactNode;
}

/** What can be done to a pane as it is shown now. */
const useAbilities = (host: Host, feed: FeedState): ((pane: PaneView) => Abilities) => {
  const isConnected = feed.connection.kind === "live";
  const uninterruptible = useUninterruptible(host.api, isConnected);
  return useCallback(
    (pane) =>
      abilitiesOf(pane, {
        isConnected,
        isUnreachable: feed.targets.get(pane.identity.target)?.health === "down",
        uninterruptible,
      }),
    [isConnected, feed.targets, uninterruptible],
  );
};

/** Tells the desk what is on the screen, and what is gone from it. */
const useDeskSight = (desk: ActionDesk, feed: FeedState, keys: readonly (string | null)[]) => {
  useLayoutEffect(() => {
    const shown = keys.flatMap((key) => (key === null ? [] : (feed.panes.get(key) ?? [])));
    desk.noteShown(
      shown.map((pane) => ({ ref: pane.identity.pane_ref, fingerprint: pane.prompt_fingerprint })),
    );
  });
  useEffect(() => desk.prune((ref) => feed.panes.has(ref)), [desk, feed.panes]);
};

export const App = (props: AppProps) => {
  const { host, store, clock, desk, drafts, onRetry, onSettings } = props;
  const feed = useSyncExternalStore(store.subscribe, store.getState);
  const statuses = useSyncExternalStore(desk.subscribe, desk.getStatuses);
  const drafted = useSyncExternalStore(drafts.subscribe, drafts.getDrafts);
  const [isHelpShown, setHelpShown] = useState(false);
  const inputRef = useRef<HTMLInputElement>(null);
  const rows = useRows(feed);
  const actions = useActions(host, desk);
  const abilitiesFor = useAbilities(host, feed);
  const tools = useRowTools({ rows, actions, desk, abilitiesFor });
  useDeskSight(desk, feed, [rows.selected?.key ?? null, rows.openKey]);
  const clockContext = useMemo(() => ({ clock, offsetMs: feed.clockOffsetMs }), [clock, feed.clockOffsetMs]);
  const { view, overview } = rows;

  const activate = () => {
    const row = rows.selected ?? rows.rows.find((candidate) => candidate.key === rows.tabKey);
    if (row?.kind === "pane") actions.attach(row.pane);
    else if (row !== undefined) rows.toggle(row);
  };
  const escape = (): boolean => {
    const key = rows.selected?.key;
    if (key !== undefined && statuses.has(key) && statuses.get(key)?.kind !== "sending") desk.clear(key);
    else if (rows.isFiltered) rows.clearFilter();
    else if (rows.openKey !== null) rows.close();
    else if (rows.back()) return true;
    else if (document.activeElement === inputRef.current) rows.select(rows.tabKey);
    else return false;
    return true;
  };
  const run = (command: KeyCommand): boolean => {
    if (command === "escape") return escape();
    if (typeof command === "object") {
      if (rows.selected?.kind === "pane") tools.run(rows.selected.pane, command);
      return true;
    }
    const { selected } = rows;
    switch (command) {
      case "moveDown":
        rows.move(1);
        break;
      case "moveUp":
        rows.move(-1);
        break;
      case "activate":
        activate();
        break;
      case "expand":
        if (selected !== undefined && (!rows.isExpanded(selected) || selected.kind === "pane"))
          rows.toggle(selected);
        break;
      case "collapse":
        if (selected !== undefined && rows.isExpanded(selected)) rows.toggle(selected);
        break;
      case "filter":
        inputRef.current?.focus();
        break;
      case "agents":
      case "sessions":
      case "targets":
        rows.go(command);
        break;
      case "help":
        setHelpShown(true);
        break;
      case "settings":
        onSettings();
        break;
      case "reply":
      case "approve":
      case "deny":
      case "output":
      case "interrupt":
      case "kill":
      case "dismiss":
        if (selected?.kind === "pane") tools.run(selected.pane, command);
        break;
    }
    return true;
  };
  usePopoverKeys(run);

  const renderRow = (row: Row) => {
    const common = {
      isSelected: row.key === rows.selected?.key,
      isTabStop: row.key === rows.tabKey,
      onFocus: () => rows.noteFocus(row.key),
    };
    switch (row.kind) {
      case "heading":
        return (
          <h2 className={styles.heading}>
            {row.text} <span className={styles.count}>{row.count}</span>
          </h2>
        );
      case "note":
        return <p className={styles.note}>{row.text}</p>;
      case "window":
        return <WindowHeading window={row.window} />;
      case "group":
        return (
          <GroupHeader {...common} group={row.group} isOpen={row.isOpen} onToggle={() => rows.toggle(row)} />
        );
      case "session":
        return <SessionRow {...common} session={row.session} onOpen={() => rows.toggle(row)} />;
      case "target":
        return <TargetRow {...common} target={row.target} />;
      case "pane":
        return (
          <PaneItem
            row={row}
            api={host.api}
            rows={rows}
            tools={tools}
            actions={actions}
            drafts={drafts}
            status={statuses.get(row.key)}
            hasDraft={drafted.has(row.key)}
            abilitiesFor={abilitiesFor}
            onStatusSeen={desk.clear}
          />
        );
    }
  };

  const measuredKeys = useMemo(() => {
    const targets = view.kind === "targets" ? rows.rows.map((row) => row.key) : [];
    return new Set([...statuses.keys(), ...(rows.openKey === null ? [] : [rows.openKey]), ...targets]);
  }, [statuses, rows.openKey, view.kind, rows.rows]);
  return (
    <ClockContext value={clockContext}>
      <div className={styles.app} data-connection={feed.connection.kind}>
        <FilterBar
          tabs={
            <ViewTabs
              view={view}
              problemCount={[...feed.targets.values()].filter(({ health }) => health !== "ok").length}
              onGo={rows.go}
              onHelp={() => setHelpShown(true)}
              onSettings={onSettings}
            />
          }
          hasChips={view.kind !== "targets"}
          counts={overview.counts}
          filter={rows.filter}
          inputRef={inputRef}
          onChange={rows.setFilter}
        />
        {props.offer}
        <ConnectionNotice connection={feed.connection} onRetry={onRetry} />
        {view.kind !== "targets" && (
          <ProblemNotice problems={overview.problems} onMore={() => rows.go("targets")} />
        )}
        <main className={styles.main} aria-label="Agents in tmux">
          <ViewBar view={view} isMerged={rows.isMerged} onMerge={rows.setMerged} onBack={rows.back} />
          {rows.rows.length === 0 ? (
            <EmptyView
              why={whyEmpty({
                hasSnapshot: feed.hasSnapshot,
                isLost: feed.connection.kind === "lost",
                total: overview.total,
                isFiltered: rows.isFiltered,
                targets: feed.targets.values(),
              })}
            />
          ) : (
            <RowList
              rows={rows.rows}
              selectedKey={rows.tabKey}
              measuredKeys={measuredKeys}
              openKey={rows.openKey}
              focusRequest={rows.focusRequest}
              renderRow={renderRow}
            />
          )}
        </main>
        <div className={styles.announcer} role="log" aria-live="polite" aria-label="New waits">
          {waitAnnouncement(feed.newWaits)}
        </div>
        {actions.command !== null && (
          <CommandDialog
            name={paneName(actions.command.pane)}
            command={actions.command.command}
            onClose={actions.closeCommand}
          />
        )}
        {tools.killing !== null && (
          <KillDialog
            api={host.api}
            pane={tools.killing}
            onKill={(signal) => {
              if (tools.killing !== null) actions.kill(tools.killing, signal);
            }}
            onClose={tools.closeKill}
          />
        )}
        {isHelpShown && <KeySheet onClose={() => setHelpShown(false)} />}
      </div>
    </ClockContext>
  );
};
