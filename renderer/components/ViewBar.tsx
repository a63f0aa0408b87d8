// The line above the rows of a view that needs one: merging sessions by name, and the way back from a session's windows.
import type { View } from "../../ui/lists/views.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { BackButton } from "./BackButton.tsx";
import styles from "./ViewBar.module.css";

interface ViewBarProps {
  view: View;
  isMerged: boolean;
  onMerge: (isMerged: boolean) => void;
  onBack: () => void;
}

export const ViewBar = ({ view, isMerged, onMerge, onBack }: ViewBarProps) => {
  switch (view.kind) {
    case "agents":
    case "targets":
      return null;
    case "sessions":
      return (
        <div className={styles.bar}>
          <label className={styles.choice}>
            <input type="checkbox" checked={isMerged} onChange={(event) => onMerge(event.target.checked)} />
            <span>One row per name, across targets</span>
          </label>
        </div>
      );
    case "windows":
      return (
        <div className={styles.bar}>
          <BackButton label="Sessions" onClick={onBack} />
          <h2 className={styles.name}>
            <bdi>{displayLine(view.name)}</bdi>
          </h2>
        </div>
      );
  }
};
