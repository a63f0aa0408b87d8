// The reference that surfaces show: short enough to type, and the same pane wherever it is typed. It names the machine and,
// beside the default one, the tmux server, because a bare `%12` means the server that the person is in. The command line loads this
// at each start, so it imports nothing.

/** The tmux server that references leave out. */
export const DEFAULT_SERVER = "default";

/** `vm1`, or `vm1:work` for a tmux server beside the default one: what stands before the slash of every reference. */
export const formatTarget = (target: string, server: string): string =>
  server === DEFAULT_SERVER ? target : `${target}:${server}`;

/**
 * What stands in place of a tmux server for sessions of agents that no pane shows. No tmux server has this name in references
 * (core/tmux/servers.ts).
 */
export const BACKGROUND_SERVER = "background";

const BACKGROUND = /^bg-([A-Za-z0-9_-]{1,60})$/;

/** In place of a pane's id, for a session that no pane shows; `id` is the agent's own name for it. Null: it cannot be one. */
export const backgroundPaneId = (id: string): string | null => {
  const paneId = `bg-${id}`;
  return BACKGROUND.test(paneId) ? paneId : null;
};

/** The agent's own name for a session that no pane shows; null for a pane. */
export const backgroundIdOf = (paneId: string): string | null => BACKGROUND.exec(paneId)?.[1] ?? null;

/** What stands for a row's pane within its tmux server: tmux's id, or the name of a session that no pane shows. */
export const placeIdOf = (row: {
  identity: { pane_id: string | null };
  background: { id: string } | null;
}): string => row.identity.pane_id ?? backgroundPaneId(row.background?.id ?? "") ?? "";

/** `host/%12`; `host/bg-1a2b3c4d` for a session that no pane shows. */
export const formatShortRef = (subject: { target: string; server: string; paneId: string }): string =>
  `${subject.server === BACKGROUND_SERVER ? subject.target : formatTarget(subject.target, subject.server)}/${subject.paneId}`;

/** Whether it is neither `pane:…` nor `runtime:…`. Those come first: what a program calls its session cannot take them away. */
export const isTypedRef = (text: string): boolean => !/^(?:pane|runtime):/.test(text);

/**
 * The parts of a pane's canonical reference, as the daemon gives it (`pane:vm1:work/a%20b/@3/%12`); null for anything else. What a
 * person typed is read by core/engine/ref.ts, which says what is wrong with it.
 */
export const partsOfPaneRef = (
  ref: string,
): {
  target: string;
  tmux_server: string;
  session_name: string;
  window_id: string;
  pane_id: string;
} | null => {
  const [, target, server = DEFAULT_SERVER, session, window_id, pane_id] =
    /^pane:([^/:]+)(?::([^/:]+))?\/([^/]*)\/(@\d+)\/(%\d+|bg-[\w-]+)$/.exec(ref) ?? [];
  if (target === undefined || session === undefined || window_id === undefined || pane_id === undefined)
    return null;
  try {
    return { target, tmux_server: server, session_name: decodeURIComponent(session), window_id, pane_id };
  } catch {
    // Not percent-encoded: it is not of the daemon.
    return null;
  }
};

const PANE_REFS = /pane:[^\s/]+\/[^\s/]*\/@\d+\/(?:%\d+|bg-[\w-]+)/g;

/** A sentence for a person, with the canonical references of panes in their short form. */
export const shortenRefs = (text: string): string =>
  text.replaceAll(PANE_REFS, (ref) => {
    const parts = partsOfPaneRef(ref);
    if (parts === null) return ref;
    const { target, tmux_server: server, pane_id: paneId } = parts;
    return formatShortRef({ target, server, paneId });
  });
