// The way between the views, and to the sheet of shortcuts.
import { TABS, tabOf, type TabKind, type View } from "../../ui/lists/views.ts";
import styles from "./ViewTabs.module.css";

interface ViewTabsProps {
  view: View;
  /** Targets that are not well: the tab says so. */
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
