// The line of keys below the list. What the keyboard has to say takes its place, so that nothing moves.
import styles from "./Footer.module.css";

const KEYS: readonly (readonly [string, string])[] = [
  ["↑↓", "move"],
  ["⏎", "attach"],
  ["N", "next waiting"],
  ["R", "reply"],
  ["/", "search"],
];

interface FooterProps {
  /** A sentence instead of the keys. */
  message: string | null;
  onHelp: () => void;
}

export const Footer = ({ message, onHelp }: FooterProps) => (
  <footer className={styles.footer}>
    <div className={styles.text}>
      {message === null ? (
        KEYS.map(([key, word]) => (
          <span key={key} className={styles.entry}>
            <kbd className={styles.key}>{key}</kbd> {word}
          </span>
        ))
      ) : (
        <p className={styles.message} role="status">
          <span>{message}</span>
        </p>
      )}
    </div>
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
  </footer>
);
