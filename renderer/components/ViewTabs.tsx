// The tabs of the views, and the line above the rows of a view that needs one.
import { TABS, tabOf, type TabKind, type View } from "../../ui/lists/views.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { BackButton } from "./BackButton.tsx";
import styles from "./ViewTabs.module.css";

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
            <span className={styles.unseen}> not well</span>
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
        <div className={styles.line}>
          <BackButton label="All that is armed" onClick={onBack} />
        </div>
      );
    case "sessions":
      return (
        <div className={styles.line}>
          <label className={styles.choice}>
            <input type="checkbox" checked={isMerged} onChange={(event) => onMerge(event.target.checked)} />
            <span>One row per name, across machines</span>
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
