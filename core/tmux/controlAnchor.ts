// Which session the control client attaches to. Attaching is not free of traces: the session shows as attached, a plain
// `tmux attach` prefers another one, and its visible pane counts as focused. So it is the session that is least likely
// to be the next one that a person attaches to, and never one that would outlive its owner because of us.

/** `#{…}` read per session, in the order of `parseAnchorCandidates`. Flag options print as 0/1 or off/on by version. */
export const ANCHOR_FORMAT =
  "#{session_id} #{session_activity} #{session_attached} #{destroy-unattached} #{exit-unattached}";

export interface AnchorCandidate {
  sessionId: string;
  activityAt: number;
  isAttached: boolean;
  /** The session, or the whole server, ends when its last client leaves: our client would keep it alive. */
  endsUnattached: boolean;
}

const isOff = (value: string | undefined): boolean => value === "0" || value === "off" || value === "";

/** Reads the lines of `list-sessions -F ANCHOR_FORMAT`; what is malformed is left out. */
export const parseAnchorCandidates = (stdout: string): AnchorCandidate[] =>
  stdout.split("\n").flatMap((line) => {
    const [sessionId = "", activity = "", attached = "", destroy, exit] = line.split(" ");
    if (!/^\$\d+$/.test(sessionId)) return [];
    return [
      {
        sessionId,
        activityAt: Number(activity) || 0,
        isAttached: attached !== "0",
        endsUnattached: !isOff(destroy) || !isOff(exit),
      },
    ];
  });

/** The least recently used unattached session, else the least recently used one; null where none may be held open. */
export const chooseAnchor = (candidates: readonly AnchorCandidate[]): string | null =>
  candidates
    .filter((candidate) => !candidate.endsUnattached)
    .toSorted((a, b) => Number(a.isAttached) - Number(b.isAttached) || a.activityAt - b.activityAt)[0]
    ?.sessionId ?? null;
