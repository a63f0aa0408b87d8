// How many panes are in which state, as shapes with numbers.
import { CANONICAL_STATES } from "../../core/model/state.ts";
import { stateCount } from "../../core/model/words.ts";
import type { StateCounts } from "../../ui/lists/groups.ts";
import { StateIcon } from "./StateIcon.tsx";
import styles from "./RollUp.module.css";

const presentIn = (counts: StateCounts) => CANONICAL_STATES.filter((state) => counts[state] > 0);

/** `1 needs approval, 2 running`. */
export const rollUpText = (counts: StateCounts): string =>
  presentIn(counts)
    .map((state) => stateCount(state, counts[state]))
    .join(", ");

export const RollUp = ({ counts }: { counts: StateCounts }) => (
  <span className={styles.rollUp} title={rollUpText(counts)}>
    {presentIn(counts).map((state) => (
      <span key={state} className={styles.count}>
        <StateIcon state={state} />
        {counts[state]}
      </span>
    ))}
  </span>
);
