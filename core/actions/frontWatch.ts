// Notices that a person has a pane in front of them on which something is unread. It asks tmux who is attached only while there
// is something unread, and rarely while nobody sits at any terminal.
import type { ConnectedTargets } from "../connections/connectedTargets.ts";
import type { PaneKey } from "../model/runtime.ts";
import type { Clock } from "../ports/clock.ts";
import type { TmuxClient } from "../tmux/clients.ts";
import { isInFront } from "./isPaneVisible.ts";

/** In front at two looks so far apart: it was read, and not passed by. */
const SEEN_AFTER_MS = 2_000;
/** While no terminal could show anything to anybody. */
const NOBODY_THERE_MS = 10_000;

export interface UnreadPane {
  key: PaneKey;
  runtimeId: string;
}

export interface FrontWatchDeps {
  /** Only panes that exist now. */
  unread: () => readonly UnreadPane[];
  /** False when it was seen already. */
  markSeen: (runtimeId: string) => void;
  connectedTargets: Pick<ConnectedTargets, "find">;
  clock: Pick<Clock, "now">;
}

export interface FrontWatch {
  /** To be called about once a second. Never rejects. */
  review(): Promise<void>;
}

const serverKeyOf = ({ targetId, server }: PaneKey): string => `${targetId}/${server}`;

export const createFrontWatch = ({
  unread,
  markSeen,
  connectedTargets,
  clock,
}: FrontWatchDeps): FrontWatch => {
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
