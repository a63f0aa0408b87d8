// The tabs of the views, the button for the list of shortcuts, and the line above the rows of a view that needs one.
import { TABS, tabOf, type TabKind, type View } from "../../ui/lists/views.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { BackButton } from "./BackButton.tsx";
import styles from "./ViewTabs.module.css";

interface ViewTabsProps {
  view: View;
  /** How many targets have a problem; the tab shows it. */
  problemCount: number;
  onGo: (kind: TabKind) => void;
  onHelp: () => void;
  onSettings: () => void;
}

export const ViewTabs = ({ view, problemCount, onGo, onHelp, onSettings }: ViewTabsProps) => (
  <div className={styles.bar}>
    <h1 className={styles.title}>agtmux</h1>
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
              <span className={styles.unseen}> not well</span>
            </span>
          )}
        </button>
      ))}
    </nav>
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
    <button
      type="button"
      className={styles.settings}
      aria-label="Settings"
      aria-keyshortcuts=","
      title="Settings (,)"
      onClick={onSettings}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path
          d="M2 4.5h6m4 0h2M2 11.5h2m4 0h6M10 2.75a1.75 1.75 0 1 1 0 3.5 1.75 1.75 0 0 1 0-3.5Zm-4 7a1.75 1.75 0 1 1 0 3.5 1.75 1.75 0 0 1 0-3.5Z"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.3"
          strokeLinecap="round"
        />
      </svg>
    </button>
  </div>
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
      return null;
    case "sessions":
      return (
        <div className={styles.line}>
          <label className={styles.choice}>
            <input type="checkbox" checked={isMerged} onChange={(event) => onMerge(event.target.checked)} />
            <span>One row per name, across targets</span>
          </label>
        </div>
      );
    case "windows":
      return (
        <div className={styles.line}>
          <BackButton label="Sessions" onClick={onBack} />
          <h2 className={styles.session}>
            <bdi>{displayLine(view.name)}</bdi>
          </h2>
        </div>
      );
  }
};
