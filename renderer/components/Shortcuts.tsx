// The list of shortcuts: in a dialog of the popover, and part by part in the settings.
import { Fragment } from "react";
import { SHORTCUTS } from "../../ui/actions/keyboard.ts";
import { Dialog } from "./Dialog.tsx";
import styles from "./Shortcuts.module.css";

/** These are words between keys; everything else is drawn as a key. */
const WORDS = new Set(["or", "–"]);

const Keys = ({ text }: { text: string }) => (
  <span className={styles.caps}>
    {text.split(/\s+/).map((part, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- the text of a sheet never changes
      <Fragment key={index}>
        {index > 0 && " "}
        {WORDS.has(part) ? (
          <span className={styles.word}>{part}</span>
        ) : (
          <kbd className={styles.cap}>{part}</kbd>
        )}
      </Fragment>
    ))}
  </span>
);

interface ShortcutListProps {
  entries: (typeof SHORTCUTS)[number]["entries"];
  place: "dialog" | "page";
}

export const ShortcutList = ({ entries, place }: ShortcutListProps) => (
  <dl className={styles.list} data-place={place}>
    {entries.map(([keys, words]) => (
      <div key={keys} className={styles.entry}>
        <dt>
          <Keys text={keys} />
        </dt>
        <dd>{words}</dd>
      </div>
    ))}
  </dl>
);

export const ShortcutsDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keyboard" onClose={onClose}>
    {SHORTCUTS.map(({ title, entries }) => (
      <section key={title} className={styles.part}>
        <h3>{title}</h3>
        <ShortcutList entries={entries} place="dialog" />
      </section>
    ))}
  </Dialog>
);
