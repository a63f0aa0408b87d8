// What the person has in front of them, as far as tmux can know: who is attached to a server, whether a pane is in front now, and
// when an unread pane has been in front (`createFrontWatch`). Who is notified is decided elsewhere.
import { CLIENT_FORMAT, parseClients, type TmuxClient } from "../tmux/clients.ts";
import type { TmuxCalls } from "../tmux/tmuxCalls.ts";
import type { NotificationSchedulerDeps } from "../api/notifications/notificationScheduler.ts";
import type { ConnectedTargets } from "../connections/connectedTarget.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { PaneKey } from "../model/runtime.ts";
import { isWaiting } from "../model/state.ts";
import type { PaneView } from "../model/view.ts";
import type { Clock } from "../ports/clock.ts";

const TIMEOUT_MS = 2_000;

/** Clients with a terminal, the one that was used last first; none where tmux does not answer. */
export const listTmuxClients = async (tmux: TmuxCalls): Promise<TmuxClient[]> => {
  const { stdout } = await tmux.run(["list-clients", "-F", CLIENT_FORMAT], { timeoutMs: TIMEOUT_MS });
  return parseClients(stdout.split("\n"));
};

/** In seconds: without focus reports only a key pressed lately shows that somebody sits there. */
const RECENT_KEY_S = 60;
/** In seconds: terminals that do not report focus count as focused for ever; after this nobody is assumed to sit there. */
const PRESENT_S = 600;

/**
 * True for a plain client that shows the pane as the active one of its session and whose terminal has the focus. A native client
 * (tmux -CC) does not report which of its tabs is in front: false. `now`: epoch seconds on about the clock of the target.
 */
export const isInFront = (clients: readonly TmuxClient[], paneId: string, now: number): boolean =>
  clients.some(
    (client) =>
      !client.isNative &&
      client.paneId === paneId &&
      client.isFocused &&
      now - client.activeAt <= (client.reportsFocus ? PRESENT_S : RECENT_KEY_S),
  );

/** Never rejects: a target that cannot be asked right now shows nothing to anybody. */
const createIsPaneVisible =
  ({
    paneOf,
    connectedTargets,
    clock,
  }: {
    /** Where the row's agent runs now; null when it has ended. */
    paneOf: (pane: PaneView) => PaneKey | null;
    connectedTargets: ConnectedTargets;
    clock: Clock;
  }) =>
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
      // Notifying the person is better than silence.
      return false;
    }
  };

/** What is known of whether a person has to be notified. */
export type Attention = Pick<NotificationSchedulerDeps, "isInFront" | "isConfirmed">;

export const createAttention = ({
  ingest,
  connectedTargets,
  clock,
}: {
  ingest: Ingest;
  connectedTargets: ConnectedTargets;
  clock: Clock;
}): Attention => ({
  isInFront: createIsPaneVisible({
    paneOf: ({ identity }) =>
      identity.runtime_id === null
        ? null
        : (ingest.liveState.runtimes.get(identity.runtime_id)?.runtime ?? null),
    connectedTargets,
    clock,
  }),
  isConfirmed: (runtimeId, since) => {
    const entry = ingest.liveState.runtimes.get(runtimeId);
    if (entry === undefined) return false;
    const { runs, liveness, resolution } = entry;
    // An end is no dialog that a screen shows: a look that did not change the state is enough.
    const isEnd = since !== null && resolution !== null && !isWaiting(resolution.status.state);
    return (["poller", "transcript"] as const).some(
      (source) =>
        (isEnd || (runs[source] !== undefined && isWaiting(runs[source].signal.status.state))) &&
        (since === null || (liveness.observedAt[source] ?? 0) >= since),
    );
  },
});

// Unread panes in front: who is attached is asked only while something is unread, and rarely while nobody sits at any terminal.

/** In front at two checks so far apart: it was read, and not passed by. */
const SEEN_AFTER_MS = 2_000;
/** While no terminal could show anything to anybody. */
const NOBODY_THERE_MS = 10_000;

export interface UnreadPane {
  key: PaneKey;
  runtimeId: string;
}

interface FrontWatch {
  /** To be called about once a second. Never rejects. */
  review(): Promise<void>;
}

const serverKeyOf = ({ targetId, server }: PaneKey): string => `${targetId}/${server}`;

export const createFrontWatch = ({
  unread,
  markSeen,
  connectedTargets,
  clock,
}: {
  /** Only panes that exist now. */
  unread: () => readonly UnreadPane[];
  markSeen: (runtimeId: string) => void;
  connectedTargets: ConnectedTargets;
  clock: Clock;
}): FrontWatch => {
  /** Since when each pane has been in front, by runtime. */
  const since = new Map<string, number>();
  const nextLookAt = new Map<string, number>();
  let isLooking = false;

  const clientsOf = async ({ targetId, server }: PaneKey): Promise<readonly TmuxClient[]> => {
    const watched = connectedTargets.find(targetId)?.collected.find((one) => one.server === server);
    return (await watched?.clients()) ?? [];
  };

  const lookAt = async (panes: readonly [UnreadPane, ...UnreadPane[]]): Promise<void> => {
    const clients = await clientsOf(panes[0].key);
    const now = clock.now();
    const isAnybodyThere = clients.some(({ paneId }) => isInFront(clients, paneId, now / 1_000));
    nextLookAt.set(serverKeyOf(panes[0].key), now + (isAnybodyThere ? SEEN_AFTER_MS : NOBODY_THERE_MS));
    for (const { key, runtimeId } of panes) {
      if (!isInFront(clients, key.paneId, now / 1_000)) {
        since.delete(runtimeId);
        continue;
      }
      const first = since.get(runtimeId);
      if (first === undefined) since.set(runtimeId, now);
      else if (now - first >= SEEN_AFTER_MS) {
        since.delete(runtimeId);
        markSeen(runtimeId);
      }
    }
  };

  const look = async (): Promise<void> => {
    const all = unread();
    const present = new Set(all.map(({ runtimeId }) => runtimeId));
    for (const runtimeId of since.keys()) if (!present.has(runtimeId)) since.delete(runtimeId);
    const now = clock.now();
    for (const [server, [first, ...rest]] of Map.groupBy(all, ({ key }) => serverKeyOf(key)))
      if (first !== undefined && now >= (nextLookAt.get(server) ?? 0)) await lookAt([first, ...rest]);
  };

  return {
    review: async () => {
      if (isLooking) return;
      isLooking = true;
      try {
        await look();
      } finally {
        isLooking = false;
      }
    },
  };
};
