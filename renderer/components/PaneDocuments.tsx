// The documents that were claimed for a pane: how each ends, whether it holds something that the agent was not shown, a button that
// tells the agent to answer, and one for opening the document elsewhere. All of it is text of files.
import { useEffect } from "react";
import * as z from "zod";
import { paneDocumentSchema } from "../../core/model/paneDocument.ts";
import type { PaneView } from "../../core/model/view.ts";
import { replyReason, type ActionContext } from "../../ui/actions/disabledReasons.ts";
import { sendReply } from "../../ui/actions/paneActions.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { callFeature } from "../connection/connectHost.ts";
import { usePopover } from "../state/popover.ts";
import { ActionButton } from "./ActionButton.tsx";
import { CopyButton } from "./CopyButton.tsx";
import { useAsk } from "./settings/useAsk.ts";
import styles from "./PaneDetail.module.css";

const documentsSchema = z.array(paneDocumentSchema);

interface PaneDocumentsProps {
  pane: PaneView;
  context: ActionContext;
  isBusy: boolean;
}

export const PaneDocuments = ({ pane, context, isBusy }: PaneDocumentsProps) => {
  const { host, surface } = usePopover();
  const ref = pane.identity.pane_ref;
  const { value, reload } = useAsk(ref, async () =>
    documentsSchema.parse(await callFeature(host.api, "documents.ofPane", { ref })),
  );
  // An answer changes what a document holds.
  useEffect(reload, [reload, pane.state_version]);
  if (value === null || value.length === 0) return null;
  const canTell = replyReason(pane, context) === null && pane.request === null;
  return (
    <section aria-label="Documents">
      <h2>Documents</h2>
      <ul className={styles.documents}>
        {value.map(({ id, file, path, has_unsent: hasUnsent, tail, trigger }) => (
          <li key={id}>
            <span className={styles.document} title={displayLine(path)}>
              <b>{displayLine(file)}</b>
              {hasUnsent ? " has something new" : ""}
              {tail === null ? "" : ` · ${displayLine(tail)}`}
            </span>
            {canTell && (
              <ActionButton
                isDisabled={isBusy}
                onClick={() =>
                  void sendReply(pane, { text: trigger, key: crypto.randomUUID(), isAnswer: false }, surface)
                }
              >
                Answer in it
              </ActionButton>
            )}
            <CopyButton text={path}>Copy path</CopyButton>
          </li>
        ))}
      </ul>
    </section>
  );
};
