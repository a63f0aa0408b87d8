// The popover: puts the header, the banners, the rows of the view, the footer and the dialogs together, and says why a list is
// empty. The rows come from the feed.
import type { Connection } from "../../ui/lists/feedReducer.ts";
import type { Problem } from "../../ui/lists/groups.ts";
import { displayLine, displaySentence } from "../../ui/text/displayText.ts";
import { nearlyUsedText } from "../../ui/text/limitText.ts";
import { Countdown, useTimeText } from "./Age.tsx";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import type { TargetView } from "../../core/model/view.ts";
import { asksItself, showsAgents, tabOf, type TabKind } from "../../ui/lists/rows.ts";
import { agentLimits } from "../../ui/actions/disabledReasons.ts";
import { machinesOf, waitAnnouncement } from "../../ui/text/rowText.ts";
import { useKeyboard } from "../hooks/useKeyboard.ts";
import { useHeldRows, useNextCard, useRows, type ShownRows } from "../hooks/useRows.ts";
import { showCount } from "../state/browserSigns.ts";
import { isFiltered } from "../state/listStore.ts";
import { usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";
import { ActionDialogs } from "./ActionDialogs.tsx";
import { Header, ViewBar, ViewTabs } from "./Header.tsx";
import { HistoryView } from "./HistoryView.tsx";
import { JobsView } from "./JobsView.tsx";
import { RowList } from "./RowList.tsx";
import { RowView } from "./RowView.tsx";
import { ShortcutsDialog } from "./Shortcuts.tsx";
import { StartDialog } from "./StartDialog.tsx";
import { WideDetail } from "./PaneDetail.tsx";
import styles from "./App.module.css";
import message from "./Message.module.css";

// Banners between the header and the list: a lost connection, and targets that cannot be read.

const ConnectionBanner = ({ connection, onRetry }: { connection: Connection; onRetry: () => void }) => {
  if (connection.kind !== "lost") return null;
  return (
    <div className={styles.notice} data-kind="lost">
      <p role="status">
        <strong>Disconnected.</strong> What you see may be out of date. {displaySentence(connection.message)}
      </p>
      <button type="button" className={styles.button} onClick={onRetry}>
        {connection.retryAt === null ? (
          "Try again"
        ) : (
          <>
            Retry <Countdown until={connection.retryAt} />
          </>
        )}
      </button>
    </div>
  );
};

/** The view of targets shows the rest. */
const MAX_PROBLEMS = 2;

interface ProblemBannerProps {
  problems: readonly Problem[];
  onMore: () => void;
}

const ProblemBanner = ({ problems, onMore }: ProblemBannerProps) => {
  if (problems.length === 0) return null;
  const more = problems.length - MAX_PROBLEMS;
  return (
    <div className={styles.notice} data-kind="problem">
      <div className={styles.problems} role="status" aria-label="Problems">
        <ul>
          {problems.slice(0, MAX_PROBLEMS).map((problem) => (
            <li key={problem.key}>{displayLine(problem.text)}</li>
          ))}
        </ul>
      </div>
      {more > 0 && (
        <button type="button" className={styles.button} onClick={onMore}>
          {more} more
        </button>
      )}
    </div>
  );
};

/** A quiet line while an account is nearly used up. */
const LimitNote = () => {
  const { targets } = useStore(usePopover().feed);
  const text = useTimeText((now) => nearlyUsedText(targets.values(), now));
  return text === "" ? null : (
    <p className={styles.notice} role="note" aria-label="Limits">
      {text}
    </p>
  );
};

// Footer: the keys, below the list. A message about the keyboard replaces them, so that nothing moves.

const KEYS: readonly (readonly [string, string])[] = [
  ["↑↓", "move"],
  ["⏎", "attach"],
  ["N", "next waiting"],
  ["R", "reply"],
  ["/", "search"],
];

interface FooterProps {
  /** A sentence instead of the keys. */
  message: string | null;
  onHelp: () => void;
}

const Footer = ({ message, onHelp }: FooterProps) => (
  <footer className={styles.footer}>
    <div className={styles.text}>
      {message === null ? (
        KEYS.map(([key, word]) => (
          <span key={key} className={styles.entry}>
            <kbd className={styles.key}>{key}</kbd> {word}
          </span>
        ))
      ) : (
        <p className={styles.message} role="status">
          <span>{message}</span>
        </p>
      )}
    </div>
    <button
      type="button"
      className={styles.help}
      aria-label="Keyboard shortcuts"
      aria-keyshortcuts="?"
      title="Keyboard shortcuts (?)"
      onClick={onHelp}
    >
      ?
    </button>
  </footer>
);

interface AppProps {
  onSettings: () => void;
  /** A message of the window above the rows; null most of the time. */
  offer: ReactNode;
}

/** Asks once per connection what the daemon cannot do to which agents. */
const useLimits = (): void => {
  const { host, feed, limits } = usePopover();
  const isConnected = useStore(feed, ({ connection }) => connection.kind === "live");
  useEffect(() => {
    if (!isConnected) return;
    const aborter = new AbortController();
    host.api.adapters.query(undefined, { signal: aborter.signal }).then(
      ({ items }) => limits.set(agentLimits(items)),
      // The daemon is old, or there is none. A daemon refuses what it cannot do in any case.
      () => {},
    );
    return () => aborter.abort();
  }, [host.api, limits, isConnected]);
};

/** Forgets what was done to panes that are gone. */
const useKnownPanes = (): void => {
  const { feed, statuses } = usePopover();
  const { panes } = useStore(feed);
  useEffect(() => statuses.prune((ref) => panes.has(ref)), [statuses, panes]);
};

/** After a refusal keys do nothing until the person clicks, or the popover is shown again. */
const useKeyHold = (): boolean => {
  const { hold, statuses, host } = usePopover();
  const { visibility } = host;
  useEffect(
    () =>
      statuses.follow((_ref, { kind }) => {
        if (kind === "refused" || kind === "lost") hold.hold();
      }),
    [statuses, hold],
  );
  useEffect(() => {
    window.addEventListener("pointerdown", hold.release, true);
    const stop = visibility.subscribe(() => {
      if (visibility.isVisible()) hold.release();
    });
    return () => {
      window.removeEventListener("pointerdown", hold.release, true);
      stop();
    };
  }, [hold, visibility]);
  return useStore(hold);
};

/** Rows whose height is measured, and rows that stay in the document. */
const useRowKinds = ({ rows }: ShownRows) => {
  const { list, statuses } = usePopover();
  const { openKey, replyKey } = useStore(list);
  const withStatus = useStore(statuses);
  return useMemo(() => {
    const pinned = new Set([...withStatus.keys(), openKey, replyKey].filter((key) => key !== null));
    const measured = new Set(pinned);
    for (const row of rows)
      if (row.kind === "target" || (row.kind === "pane" && row.pane.needs_action)) measured.add(row.key);
    return { pinned, measured };
  }, [withStatus, openKey, replyKey, rows]);
};

/** In a browser the title and the icon say how many need the person. */
const useCountSign = (): void => {
  const { feed, signs } = usePopover();
  const count = useStore(feed, ({ panes }) =>
    signs === null ? 0 : [...panes.values()].filter((pane) => pane.needs_action).length,
  );
  useEffect(() => {
    if (signs !== null) showCount(document, count);
  }, [signs, count]);
};

const WIDE = window.matchMedia("(min-width: 52rem)");
const followWidth = (callback: () => void): (() => void) => {
  WIDE.addEventListener("change", callback);
  return () => WIDE.removeEventListener("change", callback);
};
/** Whether the detail fits beside the list. */
const useIsWide = (): boolean => useSyncExternalStore(followWidth, () => WIDE.matches);

type Emptiness = "loading" | "unreached" | "no_tmux" | "no_agents" | "filtered" | "gone";

/** `no_tmux` only when every target answers and none has a tmux server: otherwise the problems say what is wrong. */
const whyEmpty = (options: {
  hasSnapshot: boolean;
  isLost: boolean;
  total: number;
  isFiltered: boolean;
  targets: Iterable<TargetView>;
}): Emptiness => {
  if (!options.hasSnapshot) return options.isLost ? "unreached" : "loading";
  if (options.total > 0) return options.isFiltered ? "filtered" : "gone";
  const servers = [...options.targets].flatMap((target) => target.servers);
  return servers.every((server) => server.status === "no_server") ? "no_tmux" : "no_agents";
};

const TEXT: Readonly<Record<Emptiness, readonly [string, string]>> = {
  loading: ["Looking…", "Reading tmux for the first time."],
  unreached: ["Nothing to show yet", "The list appears as soon as the daemon answers."],
  no_tmux: ["No tmux server is running", "Start tmux, run an agent in it, and it appears here."],
  no_agents: ["No agents", "Start a coding agent in a tmux pane and it appears here."],
  filtered: ["Nothing matches", "Press Esc to clear the search."],
  gone: ["Nothing left here", "Its last agent has ended. Press Esc to go back."],
};

const EmptyView = ({ why }: { why: Emptiness }) => {
  const [title, hint] = TEXT[why];
  return (
    <div className={message.empty} data-why={why} role="status">
      <p className={message.title}>{title}</p>
      <p>{hint}</p>
    </div>
  );
};

const MAIN_LABELS: Readonly<Record<TabKind, string>> = {
  agents: "Agents in tmux",
  sessions: "Agents in tmux",
  targets: "Agents in tmux",
  history: "Sessions of agents",
  armed: "Automation, and what it did",
};

const TOO_EARLY = "Scroll the whole request into view first, then press again.";
const HELD = "Shortcuts paused: press Esc.";

export const App = ({ onSettings, offer }: AppProps) => {
  const { feed, list, gate, retry } = usePopover();
  const { connection, targets, hasSnapshot, newWaits } = useStore(feed);
  const state = useStore(list);
  const { view } = state;
  const shown = useRows();
  const { overview, rows, selected, tabKey } = shown;
  const { measured, pinned } = useRowKinds(shown);
  const held = useHeldRows(rows);
  const areKeysHeld = useKeyHold();
  const isWide = useIsWide();
  const hasAside = isWide && showsAgents(view);
  const [isHelpShown, setHelpShown] = useState(false);
  const showHelp = () => setHelpShown(true);
  const [isStarting, setStarting] = useState(false);
  const showStart = () => setStarting(true);
  const inputRef = useRef<HTMLInputElement>(null);
  const { hasMachines } = useMemo(() => machinesOf([...targets.values()]), [targets]);
  useLimits();
  useKnownPanes();
  useCountSign();
  useNextCard(shown);
  const isTooEarly = useStore(gate);
  useKeyboard({ shown, inputRef, onHelp: showHelp, onStart: showStart, onSettings });

  return (
    <div className={styles.app} data-connection={connection.kind}>
      <Header
        tabs={
          <ViewTabs
            view={view}
            problemCount={[...targets.values()].filter(({ health }) => health !== "ok").length}
            onGo={list.go}
          />
        }
        counts={overview.counts}
        filter={state.filter}
        inputRef={inputRef}
        onChange={list.setFilter}
        onStart={showStart}
        onSettings={onSettings}
      />
      {offer}
      <ConnectionBanner connection={connection} onRetry={retry} />
      {view.kind !== "targets" && !asksItself(view) && (
        <ProblemBanner problems={overview.problems} onMore={() => list.go("targets")} />
      )}
      {view.kind === "agents" && <LimitNote />}
      <div className={styles.columns} data-wide={hasAside}>
        <main className={styles.main} aria-label={MAIN_LABELS[tabOf(view)]}>
          <ViewBar view={view} isMerged={state.isMerged} onMerge={list.setMerged} onBack={list.back} />
          {view.kind === "history" ? (
            <HistoryView text={state.filter.text} />
          ) : view.kind === "armed" ? (
            <JobsView text={state.filter.text} runtimeId={view.runtimeId} hasMachines={hasMachines} />
          ) : rows.length === 0 ? (
            <EmptyView
              why={whyEmpty({
                hasSnapshot,
                isLost: connection.kind === "lost",
                total: overview.total,
                isFiltered: isFiltered(state),
                targets: targets.values(),
              })}
            />
          ) : (
            <RowList
              rows={held}
              selectedKey={tabKey}
              measuredKeys={measured}
              pinnedKeys={pinned}
              openKey={state.openKey}
              focusRequest={state.focusRequest}
              renderRow={(row) => (
                <RowView
                  row={row}
                  hasMachines={hasMachines}
                  isWide={isWide}
                  isSelected={row.key === selected?.key}
                  isTabStop={row.key === tabKey}
                />
              )}
            />
          )}
        </main>
        {hasAside && <WideDetail row={selected} />}
      </div>
      <div className={styles.announcer} role="log" aria-live="polite" aria-label="New waits">
        {waitAnnouncement(newWaits)}
      </div>
      <Footer message={areKeysHeld ? HELD : isTooEarly ? TOO_EARLY : null} onHelp={showHelp} />
      <ActionDialogs />
      {isStarting && (
        <StartDialog
          selected={selected?.kind === "pane" ? selected.pane : null}
          onClose={() => setStarting(false)}
        />
      )}
      {isHelpShown && <ShortcutsDialog onClose={() => setHelpShown(false)} />}
    </div>
  );
};
