// An agent of which nothing but its screen is known, because it runs behind a program of this machine (ssh, a container's client,
// another multiplexer): what is left of its adapter then. Which programs these are is said in core/collect/insideWatch.ts.
import type { AgentAdapter, Reading, Screen } from "./agentAdapter.ts";

/** Their own lines may stand above or below everything that runs in them. */
const MULTIPLEXERS: ReadonlySet<string> = new Set(["tmux", "screen"]);
/** As tmux draws it unless it is told otherwise: the session, then its windows. */
const TMUX_STATUS = /^\[[^\]]{1,60}\] *\d+:\S/;

const withRows = (screen: Screen, change: (rows: readonly string[]) => readonly string[]): Screen => ({
  ...screen,
  lines: change(screen.lines),
  ...(screen.styledLines === undefined ? {} : { styledLines: change(screen.styledLines) }),
});
const withoutLast = (screen: Screen): Screen => ({
  ...withRows(screen, (rows) => rows.slice(0, screen.lines.length - 1)),
  height: screen.height - 1,
});
/** The first row stays, but is empty, so that the others keep their places. */
const withoutFirst = (screen: Screen): Screen => withRows(screen, (rows) => ["", ...rows.slice(1)]);

/** The screen, and what may be the agent's part of it. The title may be one that another program left. */
const partsOf = (screen: Screen, inside: string): Screen[] => {
  const { lines, height } = screen;
  const whole = { ...screen, title: "" };
  const isLow = lines.length === height;
  const mayBeStatus = MULTIPLEXERS.has(inside) || TMUX_STATUS.test(lines.at(-1) ?? "");
  return [
    whole,
    ...(isLow && mayBeStatus ? [withoutLast(whole)] : []),
    ...(MULTIPLEXERS.has(inside) ? [withoutFirst(whole)] : []),
  ];
};

/**
 * The adapter without all that needs the agent's process, its files or its events. It reads a screen only where nobody else draws
 * such a one (`isOwnScreen`), but for views of the agent, which say nothing of its state. `inside`: the program. Null: this agent's
 * screen alone proves nothing.
 */
export const onScreenAlone = (adapter: AgentAdapter, inside: string): AgentAdapter | null => {
  if (adapter.isOwnScreen === undefined) return null;
  const ownPart = (screen: Screen): Screen | null =>
    partsOf(screen, inside).find((part) => adapter.isOwnScreen?.(part) === true) ?? null;
  const readScreen = (screen: Screen): Reading | null => {
    const part = ownPart(screen);
    if (part !== null) return adapter.readScreen(part);
    const other = adapter.readScreen({ ...screen, title: "" });
    return other?.status.state === "unknown" ? other : null;
  };
  return {
    contractVersion: adapter.contractVersion,
    agentType: adapter.agentType,
    displayName: adapter.displayName,
    version: adapter.version,
    recordedVersions: adapter.recordedVersions,
    capabilities: { ...adapter.capabilities, event_driven: false },
    announcesExit: false,
    identify: () => null,
    normalize: () => ({ signals: [], sessionId: null, eventId: null, isExit: false }),
    readScreen,
    isOwnScreen: (screen) => ownPart(screen) !== null,
    ...(adapter.readDraft === undefined
      ? {}
      : {
          readDraft: (screen) => {
            const part = ownPart(screen);
            return part === null ? null : (adapter.readDraft?.(part) ?? null);
          },
        }),
    ...(adapter.interruptKeys === undefined ? {} : { interruptKeys: adapter.interruptKeys }),
    ...(adapter.movesCursorInDialogs === undefined
      ? {}
      : { movesCursorInDialogs: adapter.movesCursorInDialogs }),
    ...(adapter.dialogIgnoresKeysMs === undefined
      ? {}
      : { dialogIgnoresKeysMs: adapter.dialogIgnoresKeysMs }),
  };
};
