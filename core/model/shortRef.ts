// The reference that surfaces show: short enough to type, and the same pane wherever it is typed. It names the machine and,
// beside the default one, the tmux server, because a bare `%12` means the server that the person is in. The command line loads this at each start: it needs nothing.

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
