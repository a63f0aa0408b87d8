// The terminal in which a pane is opened: an installed one, or the person's own command.
import { PLACEHOLDER, type DesktopState, type TerminalChoice } from "../../../core/model/desktop.ts";
import type { DesktopApi } from "../../connection/connectHost.ts";
import { displayLine, displaySentence } from "../../../ui/text/displayText.ts";
import { Absent, Choice, FailureText, Group, TextField } from "./fields.tsx";
import styles from "./settings.module.css";
import { useDesktop } from "./useDesktop.ts";

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
        hint={inUse === null ? "No terminal program was found here." : `A click opens ${displayLine(inUse)}.`}
        value={valueOf(choice)}
        options={[
          { value: AUTO, label: "What is installed" },
          ...found.map(({ id, name }) => ({ value: id, label: displayLine(name) })),
          { value: COMMAND, label: "A command of mine" },
        ]}
        onChange={(value) => set(toChoice(value, state))}
      />
      {choice.kind === "command" && (
        <TextField
          label="Command"
          isWide
          hint={`Words separated by spaces; no shell reads them. ${PLACEHOLDER} stands for what is to be run.`}
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
        A browser cannot open a terminal: Enter on a row shows the command to run in one. The desktop app lets
        you choose the program.
      </Absent>
    ) : (
      <ChooseTerminal api={desktop} />
    )}
  </Group>
);
