// Who may talk to the daemon over Electron IPC: decided on the event alone.
import { isPageUrl } from "./pageAnswer.ts";

/** Electron's `IpcMainEvent`, as far as it matters here. */
export interface SenderFacts {
  readonly sender: unknown;
  readonly senderFrame: { readonly url: string } | null;
}

/** True for a message that the main frame of `contents` sent while it showed the popover. */
export const isFromPage = (event: SenderFacts, contents: { readonly mainFrame: unknown }): boolean =>
  event.sender === contents &&
  event.senderFrame !== null &&
  event.senderFrame === contents.mainFrame &&
  isPageUrl(event.senderFrame.url);
