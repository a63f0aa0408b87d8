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
import type { Api, Host } from "../connection/connectHost.ts";
import { useActions, type Actions } from "../hooks/useActions.ts";
import { useCommands } from "../hooks/useCommands.ts";
import { useKeyHold } from "../hooks/useKeyHold.ts";
import { useRows, type Rows } from "../hooks/useRows.ts";
import { useUnfolded } from "../hooks/useUnfolded.ts";
import { useRowTools, type RowTools } from "../hooks/useRowTools.ts";
import { useUninterruptible } from "../hooks/useUninterruptible.ts";
import { abilitiesOf, type Abilities } from "../../ui/actions/abilities.ts";
import type { ActionDesk } from "../state/actionDesk.ts";
import type { DraftStore } from "../state/draftStore.ts";
import type { FeedState } from "../../ui/lists/feedReducer.ts";
import type { FeedStore } from "../state/feedStore.ts";
import type { Row } from "../../ui/lists/rows.ts";
import type { TickingClock } from "../state/tickingClock.ts";
import { agentName, paneName, panePlaceAndState, waitAnnouncement } from "../../ui/text/paneText.ts";
import { ClockContext } from "./Age.tsx";
import { CommandDialog } from "./CommandDialog.tsx";
import { ConfirmDialog } from "./ConfirmDialog.tsx";
import { EmptyView, whyEmpty } from "./EmptyView.tsx";
import { FilterBar } from "./FilterBar.tsx";
import { KeySheet } from "./KeySheet.tsx";
import { KillDialog } from "./KillDialog.tsx";
import { ConnectionNotice, ProblemNotice } from "./Notices.tsx";
import type { Live } from "./PaneItem.tsx";
import { RowList } from "./RowList.tsx";
import { RowView } from "./RowView.tsx";
import { ViewBar } from "./ViewBar.tsx";
import { ViewTabs } from "./ViewTabs.tsx";
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
const useAbilities = (
  host: Host,
  feed: FeedState,
  isShownWhole: (pane: PaneView) => boolean,
): ((pane: PaneView) => Abilities) => {
  const isConnected = feed.connection.kind === "live";
  const uninterruptible = useUninterruptible(host.api, isConnected);
  return useCallback(
    (pane) =>
      abilitiesOf(pane, {
        isConnected,
        isUnreachable: feed.targets.get(pane.identity.target)?.health === "down",
        uninterruptible,
        isShownWhole,
      }),
    [isConnected, feed.targets, uninterruptible, isShownWhole],
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

const useLive = (now: Live["current"]): Live => {
  const live = useRef(now);
  useLayoutEffect(() => {
    live.current = now;
  });
  return live;
};

/** Rows that hold more than a row of their kind. */
const useMeasuredKeys = (rows: Rows, statuses: ReadonlyMap<string, unknown>): ReadonlySet<string> =>
  useMemo(() => {
    const targets = rows.view.kind === "targets" ? rows.rows.map((row) => row.key) : [];
    return new Set([...statuses.keys(), ...(rows.openKey === null ? [] : [rows.openKey]), ...targets]);
  }, [statuses, rows.openKey, rows.view.kind, rows.rows]);

const ActionDialogs = ({ api, actions, tools }: { api: Api; actions: Actions; tools: RowTools }) => {
  const { command } = actions;
  const { killing, interrupting } = tools;
  return (
    <>
      {command !== null && (
        <CommandDialog
          name={paneName(command.pane)}
          command={command.command}
          onClose={actions.closeCommand}
        />
      )}
      {interrupting !== null && (
        <ConfirmDialog
          title={`Interrupt ${agentName(interrupting)} in ${paneName(interrupting)}?`}
          confirmLabel="Interrupt"
          onConfirm={() => actions.interrupt(interrupting)}
          onClose={tools.closeInterrupt}
        >
          {/* Not a button: whoever only typed on presses nothing. */}
          <p tabIndex={-1} data-first-focus="true">
            {panePlaceAndState(interrupting)}
          </p>
        </ConfirmDialog>
      )}
      {killing !== null && (
        <KillDialog
          api={api}
          pane={killing}
          onKill={(signal) => actions.kill(killing, signal)}
          onClose={tools.closeKill}
        />
      )}
    </>
  );
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
  const unfolded = useUnfolded();
  const abilitiesFor = useAbilities(host, feed, unfolded.isShownWhole);
  const tools = useRowTools({ rows, actions, desk, abilitiesFor, unfold: unfolded.unfold });
  const hold = useKeyHold(desk);
  const areKeysHeld = useSyncExternalStore(hold.subscribe, hold.isHeld);
  useDeskSight(desk, feed, [rows.selected?.key ?? null, rows.openKey]);
  const clockContext = useMemo(() => ({ clock, offsetMs: feed.clockOffsetMs }), [clock, feed.clockOffsetMs]);
  const { view, overview } = rows;

  useCommands({ rows, tools, actions, desk, hold, inputRef, onHelp: () => setHelpShown(true), onSettings });

  const live = useLive({ rows, tools, actions, hold });
  const renderRow = (row: Row) => (
    <RowView
      row={row}
      api={host.api}
      live={live}
      isSelected={row.key === rows.selected?.key}
      isTabStop={row.key === rows.tabKey}
      isOpen={row.key === rows.openKey}
      isReplying={tools.isReplying(row.key)}
      isOutputShown={tools.isOutputShown(row.key)}
      isShownWhole={row.kind === "pane" && unfolded.isShownWhole(row.pane)}
      drafts={drafts}
      status={statuses.get(row.key)}
      hasDraft={drafted.has(row.key)}
      abilitiesFor={abilitiesFor}
      onStatusSeen={desk.clear}
    />
  );

  const measuredKeys = useMeasuredKeys(rows, statuses);
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
        {areKeysHeld && (
          <p className={styles.held} role="status">
            <span>Keys do nothing until you move: by an arrow, Esc or a click.</span>
          </p>
        )}
        <ActionDialogs api={host.api} actions={actions} tools={tools} />
        {isHelpShown && <KeySheet onClose={() => setHelpShown(false)} />}
      </div>
    </ClockContext>
  );
};
