// Goes back by one step, like Esc.
import styles from "./controls.module.css";

export const BackButton = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <button type="button" className={styles.back} aria-keyshortcuts="Esc" title="Back (Esc)" onClick={onClick}>
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d="m10 3.5-4.5 4.5 4.5 4.5" fill="none" stroke="currentColor" strokeWidth="1.6" />
    </svg>
    {label}
  </button>
);
