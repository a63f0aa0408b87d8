// The documents of the selected agent: the picker asks whether it is to answer in one of them, and tells it after a yes. Going to the
// document's pane is what Enter does on its row.
import type { PaneDocument } from "../../core/model/paneDocument.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import { replyReason } from "../../ui/actions/disabledReasons.ts";
import { sendReply } from "../../ui/actions/paneActions.ts";
import { displayLine, displaySentence } from "../../ui/text/displayText.ts";
import { toFailure } from "../failure.ts";
import { askDocuments } from "./askDocuments.ts";
import { selectedPane } from "./pickerState.ts";
import type { ReplyDeps } from "./reply.ts";

export interface PickerDocumentsDeps extends ReplyDeps {
  /** The daemon of now; null while there is none. */
  readonly client: () => DaemonClient | null;
}

const aboutDocument = ({ has_unsent: isNew, tail }: PaneDocument, at: number, count: number): string =>
  [
    isNew ? "It holds something that the agent was not shown." : "It holds nothing new.",
    ...(tail === null ? [] : [`It ends with: ${tail}`]),
    ...(count > 1 ? [`This is document ${at + 1} of ${count}; D again asks about the next one.`] : []),
  ].join(" ");

export class PickerDocuments {
  private readonly deps: PickerDocumentsDeps;
  /** The one that was asked about last, and the pane that it belongs to. */
  private last = { ref: "", at: -1 };

  constructor(deps: PickerDocumentsDeps) {
    this.deps = deps;
  }

  async ask(pane: PaneView): Promise<void> {
    const { surface, contextOf, client, state } = this.deps;
    const refuse = (why: string): void => surface.refuse(pane, "send", displaySentence(why));
    const why = replyReason(pane, contextOf(pane)) ?? (pane.request === null ? null : "it asks something.");
    if (why !== null) return refuse(why);
    const connected = client();
    if (connected === null) return refuse("the daemon is gone.");
    const ref = pane.identity.pane_ref;
    let found: readonly PaneDocument[];
    try {
      found = await askDocuments(connected, ref);
    } catch (error) {
      return refuse(toFailure(error).message);
    }
    const now = state();
    if (now.mode.kind !== "list" || selectedPane(now)?.identity.pane_ref !== ref) return;
    const at = (this.last.ref === ref ? this.last.at + 1 : 0) % Math.max(1, found.length);
    const document = found[at];
    if (document === undefined) return refuse("no document was claimed for its pane.");
    this.last = { ref, at };
    surface.ask({
      title: `Let the agent answer in ${displayLine(document.file)}?`,
      text: aboutDocument(document, at, found.length),
      confirmLabel: "tells it",
      onConfirm: () =>
        void sendReply(pane, { text: document.trigger, key: crypto.randomUUID(), isAnswer: false }, surface),
    });
  }
}
