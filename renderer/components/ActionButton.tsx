// A button that shows the key which does the same.
import type { ReactNode } from "react";
import styles from "./controls.module.css";

interface ActionButtonProps {
  children: ReactNode;
  onClick: () => void;
  /** The key, as the list of shortcuts names it. */
  shortcut?: string;
  tone?: "plain" | "primary" | "danger" | "stop";
  isPressed?: boolean;
  /** The button does nothing now, but keeps its place and the focus. */
  isDisabled?: boolean;
  /** In a dialog: the button that Enter presses. */
  hasFocus?: boolean;
}

const KEY_SIGNS: Readonly<Record<string, string>> = { Enter: "⏎", "Alt+Enter": "⌥⏎", ArrowRight: "→" };

export const ActionButton = (props: ActionButtonProps) => (
  <button
    type="button"
    className={styles.button}
    data-tone={props.tone ?? "plain"}
    aria-pressed={props.isPressed}
    aria-disabled={props.isDisabled}
    aria-keyshortcuts={props.shortcut}
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
