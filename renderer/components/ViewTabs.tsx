// The way between the views, and to the sheet of shortcuts.
import { TABS, tabOf, type TabKind, type View } from "../state/views.ts";
import styles from "./ViewTabs.module.css";

interface ViewTabsProps {
  view: View;
  /** Targets that are not well: the tab says so. */
  problemCount: number;
  onGo: (kind: TabKind) => void;
  onHelp: () => void;
}

export const ViewTabs = ({ view, problemCount, onGo, onHelp }: ViewTabsProps) => (
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
  </div>
);
