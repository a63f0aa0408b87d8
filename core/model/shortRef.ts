// The reference that surfaces show: short enough to type, and the same pane wherever it is typed. It names the machine and,
// beside the default one, the tmux server, because a bare `%12` means the server that the person is in. The command line loads this
// at each start, so it imports nothing.

/** The tmux server that references leave out. */
export const DEFAULT_SERVER = "default";

/** `vm1`, or `vm1:work` for a tmux server beside the default one: what stands before the slash of every reference. */
export const formatTarget = (target: string, server: string): string =>
  server === DEFAULT_SERVER ? target : `${target}:${server}`;

/** `host/%12` */
export const formatShortRef = (subject: { target: string; server: string; paneId: string }): string =>
  `${formatTarget(subject.target, subject.server)}/${subject.paneId}`;

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
    /^pane:([^/:]+)(?::([^/:]+))?\/([^/]*)\/(@\d+)\/(%\d+)$/.exec(ref) ?? [];
  if (target === undefined || session === undefined || window_id === undefined || pane_id === undefined)
    return null;
  try {
    return { target, tmux_server: server, session_name: decodeURIComponent(session), window_id, pane_id };
  } catch {
    // Not percent-encoded: it is not of the daemon.
    return null;
  }
};
