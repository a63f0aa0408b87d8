// What the daemon can be asked for while a person types: `agtmux __complete <kind>`. It has its own file because every start of
// the command line loads it.
const LIVE_KINDS = ["refs", "runtimes", "targets", "sessions", "target-sessions", "agents"] as const;
export type LiveKind = (typeof LIVE_KINDS)[number];

export const isLiveKind = (text: string): text is LiveKind => LIVE_KINDS.some((kind) => kind === text);
