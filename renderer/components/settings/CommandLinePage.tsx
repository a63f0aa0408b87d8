// How a shell gets the `agtmux` command. The desktop app links its own; a browser shows what to run.
import type { CommandLineState } from "../../../core/model/desktop.ts";
import { displayLine, displaySentence } from "../../../ui/text/displayText.ts";
import type { DesktopApi, Host } from "../../connection/connectHost.ts";
import { useCopy } from "../../hooks/useCopy.ts";
import { ActionButton } from "../ActionButton.tsx";
import { Absent, FailureText, Group } from "./fields.tsx";
import { useAsk } from "./useAsk.ts";
import { useTask } from "./useTask.ts";
import command from "./CommandLinePage.module.css";
import styles from "./settings.module.css";

export const Command = ({ text }: { text: string }) => {
  const { copied, copy } = useCopy(text);
  return (
    <div className={command.command}>
      <pre
        className={`${styles.code} ${command.text}`}
        tabIndex={0}
        role="group"
        aria-label={`Command: ${text}`}
      >
        {text}
      </pre>
      <ActionButton onClick={copy}>{copied === "yes" ? "Copied" : "Copy"}</ActionButton>
      {copied === "failed" && <span role="status">Copying is not allowed here: select it instead.</span>}
    </div>
  );
};

const STATE_WORDS = {
  installed: "installed",
  absent: "not installed",
  occupied: "not installed",
  none: "not in this build",
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
                If a new shell does not find it, add this to the shell’s start file:
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
            A link at <code>{displayLine(state.path)}</code> will lead to this app. Nothing else is changed.
          </p>
          {state.other !== null && <OtherOne path={state.other} />}
        </>
      );
    case "occupied":
      return (
        <p>
          <code>{displayLine(state.path)}</code> is {displayLine(state.what)}. Move it away, and install
          again.
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
    <p className={styles.intro}>The command lists, attaches, answers and replies from a shell.</p>
    <Group title="In your shell">
      {host.desktop === null ? (
        <>
          <Absent>The desktop app can link its command by itself; this is the popover in a browser.</Absent>
          <div className={styles.field}>
            <p>From a clone it is bin/agtmux. Run this in the clone:</p>
            <Command text={'mkdir -p ~/.local/bin && ln -s "$PWD/bin/agtmux" ~/.local/bin/agtmux'} />
          </div>
        </>
      ) : (
        <Install api={host.desktop} />
      )}
    </Group>
    <Group title="Does it work?">
      <div className={styles.field}>
        <p>This says whether your shell finds it, and what else is missing:</p>
        <Command text="agtmux doctor" />
      </div>
    </Group>
    <Group title="Completions">
      <div className={styles.field}>
        <p>For bash; zsh and fish have their own.</p>
        <Command text={'eval "$(agtmux completions bash)"'} />
      </div>
    </Group>
  </>
);
