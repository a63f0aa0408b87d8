// A pane in the list: its row, what came of the last action on it, and its detail while it is expanded.
import type { RefObject } from "react";
import type { PaneView } from "../../core/model/view.ts";
import type { Api } from "../connection/connectHost.ts";
import type { Actions } from "../hooks/useActions.ts";
import type { RowTools } from "../hooks/useRowTools.ts";
import type { Rows } from "../hooks/useRows.ts";
import type { ActionStatus } from "../../ui/actions/actionStatus.ts";
import type { Abilities } from "../../ui/actions/abilities.ts";
import type { DraftStore } from "../state/draftStore.ts";
import type { KeyHold } from "../state/keyHold.ts";
import type { Row } from "../../ui/lists/rows.ts";
import { outcomeText } from "../../ui/actions/actionStatus.ts";
import { PaneDetail } from "./PaneDetail.tsx";
import { PaneRow } from "./PaneRow.tsx";
import { StatusLine } from "./StatusLine.tsx";

/** What handlers need of the list as it is when they run; a row is not drawn again for it. */
export type Live = RefObject<{ rows: Rows; tools: RowTools; actions: Actions; hold: KeyHold }>;

export interface PaneItemProps {
  row: Extract<Row, { kind: "pane" }>;
  api: Api;
  live: Live;
  isSelected: boolean;
  /** The one row that the tab key reaches. */
  isTabStop: boolean;
  isOpen: boolean;
  isReplying: boolean;
  isOutputShown: boolean;
  /** All of the text of its request is in the detail. */
  isShownWhole: boolean;
  drafts: DraftStore;
  status: ActionStatus | undefined;
  hasDraft: boolean;
  abilitiesFor: (pane: PaneView) => Abilities;
  onStatusSeen: (key: string) => void;
}

export const PaneItem = (props: PaneItemProps) => {
  const { row, live, status, isOpen } = props;
  const { pane, key } = row;
  const abilities = props.abilitiesFor(pane);
  const attach = () => live.current.actions.attach(pane);
  const isSending = status?.kind === "sending";
  // While it is under way the row says so in its own line: nothing may move below the pointer.
  const outcome =
    status === undefined || isSending ? null : (
      <StatusLine status={status} onClose={() => props.onStatusSeen(key)} />
    );
  return (
    <PaneRow
      pane={pane}
      place={row.place}
      isSelected={props.isSelected}
      isTabStop={props.isTabStop}
      isOpen={isOpen}
      hasDraft={props.hasDraft}
      underWay={isSending ? outcomeText(status).detail : null}
      attachHindrance={abilities.attach}
      onToggle={() => live.current.rows.toggle(row)}
      onFocus={() => live.current.rows.noteFocus(key)}
      onAttach={attach}
    >
      {!isOpen && outcome}
      {isOpen && (
        <PaneDetail
          api={props.api}
          pane={pane}
          abilities={abilities}
          drafts={props.drafts}
          isSending={isSending}
          outcome={outcome}
          isReplying={props.isReplying}
          isOutputShown={props.isOutputShown}
          isShownWhole={props.isShownWhole}
          onShowWhole={() => live.current.tools.unfold(pane)}
          onAttach={attach}
          onAnswer={(choice) => live.current.actions.answer(pane, choice)}
          onReply={() => live.current.tools.startReply(pane)}
          onOutput={() => live.current.tools.toggleOutput(pane)}
          onInterrupt={() => live.current.tools.startInterrupt(pane)}
          onKill={() => live.current.tools.startKill(pane)}
          onDismiss={() => live.current.actions.dismiss(pane)}
          onSend={(...reply) => live.current.actions.reply(...reply)}
          onReplyClosed={() => live.current.tools.endReply(key)}
          onReplyLost={() => live.current.hold.hold()}
        />
      )}
    </PaneRow>
  );
};
