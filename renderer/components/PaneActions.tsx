// The buttons of an expanded row: only what can be done, and in words what cannot be and why.
import type { PaneView } from "../../core/model/view.ts";
import type { AnswerChoice } from "../../core/model/actionView.ts";
import { missingAbilities, repliesToPrompt, type Abilities } from "../../ui/actions/abilities.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { ActionButton } from "./ActionButton.tsx";
import styles from "./PaneDetail.module.css";

export interface PaneActionHandlers {
  onAttach: () => void;
  onAnswer: (choice: Exclude<AnswerChoice, { kind: "text" }>) => void;
  onReply: () => void;
  onOutput: () => void;
  onInterrupt: () => void;
  onKill: () => void;
  onDismiss: () => void;
}

interface PaneActionsProps extends PaneActionHandlers {
  pane: PaneView;
  abilities: Abilities;
  isReplying: boolean;
  isOutputShown: boolean;
  /** Something is done to the pane right now. */
  isBusy: boolean;
}

export const PaneActions = (props: PaneActionsProps) => {
  const { pane, abilities, isBusy } = props;
  const missing = missingAbilities(pane, abilities);
  return (
    <>
      <div className={styles.actions} role="group" aria-label="Actions">
        {abilities.approve === null && (
          <ActionButton
            tone="primary"
            shortcut="a"
            isDisabled={isBusy}
            onClick={() => props.onAnswer({ kind: "approve" })}
          >
            Approve
          </ActionButton>
        )}
        {abilities.deny === null && (
          <ActionButton shortcut="d" isDisabled={isBusy} onClick={() => props.onAnswer({ kind: "deny" })}>
            Deny
          </ActionButton>
        )}
        {abilities.reply === null && (
          <ActionButton shortcut="r" isPressed={props.isReplying} onClick={props.onReply}>
            {repliesToPrompt(pane) ? "Answer" : "Reply"}
          </ActionButton>
        )}
        {abilities.attach === null && (
          <ActionButton shortcut="Enter" onClick={props.onAttach}>
            Attach
          </ActionButton>
        )}
        {abilities.output === null && (
          <ActionButton shortcut="o" isPressed={props.isOutputShown} onClick={props.onOutput}>
            Output
          </ActionButton>
        )}
        {abilities.interrupt === null && (
          <ActionButton shortcut="i" isDisabled={isBusy} onClick={props.onInterrupt}>
            Interrupt…
          </ActionButton>
        )}
        {abilities.dismiss === null && (
          <ActionButton shortcut="e" isDisabled={isBusy} onClick={props.onDismiss}>
            Dismiss
          </ActionButton>
        )}
        {abilities.kill === null && (
          <ActionButton tone="danger" shortcut="x" isDisabled={isBusy} onClick={props.onKill}>
            Kill…
          </ActionButton>
        )}
      </div>
      {missing.length > 0 && (
        <ul className={styles.missing} aria-label="Not possible now">
          {missing.map((sentence) => (
            <li key={sentence}>{displayLine(sentence)}</li>
          ))}
        </ul>
      )}
    </>
  );
};
