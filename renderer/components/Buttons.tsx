// Buttons: one that shows its key, a choice among radio buttons, the way back, and one that copies a text.
import { type ReactNode, useState } from "react";
import styles from "./controls.module.css";

interface ActionButtonProps {
  children: ReactNode;
  onClick: () => void;
  /** Its name, where a sign stands for the words. */
  label?: string;
  /** The key, as the list of shortcuts names it. */
  shortcut?: string;
  tone?: "plain" | "primary" | "danger" | "stop";
  isPressed?: boolean;
  /** The button does nothing now, but keeps its place and the focus. */
  isDisabled?: boolean;
  /** In a dialog: the button that Enter presses. */
  hasFocus?: boolean;
}

const KEY_SIGNS: Readonly<Record<string, string>> = {
  Enter: "⏎",
  "Alt+Enter": "⌥⏎",
  "Control+Enter": "Ctrl ⏎",
  ArrowRight: "→",
};

export const ActionButton = (props: ActionButtonProps) => (
  <button
    type="button"
    className={styles.button}
    data-tone={props.tone ?? "plain"}
    aria-pressed={props.isPressed}
    aria-disabled={props.isDisabled}
    aria-keyshortcuts={props.shortcut}
    aria-label={props.label}
    title={props.label}
    data-first-focus={props.hasFocus}
    onClick={props.isDisabled === true ? undefined : props.onClick}
  >
    {props.children}
    {props.shortcut !== undefined && (
      <kbd className={styles.key} aria-hidden="true">
        {KEY_SIGNS[props.shortcut] ?? props.shortcut.toUpperCase()}
      </kbd>
    )}
  </button>
);

interface RadiosProps<T extends string> {
  legend: string;
  name: string;
  options: readonly { value: T; words: ReactNode }[];
  chosen: T;
  /** The chosen one has the focus when the dialog opens. */
  hasFocus?: boolean;
  onChoose: (value: T) => void;
}

export const Radios = <T extends string>({ legend, name, options, ...props }: RadiosProps<T>) => (
  <fieldset className={styles.radios}>
    <legend>{legend}</legend>
    {options.map(({ value, words }) => (
      <label key={value} className={styles.radio}>
        <input
          type="radio"
          name={name}
          value={value}
          checked={value === props.chosen}
          data-first-focus={props.hasFocus === true ? value === props.chosen : undefined}
          onChange={() => props.onChoose(value)}
        />
        <span>{words}</span>
      </label>
    ))}
  </fieldset>
);

/** Goes back by one step, like Esc. */
export const BackButton = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <button type="button" className={styles.back} aria-keyshortcuts="Esc" title="Back (Esc)" onClick={onClick}>
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d="m10 3.5-4.5 4.5 4.5 4.5" fill="none" stroke="currentColor" strokeWidth="1.6" />
    </svg>
    {label}
  </button>
);

/** Copies a text when `copy` is called; `copied` says whether that worked. */
export const useCopy = (text: string) => {
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied("yes"),
      () => setCopied("failed"),
    );
  };
  return { copied, copy };
};

export const CopyButton = ({ text, children }: { text: string; children: string }) => {
  const { copied, copy } = useCopy(text);
  return (
    <ActionButton onClick={copy}>
      {copied === "yes" ? "Copied" : copied === "failed" ? "Could not copy" : children}
    </ActionButton>
  );
};
