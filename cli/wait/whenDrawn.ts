// Rows whose prompts can be answered: an agent announces a prompt before it draws it, and only what is drawn has a fingerprint.
import { setTimeout } from "node:timers/promises";
import { AgtmuxError } from "../../core/model/errors.ts";
import { isWaiting } from "../../core/model/state.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";

/** Null when the daemon disappeared during the request: the next one is asked again. */
export const unlessLost = async <T>(work: Promise<T>): Promise<T | null> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AgtmuxError && error.code === "E_DAEMON_UNAVAILABLE") return null;
    throw error;
  }
};

const LIMIT_MS = 2_500;
const EVERY_MS = 100;

const isUndrawn = ({ state, prompt_fingerprint }: PaneView): boolean =>
  state !== null && isWaiting(state) && prompt_fingerprint === null;

/** The same rows once their prompts are drawn; the unchanged rows if that takes too long or the wait ended meanwhile. */
export const whenDrawn = async (
  rows: readonly PaneView[],
  client: DaemonClient,
): Promise<readonly PaneView[]> => {
  const until = performance.now() + LIMIT_MS;
  let now = rows;
  while (now.some(isUndrawn) && performance.now() < until) {
    await setTimeout(EVERY_MS);
    const list = await unlessLost(client.call((api) => api.panes.query({ all: true })));
    if (list === null) break;
    const byRef = new Map(list.items.map((row) => [row.identity.pane_ref, row]));
    const next = now.map((row) => byRef.get(row.identity.pane_ref));
    now = now.map((row, at) => (next[at]?.state === row.state ? next[at] : row));
    // A row in another state no longer meets the condition.
    if (now.some((row, at) => row !== next[at])) break;
  }
  return now;
};
