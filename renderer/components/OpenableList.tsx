// A list whose rows are buttons, each of which opens what stands below it: sessions, jobs, rules. Arrows go from row to row.
import type { ReactNode } from "react";
import { moveFocus } from "../hooks/useListScroll.ts";
import styles from "./HistoryView.module.css";

export interface OpenableRow {
  key: string;
  /** Identify the row in the document. */
  attributes: Readonly<Record<`data-${string}`, string>>;
  title: string;
  age: ReactNode;
  place: string;
  /** In the row, below its place. */
  note?: ReactNode;
  /** Below the row while it is closed. */
  summary?: ReactNode;
  detail: ReactNode;
}

interface OpenableListProps {
  label?: string;
  rows: readonly OpenableRow[];
  /** The row that is open, and what opens another: a state of whoever draws the list. */
  open: readonly [key: string | null, open: (key: string | null) => void];
}

export const OpenableList = ({ label, rows, open: [openKey, onOpen] }: OpenableListProps) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys are those of the buttons in it
  <ul className={styles.list} aria-label={label} onKeyDown={moveFocus}>
    {rows.map(({ key, attributes, title, age, place, note, summary, detail }) => (
      <li key={key} className={styles.item}>
        <button
          type="button"
          className={styles.row}
          {...attributes}
          aria-expanded={key === openKey}
          onClick={() => onOpen(key === openKey ? null : key)}
        >
          <bdi className={styles.title}>{title}</bdi>
          <span className={styles.age}>{age}</span>
          <span className={styles.place}>{place}</span>
          {note}
        </button>
        {key === openKey ? detail : summary}
      </li>
    ))}
  </ul>
);
