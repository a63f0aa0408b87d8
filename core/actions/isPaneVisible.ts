// Looks whether the person has a pane in front of them, at the moment when somebody would be told of it.
import type { NotificationSchedulerDeps } from "../api/notifications/notificationScheduler.ts";
import type { ConnectedTargets } from "../connections/connectedTargets.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { PaneKey } from "../model/runtime.ts";
import { isWaiting } from "../model/state.ts";
import type { PaneView } from "../model/view.ts";
import type { Clock } from "../ports/clock.ts";
import type { TmuxClient } from "../tmux/clients.ts";
import { listTmuxClients } from "./tmuxClients.ts";

// Whether a person looks at a pane right now, as far as tmux can know. Pure.
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

interface IsPaneVisibleDeps {
  /** Where the row's agent lives now; null when it has ended. */
  paneOf: (pane: PaneView) => PaneKey | null;
  connectedTargets: Pick<ConnectedTargets, "find">;
  clock: Pick<Clock, "now">;
}

/** Never rejects: a target that cannot be asked right now shows nothing to anybody. */
const createIsPaneVisible =
  ({ paneOf, connectedTargets, clock }: IsPaneVisibleDeps) =>
  async (row: PaneView): Promise<boolean> => {
    const key = paneOf(row);
    const connected = key === null ? null : connectedTargets.find(key.targetId);
    if (key === null || connected === null) return false;
    try {
      const tmux = connected.tmuxOf(key.server);
      if (tmux === null) return false;
      const clients = await listTmuxClients(tmux);
      return isInFront(clients, key.paneId, clock.now() / 1_000);
    } catch {
      // Telling the person is better than silence.
      return false;
    }
  };

/** What is known of whether a person has to be told of something. */
export type Attention = Pick<NotificationSchedulerDeps, "isInFront" | "isConfirmed">;

export interface AttentionDeps {
  ingest: Pick<Ingest, "liveState">;
  connectedTargets: Pick<ConnectedTargets, "find">;
  clock: Pick<Clock, "now">;
}

export const createAttention = ({ ingest, connectedTargets, clock }: AttentionDeps): Attention => ({
  isInFront: createIsPaneVisible({
    paneOf: ({ identity }) =>
      identity.runtime_id === null
        ? null
        : (ingest.liveState.runtimes.get(identity.runtime_id)?.runtime ?? null),
    connectedTargets,
    clock,
  }),
  isConfirmed: (runtimeId) => {
    const entry = ingest.liveState.runtimes.get(runtimeId);
    const runs = [entry?.runs.poller, entry?.runs.transcript];
    return runs.some((run) => run !== undefined && isWaiting(run.signal.status.state));
  },
});
