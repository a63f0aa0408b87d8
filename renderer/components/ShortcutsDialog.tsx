// The keys, on one sheet.
import { SHORTCUTS } from "../../ui/actions/keyboard.ts";
import { ActionButton } from "./ActionButton.tsx";
import { Dialog } from "./Dialog.tsx";
import { Keys } from "./Keys.tsx";
import styles from "./ShortcutsDialog.module.css";

export const ShortcutsDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog
    title="Keyboard"
    onClose={onClose}
    buttons={
      <ActionButton hasFocus onClick={onClose}>
        Close
      </ActionButton>
    }
  >
    {SHORTCUTS.map(({ title, entries }) => (
      <section key={title} className={styles.part}>
        <h3>{title}</h3>
        <dl className={styles.keys}>
          {entries.map(([keys, words]) => (
            <div key={keys} className={styles.entry}>
              <dt>
                <Keys text={keys} />
              </dt>
              <dd>{words}</dd>
            </div>
          ))}
        </dl>
      </section>
    ))}
  </Dialog>
);
