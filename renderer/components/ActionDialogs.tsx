// Dialogs of actions: a question before one is done, a text that one needs, the choice of a signal to kill with, the command to attach.
import { useId, useRef, useState, type KeyboardEvent } from "react";
import { KILL_SIGNALS, type KillSignal } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";
import { toFailure } from "../state/connectHost.ts";
import { useAsk } from "../hooks/useAsk.ts";
import { killInput } from "../../ui/actions/guards.ts";
import { kill, type PaneCalls } from "../../ui/actions/paneActions.ts";
import type { Question, TextQuestion } from "../../ui/actions/questions.ts";
import { displaySentence, displayText } from "../../ui/text/displayText.ts";
import { paneName, panePlaceAndState, rowTitle } from "../../ui/text/rowText.ts";
import { usePopover } from "../state/popover.ts";
import { ActionButton, Radios, useCopy } from "./Buttons.tsx";
import { ChangesView } from "./ChangesView.tsx";
import { Dialog, ConfirmDialog } from "./Dialog.tsx";
import { useStore } from "../state/store.ts";
import { RuleDialog } from "./Rules.tsx";
import { StartDialog } from "./StartDialog.tsx";
import { READING_MS } from "../state/readGate.ts";
import styles from "./ActionDialogs.module.css";

// A question before an action. Its button has the focus, so that Enter says yes; but whoever goes on typing says nothing.

const QuestionDialog = ({ question, onClose }: { question: Question; onClose: () => void }) => {
  const textRef = useRef<HTMLParagraphElement>(null);
  const [openedAt] = useState(() => performance.now());
  /** A press that nobody can have meant for the question is dropped; after a letter no button has the focus until Tab gives it one. */
  const followKeys = (event: KeyboardEvent) => {
    const { key, repeat, ctrlKey, metaKey, altKey } = event;
    if (key === "Enter" || key === " ") {
      if (repeat || performance.now() - openedAt < READING_MS) event.preventDefault();
    } else if (key.length === 1 && !ctrlKey && !metaKey && !altKey) textRef.current?.focus();
  };
  return (
    <ConfirmDialog {...question} tone="primary" isReady onKeyDown={followKeys} onClose={onClose}>
      <p ref={textRef} tabIndex={-1}>
        {question.text}
      </p>
    </ConfirmDialog>
  );
};

// A text that an action needs.

const TextDialog = ({ question, onClose }: { question: TextQuestion; onClose: () => void }) => {
  const { title, label, hint, initial, maxLength, confirmLabel, mayBeEmpty, extra, onSubmit } = question;
  const [text, setText] = useState(initial);
  const [isExtraOn, setExtraOn] = useState(false);
  const hintId = useId();
  const isReady = mayBeEmpty || text.trim() !== "";
  const submit = () => {
    if (!isReady) return;
    onClose();
    onSubmit(text, isExtraOn);
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      buttons={
        <>
          <ActionButton onClick={onClose}>Cancel</ActionButton>
          <ActionButton tone="primary" isDisabled={!isReady} onClick={submit}>
            {confirmLabel}
          </ActionButton>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <input
          className={styles.text}
          data-first-focus="true"
          aria-label={label}
          aria-describedby={hintId}
          value={text}
          maxLength={maxLength}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
        />
      </form>
      {extra !== undefined && (
        <label className={styles.extra}>
          <input type="checkbox" checked={isExtraOn} onChange={(event) => setExtraOn(event.target.checked)} />
          {extra}
        </label>
      )}
      <p id={hintId} className={styles.hint}>
        {hint}
      </p>
    </Dialog>
  );
};

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
      title={`Kill “${rowTitle(pane).text}”?`}
      onClose={onClose}
      buttons={
        <>
          <ActionButton onClick={onClose}>Cancel</ActionButton>
          {value !== null && (
            <ActionButton
              tone={signal === "INT" ? "primary" : "stop"}
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
        <QuestionDialog question={dialog.question} onClose={list.closeDialog} />
      )}
      {dialog?.kind === "text" && <TextDialog question={dialog.question} onClose={list.closeDialog} />}
      {dialog?.kind === "handOver" && (
        <StartDialog selected={dialog.pane} isHandedOver onClose={list.closeDialog} />
      )}
      {dialog?.kind === "rule" && <RuleDialog pane={dialog.pane} onClose={list.closeDialog} />}
      {dialog?.kind === "changes" && <ChangesView pane={dialog.pane} onClose={list.closeDialog} />}
      {dialog?.kind === "kill" && <KillDialog pane={dialog.pane} onClose={list.closeDialog} />}
    </>
  );
};
