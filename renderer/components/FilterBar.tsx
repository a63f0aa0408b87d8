// The header: the views, the text filter, and totals by state that filter when pressed.
import type { ReactNode, RefObject } from "react";
import { CANONICAL_STATES } from "../../core/model/state.ts";
import { stateCount, STATE_WORDS } from "../../core/model/words.ts";
import type { Filter, StateCounts } from "../../ui/lists/groups.ts";
import { toggled } from "../state/listStore.ts";
import { StateIcon } from "./StateIcon.tsx";
import styles from "./FilterBar.module.css";

interface FilterBarProps {
  /** The tabs of the views. */
  tabs: ReactNode;
  /** False where rows have no states. */
  hasChips: boolean;
  counts: StateCounts;
  filter: Filter;
  inputRef: RefObject<HTMLInputElement | null>;
  onChange: (filter: Filter) => void;
}

export const FilterBar = (props: FilterBarProps) => {
  const { tabs, hasChips, counts, filter, inputRef, onChange } = props;
  // A state without panes is shown while it is a filter, so that it can be switched off.
  const shown = CANONICAL_STATES.filter((state) => counts[state] > 0 || filter.states.has(state));
  return (
    <header className={styles.bar}>
      {tabs}
      <input
        ref={inputRef}
        className={styles.search}
        type="search"
        aria-label="Filter"
        aria-keyshortcuts="/"
        placeholder="Search everything  /"
        spellCheck={false}
        autoComplete="off"
        value={filter.text}
        onChange={(event) => onChange({ ...filter, text: event.target.value })}
      />
      {hasChips && shown.length > 0 && (
        <div className={styles.chips} role="group" aria-label="States">
          {shown.map((state) => (
            <button
              key={state}
              type="button"
              className={styles.chip}
              aria-pressed={filter.states.has(state)}
              aria-label={stateCount(state, counts[state])}
              title={STATE_WORDS[state]}
              onClick={() => onChange({ ...filter, states: toggled(filter.states, state) })}
            >
              <StateIcon state={state} />
              <span className={styles.count}>{counts[state]}</span>
              <span className={styles.word}>{STATE_WORDS[state]}</span>
            </button>
          ))}
        </div>
      )}
    </header>
  );
};
