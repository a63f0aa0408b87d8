// A pane in the list: its row, what came of the last action on it, and its detail while it is expanded.
import type { PaneView } from "../../core/model/view.ts";
import type { Api } from "../connection/connectHost.ts";
import type { Actions } from "../hooks/useActions.ts";
import type { RowTools } from "../hooks/useRowTools.ts";
import type { Rows } from "../hooks/useRows.ts";
import type { ActionStatus } from "../state/actionDesk.ts";
import type { Abilities } from "../state/abilities.ts";
import type { DraftStore } from "../state/draftStore.ts";
import type { Row } from "../state/rows.ts";
import { PaneDetail } from "./PaneDetail.tsx";
import { PaneRow } from "./PaneRow.tsx";
import { StatusLine } from "./StatusLine.tsx";

export interface PaneItemProps {
  row: Extract<Row, { kind: "pane" }>;
  api: Api;
  rows: Rows;
  tools: RowTools;
  actions: Actions;
  drafts: DraftStore;
  status: ActionStatus | undefined;
  hasDraft: boolean;
  abilitiesFor: (pane: PaneView) => Abilities;
  onStatusSeen: (key: string) => void;
}

export const PaneItem = (props: PaneItemProps) => {
  const { row, rows, tools, actions, status } = props;
  const { pane, key } = row;
  const isOpen = key === rows.openKey;
  const abilities = props.abilitiesFor(pane);
  return (
    <PaneRow
      pane={pane}
      place={row.place}
      isSelected={key === rows.selected?.key}
      isTabStop={key === rows.tabKey}
      isOpen={isOpen}
      hasDraft={props.hasDraft}
      attachHindrance={abilities.attach}
      onToggle={() => rows.toggle(row)}
      onFocus={() => rows.noteFocus(key)}
      onAttach={() => actions.attach(pane)}
    >
      {status !== undefined && <StatusLine status={status} onClose={() => props.onStatusSeen(key)} />}
      {isOpen && (
        <PaneDetail
          api={props.api}
          pane={pane}
          abilities={abilities}
          drafts={props.drafts}
          isSending={status?.kind === "sending"}
          isReplying={tools.isReplying(key)}
          isOutputShown={tools.isOutputShown(key)}
          onAttach={() => actions.attach(pane)}
          onAnswer={(choice) => actions.answer(pane, choice)}
          onReply={() => tools.startReply(pane)}
          onOutput={() => tools.toggleOutput(pane)}
          onInterrupt={() => actions.interrupt(pane)}
          onKill={() => tools.startKill(pane)}
          onDismiss={() => actions.dismiss(pane)}
          onSend={actions.reply}
          onReplyClosed={() => tools.endReply(key)}
        />
      )}
    </PaneRow>
  );
};
