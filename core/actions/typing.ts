// How a text gets into a pane: as keys when it is one short line, as a paste otherwise.
import type { Pane } from "../model/runtime.ts";
import { quotedBytes, type TmuxCommand } from "./paneHands.ts";

/** Above this a text is pasted: tmux refuses long commands. */
const MAX_TYPED_BYTES = 4_096;

export interface Typing {
  command: TmuxCommand;
  /** For `PaneHands.act`: the text under the name that the command pastes. */
  buffer: { name: string; text: string } | undefined;
}

/** `text`: already clean (see toSendable). */
export const typingOf = ({ paneId }: Pane, text: string, nonce: string): Typing => {
  if (!/[\n\t]/.test(text) && quotedBytes(text) <= MAX_TYPED_BYTES)
    return { command: ["send-keys", "-t", paneId, "-l", "--", text], buffer: undefined };
  const name = `agtmux-${nonce}`;
  return {
    command: ["paste-buffer", "-p", "-d", "-r", "-b", name, "-t", paneId],
    buffer: { name, text },
  };
};
