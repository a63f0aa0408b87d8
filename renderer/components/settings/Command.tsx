// A command to run in a terminal, with a button that copies it.
import { useState } from "react";
import { ActionButton } from "../ActionButton.tsx";
import styles from "./settings.module.css";

export const Command = ({ text }: { text: string }) => {
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied("yes"),
      () => setCopied("failed"),
    );
  };
  return (
    <div className={styles.command}>
      <pre tabIndex={0} role="group" aria-label={`Command: ${text}`}>
        {text}
      </pre>
      <ActionButton onClick={copy}>{copied === "yes" ? "Copied" : "Copy"}</ActionButton>
      {copied === "failed" && <span role="status">Copying is not allowed here: select it instead.</span>}
    </div>
  );
};
