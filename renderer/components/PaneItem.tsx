// A pane in the list: its row, what came of the last action on it, and its detail while it is expanded.
import { outcomeText } from "../../ui/actions/actionStatus.ts";
import { actionOf } from "../../ui/actions/paneActions.ts";
import type { Row } from "../../ui/lists/rows.ts";
import { useActionContext, usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";
import { PaneDetail } from "./PaneDetail.tsx";
import { PaneRow } from "./PaneRow.tsx";
import { StatusLine } from "./StatusLine.tsx";

interface PaneItemProps {
  row: Extract<Row, { kind: "pane" }>;
  isSelected: boolean;
  isTabStop: boolean;
  onToggle: () => void;
  onFocus: () => void;
}

const ATTACH = actionOf("attach");

export const PaneItem = ({ row, ...common }: PaneItemProps) => {
  const { pane, key } = row;
  const { list, statuses, drafts, surface } = usePopover();
  const context = useActionContext(pane);
  const isOpen = useStore(list, ({ openKey }) => openKey === key);
  const status = useStore(statuses, (all) => all.get(key));
  const hasDraft = useStore(drafts, (all) => all.has(key));
  const isSending = status?.kind === "sending";
  // While it is under way the row says so in its own line: nothing may move below the pointer.
  const outcome =
    status === undefined || isSending ? null : (
      <StatusLine status={status} onClose={() => statuses.clear(key)} />
    );
  return (
    <PaneRow
      {...common}
      pane={pane}
      place={row.place}
      isOpen={isOpen}
      hasDraft={hasDraft}
      underWay={isSending ? outcomeText(status).detail : null}
      canAttach={ATTACH.disabledReason(pane, context) === null}
      onAttach={() => ATTACH.run(pane, surface)}
    >
      {isOpen ? <PaneDetail pane={pane} context={context} isBusy={isSending} outcome={outcome} /> : outcome}
    </PaneRow>
  );
};
