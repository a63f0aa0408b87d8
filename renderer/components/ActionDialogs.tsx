// Dialogs of actions: a question before one is done, the choice of a signal to kill with, the command to attach.
import { useState } from "react";
import { KILL_SIGNALS, type KillSignal } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";
import { toFailure } from "../state/connectHost.ts";
import { useAsk } from "../hooks/useAsk.ts";
import { killInput } from "../../ui/actions/guards.ts";
import { kill, type PaneCalls } from "../../ui/actions/paneActions.ts";
import { displaySentence, displayText } from "../../ui/text/displayText.ts";
import { agentName, paneName, panePlaceAndState } from "../../ui/text/rowText.ts";
import { usePopover } from "../state/popover.ts";
import { ActionButton, Radios, useCopy } from "./Buttons.tsx";
import { Dialog, ConfirmDialog } from "./Dialog.tsx";
import { useStore } from "../state/store.ts";
import { RuleDialog } from "./Rules.tsx";
import styles from "./ActionDialogs.module.css";

// Signals: asks before one is sent. The daemon, which knows the process, says what would happen; until then nothing can be
// confirmed.

interface KillDialogProps {
  /** The pane as the row showed it when the person asked. */
  pane: PaneView;
  onClose: () => void;
}

const SIGNAL_WORDS: Readonly<Record<KillSignal, string>> = {
  INT: "interrupts it, like Ctrl-C",
  TERM: "asks it to end",
  KILL: "ends it immediately; unsaved work is lost",
};

/** The daemon refuses an unconfirmed kill with a sentence that says what a confirmed one would do. */
const askDaemon = async (api: PaneCalls, pane: PaneView, signal: KillSignal): Promise<string> => {
  try {
    await api.kill.mutate({ ...killInput(pane), signal, isConfirmed: false });
  } catch (error) {
    const { code, message } = toFailure(error);
    if (code === "E_CONFIRMATION_REQUIRED") return displaySentence(message);
    throw error;
  }
  throw new Error("The daemon didn't say what this would do");
};

const KillDialog = ({ pane, onClose }: KillDialogProps) => {
  const { surface } = usePopover();
  const [signal, setSignal] = useState<KillSignal>("INT");
  const { value, failure } = useAsk(signal, () => askDaemon(surface.api, pane, signal));
  return (
    <Dialog
      title={`Kill ${agentName(pane)} in ${paneName(pane)}?`}
      onClose={onClose}
      buttons={
        <>
          <ActionButton onClick={onClose}>Cancel</ActionButton>
          {value !== null && (
            <ActionButton
              tone="stop"
              onClick={() => {
                kill(pane, signal, surface);
                onClose();
              }}
            >
              Send {signal}
            </ActionButton>
          )}
        </>
      }
    >
      <p>{panePlaceAndState(pane)}</p>
      <p className={styles.sentence} role="status">
        {failure === null
          ? (value ?? "Finding the process…")
          : `Can't be killed. ${displaySentence(failure.message)}`}
      </p>
      {failure === null && (
        <Radios
          legend="Signal"
          name="signal"
          options={KILL_SIGNALS.map((value) => ({
            value,
            words: (
              <>
                <strong>{value}</strong> {SIGNAL_WORDS[value]}
              </>
            ),
          }))}
          chosen={signal}
          onChoose={setSignal}
        />
      )}
    </Dialog>
  );
};

/** The attach command to copy, where the host cannot open a terminal. */
interface CommandDialogProps {
  name: string;
  command: string;
  onClose: () => void;
}

const CommandDialog = ({ name, command, onClose }: CommandDialogProps) => {
  const { copied, copy } = useCopy(command);
  return (
    <Dialog
      title={`Attach to ${name}`}
      onClose={onClose}
      buttons={
        <>
          <ActionButton onClick={onClose}>Close</ActionButton>
          <ActionButton tone="primary" hasFocus onClick={copy}>
            {copied === "yes" ? "Copied" : "Copy"}
          </ActionButton>
        </>
      }
    >
      <p>Can't open a terminal from here. Run this in one:</p>
      <pre className={styles.command} tabIndex={0} aria-label="Command">
        {displayText(command)}
      </pre>
      <p role="status">{copied === "failed" && "Can't copy here; select the command instead."}</p>
    </Dialog>
  );
};

export const ActionDialogs = () => {
  const { list } = usePopover();
  const { command, dialog } = useStore(list);
  return (
    <>
      {command !== null && (
        <CommandDialog
          name={paneName(command.pane)}
          command={command.command}
          onClose={() => list.showCommand(null)}
        />
      )}
      {dialog?.kind === "question" && (
        <ConfirmDialog {...dialog.question} onClose={list.closeDialog}>
          {/* The text has the focus, not a button, so that a person who goes on typing presses nothing. */}
          <p tabIndex={-1} data-first-focus="true">
            {dialog.question.text}
          </p>
        </ConfirmDialog>
      )}
      {dialog?.kind === "rule" && <RuleDialog pane={dialog.pane} onClose={list.closeDialog} />}
      {dialog?.kind === "kill" && <KillDialog pane={dialog.pane} onClose={list.closeDialog} />}
    </>
  );
};
