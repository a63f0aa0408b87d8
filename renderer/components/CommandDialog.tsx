// The attach command to copy, where the host cannot open a terminal. A native modal dialog: focus and Escape are its own.
import { useEffect, useRef, useState } from "react";
import { displayText } from "../text/displayText.ts";
import styles from "./CommandDialog.module.css";

interface CommandDialogProps {
  name: string;
  command: string;
  onClose: () => void;
}

export const CommandDialog = ({ name, command, onClose }: CommandDialogProps) => {
  const ref = useRef<HTMLDialogElement>(null);
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  const copy = () => {
    navigator.clipboard.writeText(command).then(
      () => setCopied("yes"),
      () => setCopied("failed"),
    );
  };
  return (
    <dialog ref={ref} className={styles.dialog} aria-labelledby="command-title" onClose={onClose}>
      <h2 id="command-title">Attach to {name}</h2>
      <p>No terminal can be opened from here. Run this in one:</p>
      <pre className={styles.command} tabIndex={0} aria-label="Command">
        {displayText(command)}
      </pre>
      <p className={styles.status} role="status">
        {copied === "failed" && "Copying is not allowed here: select the command instead."}
      </p>
      <div className={styles.buttons}>
        <button type="button" onClick={() => ref.current?.close()}>
          Close
        </button>
        <button type="button" className={styles.primary} autoFocus onClick={copy}>
          {copied === "yes" ? "Copied" : "Copy"}
        </button>
      </div>
    </dialog>
  );
};
