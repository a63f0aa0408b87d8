// Whether a person looks at a pane right now, as far as tmux can know. Pure.
import type { TmuxClient } from "./tmuxClients.ts";

/** Without focus reports only a key pressed lately tells that somebody sits there, in seconds. */
const RECENT_KEY_S = 60;
/** Terminals that do not report focus count as focused for ever; after this nobody is assumed to sit there, in seconds. */
const PRESENT_S = 600;

/**
 * True for a plain client that shows the pane as the active one of its session and whose terminal has the focus. A native
 * client (tmux -CC) does not tell which of its tabs is in front: false. `now`: epoch seconds on about the clock of the target.
 */
export const isInFront = (clients: readonly TmuxClient[], paneId: string, now: number): boolean =>
  clients.some(
    (client) =>
      !client.isNative &&
      client.paneId === paneId &&
      client.isFocused &&
      now - client.activeAt <= (client.reportsFocus ? PRESENT_S : RECENT_KEY_S),
  );
