// Whether a pane takes keys of its own at this moment: what every action that types must know first.
import { AgtmuxError } from "../model/errors.ts";
import type { Pane } from "../model/runtime.ts";
import type { PaneCapture } from "./paneClient.ts";

/** @throws AgtmuxError E_STALE_SNAPSHOT when it is gone or its program has ended, E_UNSUPPORTED when keys would go elsewhere. */
export const requireFitPane = (capture: PaneCapture | null, pane: Pane, paneRef: string): PaneCapture => {
  const refuse = (code: "E_STALE_SNAPSHOT" | "E_UNSUPPORTED", why: string, remedy?: string): never => {
    const message = `Nothing was sent to ${paneRef}: ${why}.`;
    throw new AgtmuxError(code, message, remedy === undefined ? {} : { remedy });
  };
  if (capture === null || capture.panePid !== pane.panePid)
    return refuse("E_STALE_SNAPSHOT", "the pane is gone");
  if (capture.isDead) return refuse("E_STALE_SNAPSHOT", "its program has ended");
  if (capture.isSynchronized)
    return refuse(
      "E_UNSUPPORTED",
      "what is typed there goes to every pane of its window",
      "Switch it off with 'tmux set-option -w synchronize-panes off'.",
    );
  if (capture.isInputOff)
    return refuse("E_UNSUPPORTED", "its input is switched off", "Switch it on with 'tmux select-pane -e'.");
  return capture;
};
