// The keys of this window, and the one that brings it up from anywhere, which only the desktop app can have.
import { SHORTCUTS } from "../../../ui/actions/keyboard.ts";
import type { DesktopApi } from "../../connection/connectHost.ts";
import { acceleratorOf, acceleratorText } from "./acceleratorOf.ts";
import { displayLine, displaySentence } from "../../../ui/text/displayText.ts";
import { ActionButton } from "../ActionButton.tsx";
import { ShortcutList } from "../Shortcuts.tsx";
import { Absent, FailureText, Group } from "./fields.tsx";
import fields from "./fields.module.css";
import styles from "./settings.module.css";
import { useDesktop } from "./useDesktop.ts";

const GlobalShortcut = ({ api }: { api: DesktopApi }) => {
  const { value, failure, task, change } = useDesktop(api);
  if (value === null) return <FailureText failure={failure} />;
  const { accelerator, problem } = value.shortcut;
  const set = (next: string | null) => change(() => api.desktop.setShortcut.mutate({ accelerator: next }));
  return (
    <div className={styles.field}>
      <div className={styles.line}>
        <label className={styles.fieldOf}>
          <span className={styles.label}>Open from anywhere</span>
          <input
            className={fields.input}
            data-type="shortcut"
            readOnly
            value={accelerator === null ? "" : displayLine(acceleratorText(accelerator, value.platform))}
            placeholder="None"
            aria-description="Press the new keys while this field has the focus."
            onKeyDown={(event) => {
              if (event.key === "Tab" || event.key === "Escape") return;
              event.preventDefault();
              event.stopPropagation();
              const pressed = acceleratorOf(event, value.platform);
              if (pressed !== null) set(pressed);
            }}
          />
        </label>
        {accelerator !== null && <ActionButton onClick={() => set(null)}>Remove</ActionButton>}
      </div>
      <p className={styles.hint}>Click the field and press the new keys.</p>
      {problem !== null && (
        <p className={styles.failure} role="alert">
          {displaySentence(problem)}
        </p>
      )}
      <FailureText failure={task.failure} />
    </div>
  );
};

export const ShortcutsPage = ({ desktop }: { desktop: DesktopApi | null }) => (
  <>
    <Group title="Everywhere">
      {desktop === null ? (
        <Absent>
          A key that opens agtmux from anywhere needs the desktop app; this is the popover in a browser.
        </Absent>
      ) : (
        <GlobalShortcut api={desktop} />
      )}
    </Group>
    {SHORTCUTS.map(({ title, entries }) => (
      <Group key={title} title={title}>
        <ShortcutList entries={entries} place="page" />
      </Group>
    ))}
  </>
);
