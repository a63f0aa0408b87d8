// What an expanded row shows: the request in full, the possible actions, the reply, the output, and the reasons of the state.
import type { ReactNode } from "react";
import type { PaneView } from "../../core/model/view.ts";
import { optionReasons, type ActionContext } from "../../ui/actions/disabledReasons.ts";
import { actionOf, answerPrompt, buttonsOf, notPossible } from "../../ui/actions/paneActions.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { panePlace } from "../../ui/text/paneText.ts";
import { isPanelShown } from "../state/listStore.ts";
import { usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";
import { ActionButton } from "./ActionButton.tsx";
import { Age } from "./Age.tsx";
import { OutputPreview } from "./OutputPreview.tsx";
import { QuickReply } from "./QuickReply.tsx";
import { RequestDetail } from "./RequestDetail.tsx";
import { Why } from "./Why.tsx";
import styles from "./PaneDetail.module.css";

interface PartProps {
  pane: PaneView;
  context: ActionContext;
  /** An action on the pane is running. */
  isBusy: boolean;
}

/** Buttons for what can be done, and sentences about what cannot be done and why. */
const PaneActions = ({ pane, context, isBusy }: PartProps) => {
  const { list, surface } = usePopover();
  const shown = {
    reply: useStore(list, (state) => isPanelShown(state, pane.identity.pane_ref, "reply")),
    output: useStore(list, (state) => isPanelShown(state, pane.identity.pane_ref, "output")),
  };
  const sentences = notPossible(pane, context);
  return (
    <>
      <div className={styles.actions} role="group" aria-label="Actions">
        {buttonsOf(pane, context).map((action) => (
          <ActionButton
            key={action.id}
            tone={action.tone ?? "plain"}
            shortcut={action.key}
            {...(action.panel === undefined ? {} : { isPressed: shown[action.panel] })}
            {...(action.isExclusive === true ? { isDisabled: isBusy } : {})}
            onClick={() => action.run(pane, surface)}
          >
            {action.label?.(pane) ?? action.name}
          </ActionButton>
        ))}
      </div>
      {sentences.length > 0 && (
        <ul className={styles.missing} aria-label="Not possible now">
          {sentences.map((sentence) => (
            <li key={sentence}>{displayLine(sentence)}</li>
          ))}
        </ul>
      )}
      {shown.reply && (
        <QuickReply
          pane={pane}
          isSending={isBusy}
          canReply={actionOf("reply").disabledReason(pane, context) === null}
        />
      )}
    </>
  );
};

/** `outcome`: the result of the last action. It is below the buttons, so that they do not move. */
export const PaneDetail = ({ outcome, ...part }: PartProps & { outcome: ReactNode }) => {
  const { pane, context, isBusy } = part;
  const { list, surface } = usePopover();
  const isOutputShown = useStore(list, (state) => isPanelShown(state, pane.identity.pane_ref, "output"));
  return (
    <div className={styles.detail} role="group" aria-label="Detail">
      {pane.request !== null && (
        <RequestDetail
          request={pane.request}
          optionReasons={optionReasons(pane, context)}
          isShownWhole={context.isShownWhole(pane)}
          onShowWhole={() => list.showWhole(pane)}
          isBusy={isBusy}
          onOption={(number) => answerPrompt(pane, { kind: "option", number }, surface)}
        />
      )}
      <PaneActions {...part} />
      {outcome !== null && <div className={styles.outcome}>{outcome}</div>}
      {isOutputShown && actionOf("output").disabledReason(pane, context) === null && (
        <OutputPreview pane={pane} />
      )}
      <Why pane={pane} />
      <footer className={styles.foot}>
        <span className={styles.place} title={panePlace(pane)}>
          {panePlace(pane)}
        </span>
        {pane.confirmed_at !== null && (
          <span>
            seen <Age since={pane.confirmed_at} suffix=" ago" />
          </span>
        )}
      </footer>
    </div>
  );
};
