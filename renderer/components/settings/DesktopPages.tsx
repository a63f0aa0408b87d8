// Settings pages for shortcuts, the terminal and the `agtmux` command, and pressed keys as a shortcut in Electron's notation. Some
// of it only the desktop app can do; a browser says so.
import { SHORTCUTS } from "../../../ui/actions/keyboard.ts";
import type { DesktopApi, Host } from "../../state/connectHost.ts";
import { displayLine, displaySentence } from "../../../ui/text/displayText.ts";
import { ActionButton, useCopy } from "../Buttons.tsx";
import { ShortcutList } from "../Shortcuts.tsx";
import { Absent, FailureText, Group, Choice, TextField } from "../fields.tsx";
import fields from "../fields.module.css";
import styles from "../settings.module.css";
import { useDesktop, useAsk, useTask } from "../../hooks/useAsk.ts";
import {
  PLACEHOLDER,
  type DesktopState,
  type TerminalChoice,
  type CommandLineState,
} from "../../../core/model/desktop.ts";

interface Pressed {
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

const NAMED: Readonly<Record<string, string>> = {
  Space: "Space",
  Enter: "Enter",
  ArrowUp: "Up",
  ArrowDown: "Down",
  ArrowLeft: "Left",
  ArrowRight: "Right",
  Home: "Home",
  End: "End",
  PageUp: "PageUp",
  PageDown: "PageDown",
};

/** Uses the key's place (`code`), because with Alt a Mac gives other characters. */
const keyOf = (code: string): string | null =>
  /^Key([A-Z])$/.exec(code)?.[1] ??
  /^Digit(\d)$/.exec(code)?.[1] ??
  /^(F([1-9]|1\d|2[0-4]))$/.exec(code)?.[1] ??
  NAMED[code] ??
  null;

const MAC_MARKS: Readonly<Record<string, string>> = {
  Control: "⌃",
  Ctrl: "⌃",
  Alt: "⌥",
  Option: "⌥",
  Shift: "⇧",
  Command: "⌘",
  Cmd: "⌘",
  CommandOrControl: "⌘",
  CmdOrCtrl: "⌘",
};

/** A shortcut as the platform's menus write it. */
export const acceleratorText = (accelerator: string, platform: string): string =>
  platform === "darwin"
    ? accelerator
        .split("+")
        .map((part) => MAC_MARKS[part] ?? part)
        .join("")
    : accelerator;

/**
 * Null while only modifiers are held, and for a key without Ctrl, Alt or Command: as a global shortcut it would be taken from
 * every other program.
 */
export const acceleratorOf = (pressed: Pressed, platform: string): string | null => {
  const key = keyOf(pressed.code);
  if (key === null || !(pressed.ctrlKey || pressed.metaKey || pressed.altKey)) return null;
  return [
    ...(pressed.ctrlKey ? ["Control"] : []),
    ...(pressed.metaKey ? [platform === "darwin" ? "Command" : "Super"] : []),
    ...(pressed.altKey ? ["Alt"] : []),
    ...(pressed.shiftKey ? ["Shift"] : []),
    key,
  ].join("+");
};

// Shortcuts: the keys of this window, and the one that brings it up from anywhere, which only the desktop app can have.

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
            aria-description="Press the new keys while this field has focus."
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
        <Absent>A system-wide shortcut needs the desktop app; this is the popover in a browser.</Absent>
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

// Terminal: where a pane is opened, in an installed one or by the person's own command.

const AUTO = "auto";
const COMMAND = "command";
const FIRST_COMMAND = ["xterm", "-e", PLACEHOLDER];

const valueOf = (choice: TerminalChoice): string => (choice.kind === "known" ? choice.id : choice.kind);

const toChoice = (value: string, { terminal }: DesktopState): TerminalChoice => {
  const known = terminal.found.find(({ id }) => id === value);
  if (known !== undefined) return { kind: "known", id: known.id };
  if (value !== COMMAND) return { kind: "auto" };
  return terminal.choice.kind === "command" ? terminal.choice : { kind: "command", argv: FIRST_COMMAND };
};

const ChooseTerminal = ({ api }: { api: DesktopApi }) => {
  const { value: state, failure, task, change } = useDesktop(api);
  if (state === null) return <FailureText failure={failure} />;
  const { choice, found, inUse, problem } = state.terminal;
  const set = (next: TerminalChoice) => change(() => api.desktop.setTerminal.mutate(next));
  return (
    <>
      <Choice
        label="Open panes in"
        hint={inUse === null ? "No terminal app was found." : `A click opens ${displayLine(inUse)}.`}
        value={valueOf(choice)}
        options={[
          { value: AUTO, label: "Automatic" },
          ...found.map(({ id, name }) => ({ value: id, label: displayLine(name) })),
          { value: COMMAND, label: "Custom command" },
        ]}
        onChange={(value) => set(toChoice(value, state))}
      />
      {choice.kind === "command" && (
        <TextField
          label="Command"
          isWide
          hint={`Separate words with spaces; no shell is involved. ${PLACEHOLDER} is replaced with the command to run.`}
          value={choice.argv.join(" ")}
          onCommit={(text) => set({ kind: "command", argv: text.split(/\s+/).filter((word) => word !== "") })}
        />
      )}
      {problem !== null && <p className={styles.failure}>{displaySentence(problem)}</p>}
      <FailureText failure={task.failure} />
    </>
  );
};

export const TerminalPage = ({ desktop }: { desktop: DesktopApi | null }) => (
  <Group title="Attach">
    {desktop === null ? (
      <Absent>
        A browser can't open a terminal; Enter on a row shows the command to run. Choose the program in the
        desktop app.
      </Absent>
    ) : (
      <ChooseTerminal api={desktop} />
    )}
  </Group>
);

// Command line: how a shell gets the `agtmux` command. The desktop app links its own; a browser shows what to run.

const Command = ({ text }: { text: string }) => {
  const { copied, copy } = useCopy(text);
  return (
    <div className={styles.command}>
      <pre
        className={`${styles.code} ${styles.text}`}
        tabIndex={0}
        role="group"
        aria-label={`Command: ${text}`}
      >
        {text}
      </pre>
      <ActionButton onClick={copy}>{copied === "yes" ? "Copied" : "Copy"}</ActionButton>
      {copied === "failed" && <span role="status">Can't copy here; select it instead.</span>}
    </div>
  );
};

const STATE_WORDS = {
  installed: "installed",
  absent: "not installed",
  occupied: "not installed",
  none: "not included in this build",
} as const satisfies Record<CommandLineState["kind"], string>;

const OtherOne = ({ path }: { path: string }) => (
  <p>
    Your shell finds another one first: <code>{displayLine(path)}</code>.
  </p>
);

const About = ({ state }: { state: CommandLineState }) => {
  switch (state.kind) {
    case "installed":
      return (
        <>
          <p>
            The command is <code>{displayLine(state.path)}</code>.
          </p>
          {state.hiddenBy !== null && <OtherOne path={state.hiddenBy} />}
          {state.pathLine !== null && (
            <>
              <p className={styles.hint}>
                If a new shell doesn't find it, add this to your shell's startup file:
              </p>
              <Command text={state.pathLine} />
            </>
          )}
        </>
      );
    case "absent":
      return (
        <>
          <p>
            A link at <code>{displayLine(state.path)}</code> will point to this app. Nothing else changes.
          </p>
          {state.other !== null && <OtherOne path={state.other} />}
        </>
      );
    case "occupied":
      return (
        <p>
          <code>{displayLine(state.path)}</code> is {displayLine(state.what)}. Move it, then install again.
        </p>
      );
    case "none":
      return <p>{displaySentence(state.reason)}</p>;
  }
};

const Install = ({ api }: { api: DesktopApi }) => {
  const { value, failure, put, reload } = useAsk("command-line", () => api.desktop.commandLine.query());
  const task = useTask();
  const install = () =>
    void task.run(async () => {
      try {
        put(await api.desktop.installCommandLine.mutate());
      } catch (error) {
        // Somebody may have put a file there meanwhile.
        reload();
        throw error;
      }
    });
  return (
    <div className={styles.field}>
      <p className={styles.line}>
        <code className={styles.name}>agtmux</code>
        {value !== null && (
          <span role="status" className={styles.state} data-state={value.kind}>
            {STATE_WORDS[value.kind]}
          </span>
        )}
      </p>
      {value !== null && <About state={value} />}
      {(value?.kind === "absent" || value?.kind === "occupied") && (
        <ActionButton tone="primary" onClick={install}>
          {task.isBusy ? "Installing…" : "Install the command-line tool"}
        </ActionButton>
      )}
      <FailureText failure={task.failure ?? failure} />
    </div>
  );
};

export const CommandLinePage = ({ host }: { host: Host }) => (
  <>
    <p className={styles.intro}>List, attach, answer and reply from a shell.</p>
    <Group title="In your shell">
      {host.desktop === null ? (
        <>
          <Absent>The desktop app can install its own command; this is the popover in a browser.</Absent>
          <div className={styles.field}>
            <p>In a clone it's bin/agtmux. Run this there:</p>
            <Command text={'mkdir -p ~/.local/bin && ln -s "$PWD/bin/agtmux" ~/.local/bin/agtmux'} />
          </div>
        </>
      ) : (
        <Install api={host.desktop} />
      )}
    </Group>
    <Group title="Does it work?">
      <div className={styles.field}>
        <p>Checks that your shell finds it, and what else is missing:</p>
        <Command text="agtmux doctor" />
      </div>
    </Group>
    <Group title="Completions">
      <div className={styles.field}>
        <p>For bash; zsh and fish work too.</p>
        <Command text={'eval "$(agtmux completions bash)"'} />
      </div>
    </Group>
  </>
);
