// The attach command to copy, where the host cannot open a terminal.
import { useState } from "react";
import { displayText } from "../../ui/text/displayText.ts";
import { ActionButton } from "./ActionButton.tsx";
import { Dialog } from "./Dialog.tsx";
import styles from "./CommandDialog.module.css";

interface CommandDialogProps {
  name: string;
  command: string;
  onClose: () => void;
}

export const CommandDialog = ({ name, command, onClose }: CommandDialogProps) => {
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");
  const copy = () => {
    navigator.clipboard.writeText(command).then(
      () => setCopied("yes"),
      () => setCopied("failed"),
    );
  };
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
