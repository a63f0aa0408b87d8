// Who is attached to a tmux server: terminals, and programs in control mode. A control client with a terminal of its own is
// one that shows tmux's windows natively (iTerm2's `tmux -CC`); one without is a program that only listens.

/** Nothing in it can hold a space: numbers, ids, a device path, a list of words. */
export const CLIENT_FORMAT =
  "#{client_control_mode} #{client_readonly} #{client_activity} #{session_id} #{client_tty} #{pane_id} #{focus-events} #{client_flags}";

export interface TmuxClient {
  /** In control mode on a terminal: tmux's windows are the terminal program's own. */
  isNative: boolean;
  isReadOnly: boolean;
  activeAt: number;
  sessionId: string;
  tty: string;
  /** The active pane of the session's current window. */
  paneId: string;
  /** The terminal has the focus; one that does not report it always has. */
  isFocused: boolean;
  /** tmux asks terminals to report focus. */
  reportsFocus: boolean;
}

/** Null for a control client without a terminal. */
const parseClient = (line: string): TmuxClient | null => {
  const match = /^([01]) ([01]) (\d+) (\$\d+) (\/dev\/[A-Za-z0-9/._-]+) (%\d+) ([01]?) (\S*)$/.exec(line);
  return match === null
    ? null
    : {
        isNative: match[1] === "1",
        isReadOnly: match[2] === "1",
        activeAt: Number(match[3]),
        sessionId: match[4] ?? "",
        tty: match[5] ?? "",
        paneId: match[6] ?? "",
        isFocused: (match[8] ?? "").split(",").includes("focused"),
        reportsFocus: match[7] === "1",
      };
};

/** Clients with a terminal, the one that was used last first. */
export const parseClients = (lines: readonly string[]): TmuxClient[] =>
  lines
    .map(parseClient)
    .filter((client) => client !== null)
    .toSorted((a, b) => b.activeAt - a.activeAt);
