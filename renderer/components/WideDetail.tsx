// In a wide window: what the selected row did last, beside the list, with what can be done and the reply.
import type { PaneView } from "../../core/model/view.ts";
import type { Row } from "../../ui/lists/rows.ts";
import { paneName, paneState } from "../../ui/text/paneText.ts";
import { rowTitle } from "../../ui/text/rowText.ts";
import { isReplyShown } from "../state/listStore.ts";
import { useActionContext, usePopover } from "../state/popover.ts";
import { useStore } from "../state/store.ts";
import { PaneDetail } from "./PaneDetail.tsx";
import { QuickReply } from "./QuickReply.tsx";
import { StateIcon } from "./StateIcon.tsx";
import styles from "./WideDetail.module.css";

const Detail = ({ pane }: { pane: PaneView }) => {
  const { list, statuses } = usePopover();
  const context = useActionContext(pane);
  const ref = pane.identity.pane_ref;
  const isBusy = useStore(statuses, (all) => all.get(ref)?.kind === "sending");
  const isOpened = useStore(list, ({ openKey }) => openKey === ref);
  const hasReply = useStore(list, (state) => isReplyShown(state, ref));
  return (
    <>
      <h2 className={styles.title}>
        <StateIcon state={pane.state} />
        <bdi>{rowTitle(pane).text}</bdi>
      </h2>
      <p className={styles.place}>{paneState(pane)}</p>
      <PaneDetail pane={pane} context={context} isBusy={isBusy} isPreview={!isOpened} />
      {hasReply && <QuickReply pane={pane} isSending={isBusy} context={context} />}
    </>
  );
};

export const WideDetail = ({ row }: { row: Row | undefined }) => (
  <aside className={styles.aside} aria-label="Selected agent">
    {row?.kind === "pane" ? (
      <Detail key={`${row.key} ${paneName(row.pane)}`} pane={row.pane} />
    ) : (
      <p className={styles.place}>Select an agent to see what it does.</p>
    )}
  </aside>
);
