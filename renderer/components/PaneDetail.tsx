// What an expanded row shows: the request in full, what can be done, the reply, the output, and why the state is what it is.
import type { ReactNode } from "react";
import type { PaneView } from "../../core/model/view.ts";
import type { Api } from "../connection/connectHost.ts";
import type { ActionStatus } from "../../ui/actions/actionStatus.ts";
import type { Abilities } from "../../ui/actions/abilities.ts";
import type { Draft, DraftStore } from "../state/draftStore.ts";
import { panePlace } from "../../ui/text/paneText.ts";
import { Age } from "./Age.tsx";
import { OutputPreview } from "./OutputPreview.tsx";
import { PaneActions, type PaneActionHandlers } from "./PaneActions.tsx";
import { QuickReply } from "./QuickReply.tsx";
import { RequestDetail } from "./RequestDetail.tsx";
import { Why } from "./Why.tsx";
import styles from "./PaneDetail.module.css";

interface PaneDetailProps extends PaneActionHandlers {
  api: Api;
  pane: PaneView;
  abilities: Abilities;
  drafts: DraftStore;
  isSending: boolean;
  /** What came of the last action; below what can be pressed, which stays where it is. */
  outcome: ReactNode;
  isReplying: boolean;
  isOutputShown: boolean;
  isShownWhole: boolean;
  onShowWhole: () => void;
  onSend: (pane: PaneView, draft: Draft, isAnswer: boolean) => Promise<ActionStatus | null>;
  onReplyClosed: () => void;
  onReplyLost: () => void;
}

export const PaneDetail = (props: PaneDetailProps) => {
  const { api, pane, abilities } = props;
  return (
    <div className={styles.detail} role="group" aria-label="Detail">
      {pane.request !== null && (
        <RequestDetail
          request={pane.request}
          abilities={abilities}
          isShownWhole={props.isShownWhole}
          onShowWhole={props.onShowWhole}
          isBusy={props.isSending}
          onOption={(number) => props.onAnswer({ kind: "option", number })}
        />
      )}
      <PaneActions {...props} isBusy={props.isSending} />
      {props.isReplying && (
        <QuickReply
          pane={pane}
          drafts={props.drafts}
          isSending={props.isSending}
          canReply={abilities.reply === null}
          onSend={props.onSend}
          onClose={props.onReplyClosed}
          onLost={props.onReplyLost}
        />
      )}
      {props.outcome !== null && <div className={styles.outcome}>{props.outcome}</div>}
      {props.isOutputShown && abilities.output === null && <OutputPreview api={api} pane={pane} />}
      <Why api={api} pane={pane} />
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
