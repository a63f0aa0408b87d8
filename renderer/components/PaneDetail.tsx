// What stands below an expanded row, or beside the list in a wide window: what the agent did last, what else can be done to it,
// and the reasons of its state.
import { useEffect } from "react";
import type { PaneView } from "../../core/model/view.ts";
import type { ActionContext } from "../../ui/actions/disabledReasons.ts";
import { actionOf, buttonsOf, notPossible, type PaneAction } from "../../ui/actions/paneActions.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { panePlace } from "../../ui/text/paneText.ts";
import { isReplyShown } from "../state/listStore.ts";
import { usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";
import { ActionButton } from "./ActionButton.tsx";
import { Age } from "./Age.tsx";
import { OutputPreview } from "./OutputPreview.tsx";
import { PaneDocuments } from "./PaneDocuments.tsx";
import { Why } from "./Why.tsx";
import styles from "./PaneDetail.module.css";

interface PaneDetailProps {
  pane: PaneView;
  context: ActionContext;
  /** An action on the pane is running. */
  isBusy: boolean;
  /** It stands beside a list on which the selection moves: that it is shown does not mean that it was looked at. */
  isPreview: boolean;
}

/** These stand on the card already; the output is shown without a button. */
const ON_CARDS: ReadonlySet<string> = new Set(["approve", "deny", "dismiss", "attach"]);
const isHere = (pane: PaneView, { id }: PaneAction): boolean =>
  id !== "output" && !(pane.needs_action && ON_CARDS.has(id));

/** Buttons for what can be done, and sentences about what cannot be done and why. */
const PaneActions = ({ pane, context, isBusy }: Omit<PaneDetailProps, "isPreview">) => {
  const { list, surface } = usePopover();
  const isReplying = useStore(list, (state) => isReplyShown(state, pane.identity.pane_ref));
  const sentences = notPossible(pane, context, (action) => isHere(pane, action));
  return (
    <>
      <div className={styles.actions} role="group" aria-label="Actions">
        {buttonsOf(pane, context)
          .filter((action) => isHere(pane, action))
          .map((action) => (
            <ActionButton
              key={action.id}
              tone={action.tone ?? "plain"}
              shortcut={action.key}
              {...(action.panel === undefined ? {} : { isPressed: isReplying })}
              {...(action.isExclusive === true ? { isDisabled: isBusy } : {})}
              onClick={() => action.run(pane, surface)}
            >
              {action.label?.(pane) ?? action.name}
            </ActionButton>
          ))}
        {pane.armed !== null && (
          <ActionButton shortcut="l" onClick={() => list.showArmed(pane.identity.runtime_id)}>
            {displayLine(pane.armed)}
          </ActionButton>
        )}
      </div>
      {sentences.length > 0 && (
        <ul className={styles.missing} aria-label="Not possible now">
          {sentences.map((sentence) => (
            <li key={sentence}>{displayLine(sentence)}</li>
          ))}
        </ul>
      )}
    </>
  );
};

/** What a row that the person opened showed as unread is read. */
const useSeen = (
  { identity: { pane_ref: ref }, unread_since: until }: PaneView,
  isLookedAt: boolean,
): void => {
  const { api } = usePopover().host;
  useEffect(() => {
    // A mark that stays because the daemon is gone is no loss.
    if (isLookedAt && until !== null) api.markSeen.mutate({ ref, until }).catch(() => {});
  }, [api, ref, until, isLookedAt]);
};

export const PaneDetail = (props: PaneDetailProps) => {
  const { pane, context, isPreview } = props;
  useSeen(pane, !isPreview);
  return (
    <div className={styles.detail} role="group" aria-label="Detail">
      {actionOf("output").disabledReason(pane, context) === null && (
        <OutputPreview pane={pane} isPreview={isPreview} />
      )}
      <PaneActions {...props} />
      <PaneDocuments {...props} />
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
