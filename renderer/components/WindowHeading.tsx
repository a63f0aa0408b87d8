// A window of a session, above its panes.
import type { WindowSummary } from "../../ui/lists/sessions.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { RollUp } from "./RollUp.tsx";
import styles from "./WindowHeading.module.css";

export const WindowHeading = ({ window }: { window: WindowSummary }) => {
  const name = displayLine(window.name);
  return (
    <div className={styles.window}>
      <h3 className={styles.name} title={name}>
        {window.place !== null && <span className={styles.place}>{displayLine(window.place)} </span>}
        {window.index} <bdi>{name}</bdi>
      </h3>
      <RollUp counts={window.counts} />
    </div>
  );
};
