// The header: totals in words that filter when pressed, the search, which replaces the totals so that nothing below moves, and the
// tabs of the views; and the line above the rows of a view that needs one.
import { TABS, tabOf, type TabKind, type View } from "../../ui/lists/rows.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { BackButton } from "./Buttons.tsx";
import { useState, type ReactNode, type RefObject } from "react";
import { totalsOf } from "../../ui/text/rowText.ts";
import type { Filter, StateCounts } from "../../ui/lists/groups.ts";
import type { BrowserSigns } from "../state/browserSigns.ts";
import { usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";
import styles from "./Header.module.css";

interface ViewTabsProps {
  view: View;
  /** How many machines have a problem; the tab shows it. */
  problemCount: number;
  onGo: (kind: TabKind) => void;
}

export const ViewTabs = ({ view, problemCount, onGo }: ViewTabsProps) => (
  <nav className={styles.tabs} aria-label="Views">
    {TABS.map(({ kind, label, key }) => (
      <button
        key={kind}
        type="button"
        className={styles.tab}
        aria-current={tabOf(view) === kind ? "page" : undefined}
        aria-keyshortcuts={key}
        onClick={() => onGo(kind)}
      >
        {label}
        {kind === "targets" && problemCount > 0 && (
          <span className={styles.badge}>
            {problemCount}
            <span className={styles.viewTabsUnseen}> with problems</span>
          </span>
        )}
      </button>
    ))}
  </nav>
);

interface ViewBarProps {
  view: View;
  isMerged: boolean;
  onMerge: (isMerged: boolean) => void;
  onBack: () => void;
}

/** The switch that merges sessions by name, and the way back from a session's windows. */
export const ViewBar = ({ view, isMerged, onMerge, onBack }: ViewBarProps) => {
  switch (view.kind) {
    case "agents":
    case "targets":
    case "history":
      return null;
    case "armed":
      return view.runtimeId === null ? null : (
        <div className={styles.viewTabsLine}>
          <BackButton label="All automation" onClick={onBack} />
        </div>
      );
    case "sessions":
      return (
        <div className={styles.viewTabsLine}>
          <label className={styles.choice}>
            <input type="checkbox" checked={isMerged} onChange={(event) => onMerge(event.target.checked)} />
            <span>Merge same-named sessions</span>
          </label>
        </div>
      );
    case "windows":
      return (
        <div className={styles.viewTabsLine}>
          <BackButton label="Sessions" onClick={onBack} />
          <h2 className={styles.session}>
            <bdi>{displayLine(view.name)}</bdi>
          </h2>
        </div>
      );
  }
};

interface HeaderProps {
  tabs: ReactNode;
  counts: StateCounts;
  filter: Filter;
  inputRef: RefObject<HTMLInputElement | null>;
  onChange: (filter: Filter) => void;
  onStart: () => void;
  onSettings: () => void;
}

const isSameSet = <T,>(left: ReadonlySet<T>, right: readonly T[]): boolean =>
  left.size === right.length && right.every((item) => left.has(item));

const Totals = ({ counts, filter, onChange }: Pick<HeaderProps, "counts" | "filter" | "onChange">) => {
  const totals = totalsOf(counts);
  if (totals.length === 0) return <h1 className={styles.title}>agtmux</h1>;
  return (
    <h1 className={styles.title}>
      {totals.map(({ key, text, states }, index) => {
        const isPressed = isSameSet(filter.states, states);
        return (
          <span key={key}>
            {index > 0 && <span aria-hidden="true"> · </span>}
            <button
              type="button"
              className={styles.total}
              data-total={key}
              aria-pressed={isPressed}
              onClick={() => onChange({ ...filter, states: new Set(isPressed ? [] : states) })}
            >
              {text}
            </button>
          </span>
        );
      })}
    </h1>
  );
};

interface IconButtonProps {
  label: string;
  path: string;
  /** The key that does the same, if there is one that is not said elsewhere. */
  shortcut?: string;
  title?: string;
  onClick: () => void;
}

const IconButton = ({ label, path, shortcut, title, onClick }: IconButtonProps) => (
  <button
    type="button"
    className={styles.icon}
    aria-label={label}
    aria-keyshortcuts={shortcut}
    title={title ?? (shortcut === undefined ? label : `${label} (${shortcut})`)}
    onClick={onClick}
  >
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={path} fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" />
    </svg>
  </button>
);
const GLASS = "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9Zm3.4 7.9 3.1 3.1";
const SLIDERS =
  "M2 4.5h6m4 0h2M2 11.5h2m4 0h6M10 2.75a1.75 1.75 0 1 1 0 3.5 1.75 1.75 0 0 1 0-3.5Zm-4 7a1.75 1.75 0 1 1 0 3.5 1.75 1.75 0 0 1 0-3.5Z";

const PLUS = "M8 3v10M3 8h10";
const BELL = "M3.5 11.5c1-1 1.2-2 1.2-4a3.3 3.3 0 0 1 6.6 0c0 2 .2 3 1.2 4zm3.2 1.8a1.4 1.4 0 0 0 2.6 0";

/** Only in a browser that was not asked for notifications yet: asking needs a click. */
const AskButton = ({ signs }: { signs: BrowserSigns }) =>
  useStore(signs) === "default" && (
    <IconButton label="Notify me in this browser" path={BELL} onClick={() => void signs.askPermission()} />
  );

export const Header = ({ tabs, counts, filter, inputRef, onChange, onStart, onSettings }: HeaderProps) => {
  const { signs } = usePopover();
  const [isFocused, setFocused] = useState(false);
  const isSearching = isFocused || filter.text !== "";
  return (
    <header className={styles.bar}>
      {isSearching && <h1 className={styles.unseen}>Search</h1>}
      <div className={styles.line} data-searching={isSearching}>
        <div className={styles.totals} role="group" aria-label="Totals">
          <Totals counts={counts} filter={filter} onChange={onChange} />
        </div>
        <input
          ref={inputRef}
          className={styles.search}
          type="search"
          aria-label="Search"
          aria-keyshortcuts="/"
          placeholder="Title, prompt, branch, folder, agent, machine"
          spellCheck={false}
          autoComplete="off"
          value={filter.text}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
          onChange={(event) => onChange({ ...filter, text: event.target.value })}
        />
        <IconButton
          label="Search everything"
          path={GLASS}
          title="Search (/)"
          onClick={() => inputRef.current?.focus()}
        />
        <IconButton label="Start an agent" path={PLUS} shortcut="+" onClick={onStart} />
        {signs !== null && <AskButton signs={signs} />}
        <IconButton label="Settings" path={SLIDERS} shortcut="," onClick={onSettings} />
      </div>
      {tabs}
    </header>
  );
};
