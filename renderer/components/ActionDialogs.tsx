// Dialogs of actions: a question before one is done, the choice of a signal to kill with, the command to attach.
import { displayText } from "../../ui/text/displayText.ts";
import { paneName } from "../../ui/text/paneText.ts";
import { useCopy } from "../hooks/useCopy.ts";
import { usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";
import { ActionButton } from "./ActionButton.tsx";
import { ConfirmDialog } from "./ConfirmDialog.tsx";
import { Dialog } from "./Dialog.tsx";
import { KillDialog } from "./KillDialog.tsx";
import { RuleDialog } from "./RuleDialog.tsx";
import styles from "./ActionDialogs.module.css";

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
      <p>No terminal can be opened from here. Run this in one:</p>
      <pre className={styles.command} tabIndex={0} aria-label="Command">
        {displayText(command)}
      </pre>
      <p role="status">{copied === "failed" && "Copying is not allowed here: select the command instead."}</p>
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
