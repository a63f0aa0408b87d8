// Which runtime an event belongs to (spec 7.4): `placeEvent` where its pane proves nothing, else `bindEvent`. An event is a claim;
// the pane's process decides. An event without proof waits; nothing is guessed.
import type { Envelope } from "../model/envelope.ts";
import type { Runtime, ServerInstance } from "../model/runtime.ts";
import { BACKGROUND_SERVER } from "../model/shortRef.ts";

// Where the pane proves nothing: some agents run hooks in one background server for all their windows, with the environment of
// whichever pane started it (docs/adr/0006). The event is bound by its session, by the process that ran the hook, or by the prompt
// that exactly one screen shows.

/** The events of an agent behind another program do not come here: one that names its pane is somebody else's. */
export const mayTell = ({ inside }: Runtime): boolean => inside === null;

/** What is known of a live runtime that an event may belong to. */
export interface Whereabouts {
  /** Working folder of its process; null where it could not be read. */
  processCwd: string | null;
  /** The latest read of its visible screen; `readAt` is epoch ms. */
  screen: { text: string; readAt: number } | null;
}

export interface PaneBindingInput {
  envelope: Envelope;
  targetId: string;
  sessionId: string | null;
  /** Working folder as the event names it. */
  cwd: string | null;
  /** What the person asked, where this is the event of a prompt. */
  promptText: string | null;
  /** Live runtimes, and those that ended recently; those of other targets are no candidates, whatever the event names. */
  runtimes: readonly Runtime[];
  whereabouts: ReadonlyMap<string, Whereabouts>;
  /** A session of this agent may go on after its pane: its row is about to come. */
  outlivesPane: boolean;
  /** How long it has waited, ms. */
  waitedMs: number;
}

type PaneBinding =
  | { kind: "bound"; runtimeId: string }
  | { kind: "pending"; reason: string }
  | { kind: "dropped"; reason: "older_runtime" };

/** Start times have 10 ms resolution, file times that of the kernel's tick. */
const START_TOLERANCE_MS = 1_500;
/** Shorter prompts ("go on") are on too many screens. */
const MIN_PROMPT_LENGTH = 12;
/** Of a longer prompt the beginning must be on the screen. */
const MAX_PROMPT_LENGTH = 400;
/** A screen shows a prompt at once, or this long after its event: an old equal prompt elsewhere must not win before that. */
export const PROMPT_DRAWN_MS = 500;
/** For a screen that cannot be read, a session that has a row does without its prompt no longer than this. */
const UNREAD_MS = 5_000;

const isOfLife = (envelope: Envelope, runtime: Runtime, endToleranceMs = START_TOLERANCE_MS): boolean =>
  (runtime.processStartedAt === null ||
    envelope.eventTime >= runtime.processStartedAt - START_TOLERANCE_MS) &&
  (runtime.endedAt === null || envelope.eventTime <= runtime.endedAt + endToleranceMs);

/**
 * A runtime ended before its session was known, and lived when the event was made: it may be that one's, which no live runtime gets,
 * least of all one that began in the same folder right after it.
 */
const mayBeOrphan = (envelope: Envelope, runtimes: readonly Runtime[]): boolean =>
  runtimes.some(
    (runtime) =>
      runtime.endedAt !== null && runtime.agentSessionId === null && isOfLife(envelope, runtime, 0),
  );

const beganAfter = ({ processStartedAt }: Runtime, time: number): boolean =>
  processStartedAt !== null && processStartedAt > time;

/** Wrapping puts breaks and indentation anywhere, so no white space counts. */
const squeezed = (text: string): string => text.replaceAll(/\s+/g, "");

/** The prompt as it must be found on a screen; null where it is too short to tell screens apart. */
const wantedText = (promptText: string): string | null => {
  const normal = promptText.trim().replaceAll(/\s+/g, " ");
  return normal.length < MIN_PROMPT_LENGTH ? null : squeezed(normal.slice(0, MAX_PROMPT_LENGTH));
};

/** Runtimes that may be meant: in the event's folder, or in one that is not known. */
const rivalsOf = (
  input: PaneBindingInput,
  live: readonly Runtime[],
): { inFolder: Runtime[]; unknown: Runtime[] } => {
  const folderOf = ({ runtimeId }: Runtime): string | null =>
    input.whereabouts.get(runtimeId)?.processCwd ?? null;
  return {
    inFolder: live.filter((runtime) => input.cwd !== null && folderOf(runtime) === input.cwd),
    unknown: live.filter((runtime) => folderOf(runtime) === null),
  };
};

const areRead = ({ envelope, whereabouts }: PaneBindingInput, candidates: readonly Runtime[]): boolean =>
  candidates.every(({ runtimeId }) => {
    const { readAt = -Infinity } = whereabouts.get(runtimeId)?.screen ?? {};
    return readAt >= envelope.eventTime + PROMPT_DRAWN_MS;
  });

const byPrompt = (input: PaneBindingInput, candidates: readonly Runtime[]): PaneBinding => {
  const { promptText, whereabouts } = input;
  const wanted = promptText === null ? null : wantedText(promptText);
  if (wanted === null) return { kind: "pending", reason: "its prompt is too short to find its pane by" };
  if (!areRead(input, candidates))
    return { kind: "pending", reason: "the screens of its candidates were not read yet" };
  const showing = candidates.filter(({ runtimeId }) =>
    squeezed(whereabouts.get(runtimeId)?.screen?.text ?? "").includes(wanted),
  );
  const [only] = showing;
  return only !== undefined && showing.length === 1
    ? { kind: "bound", runtimeId: only.runtimeId }
    : { kind: "pending", reason: `its prompt is on ${showing.length} of ${candidates.length} screens` };
};

/** A terminal that has named no session may be the one in which somebody chose, from the agent's own list, one that no pane showed. */
const hasNamedNone = ({ server, agentSessionId, endedAt, inside }: Runtime): boolean =>
  server !== BACKGROUND_SERVER && agentSessionId === null && endedAt === null && inside === null;

/** Whether this is a prompt, by which a session without a pane may turn out to be shown by one of these runtimes of its agent. */
export const mayBeChosen = (
  { sessionId, promptText }: Pick<PaneBindingInput, "sessionId" | "promptText">,
  ofAgent: readonly Runtime[],
): boolean =>
  promptText !== null &&
  wantedText(promptText) !== null &&
  ofAgent.some((one) => one.server === BACKGROUND_SERVER && one.agentSessionId === sessionId) &&
  ofAgent.some(hasNamedNone);

/** The terminal that has taken up the session, which `own` has without a pane. Where none can be told, it stays there. */
const chosenIn = (input: PaneBindingInput, own: Runtime, live: readonly Runtime[]): PaneBinding => {
  const stays = { kind: "bound", runtimeId: own.runtimeId } as const;
  if (!mayBeChosen(input, live)) return stays;
  const terminals = live.filter(hasNamedNone);
  const placed = byPrompt(input, terminals);
  const mayBeRead = !areRead(input, terminals) && input.waitedMs < UNREAD_MS;
  return placed.kind === "bound" || mayBeRead ? placed : stays;
};

/** True for an event that may tie a session to a pane for the first time; other events follow it, or are not ours. */
const isTie = ({ promptText }: { promptText: string | null }): boolean => promptText !== null;

/**
 * In this order: the live runtime whose own process ran the hook; the live runtime that has this session, or the terminal in
 * which somebody chose it; for the event of a prompt the only runtime in its folder, where it has no session yet; the one runtime whose screen shows the prompt. An
 * event of a session whose runtime ended goes to no other pane, unless a person prompted that session again (it was resumed).
 */
export const placeEvent = (input: PaneBindingInput): PaneBinding => {
  const { envelope, sessionId, runtimes, targetId } = input;
  const ofAgent = runtimes.filter(
    (runtime) =>
      runtime.targetId === targetId && runtime.agentType === envelope.agentType && mayTell(runtime),
  );
  const isOrphan = mayBeOrphan(envelope, ofAgent);
  const live = ofAgent.filter(
    (runtime) =>
      runtime.endedAt === null &&
      isOfLife(envelope, runtime) &&
      !(isOrphan && beganAfter(runtime, envelope.eventTime)),
  );
  // The process of sessions without a pane is that of all of them, and of those in panes.
  const inPanes = live.filter(({ server }) => server !== BACKGROUND_SERVER);
  const parent = inPanes.find(({ pid }) => pid !== null && pid === envelope.parentPid);
  if (parent !== undefined) return { kind: "bound", runtimeId: parent.runtimeId };
  if (sessionId === null) return { kind: "pending", reason: "it names no session" };

  const ofSession = live.filter((runtime) => runtime.agentSessionId === sessionId);
  const shown = ofSession.filter(({ server }) => server !== BACKGROUND_SERVER);
  // The row without a pane stays for a moment when a terminal has taken up its session.
  const [known, ...others] = shown.length > 0 ? shown : ofSession;
  if (known !== undefined && others.length === 0) return chosenIn(input, known, live);
  const ended = ofAgent.filter((runtime) => runtime.endedAt !== null && runtime.agentSessionId === sessionId);
  if (ended.length > 0 && (!isTie(input) || ended.some((runtime) => isOfLife(envelope, runtime))))
    return input.outlivesPane
      ? { kind: "pending", reason: "its pane has gone, and no row has its session yet" }
      : { kind: "dropped", reason: "older_runtime" };
  if (!isTie(input)) return { kind: "pending", reason: "its session is not known in any pane yet" };

  const { inFolder, unknown } = rivalsOf(input, inPanes);
  const rivals = [...inFolder, ...unknown];
  const [first] = inFolder;
  if (first !== undefined && rivals.length === 1 && first.agentSessionId === null && !isOrphan)
    return { kind: "bound", runtimeId: first.runtimeId };
  const own = inPanes.filter((runtime) => runtime.paneId === envelope.paneId && !rivals.includes(runtime));
  const candidates = [...rivals, ...own];
  return candidates.length === 0
    ? { kind: "pending", reason: "no runtime of its agent is in its folder" }
    : byPrompt(input, candidates);
};

export type Binding =
  | { kind: "bound"; runtimeId: string }
  | { kind: "pending"; reason: string }
  | { kind: "dropped"; reason: "older_runtime" | "agent_mismatch" | "other_server_life" | "no_pane" };

export interface BindInput {
  envelope: Envelope;
  /** The agent's own session id as the adapter read it from the payload. */
  sessionId: string | null;
  targetId: string;
  /** It says that a session begins: nothing that comes from an agent after its end does. */
  beginsSession: boolean;
  /** Tmux servers of the target as they are known now. */
  servers: readonly ServerInstance[];
  /** Live runtimes, and those that ended recently; those of other targets are no candidates, whatever the event names. */
  runtimes: readonly Runtime[];
}

/** For an event without a pane. Two live runtimes of one session prove nothing. */
const bySession = ({ envelope, sessionId }: BindInput, runtimes: readonly Runtime[]): Runtime | null => {
  if (sessionId === null) return null;
  const known = runtimes.filter(
    (runtime) =>
      runtime.agentSessionId === sessionId &&
      runtime.agentType === envelope.agentType &&
      runtime.endedAt === null,
  );
  return known.length === 1 && known[0] !== undefined && isOfLife(envelope, known[0]) ? known[0] : null;
};

export const bindEvent = (input: BindInput): Binding => {
  const { envelope, servers, targetId } = input;
  const runtimes = input.runtimes.filter((runtime) => runtime.targetId === targetId && mayTell(runtime));
  const isInPane = runtimes.some(
    ({ paneId, agentSessionId, endedAt }) =>
      endedAt === null && paneId === envelope.paneId && agentSessionId === input.sessionId,
  );
  // The hooks of a session may run with the environment of the pane in which somebody started it.
  const inBackground = isInPane
    ? null
    : bySession(
        input,
        runtimes.filter(({ server }) => server === BACKGROUND_SERVER),
      );
  if (inBackground !== null) return { kind: "bound", runtimeId: inBackground.runtimeId };
  if (envelope.paneId === null || envelope.tmuxSocket === null) {
    const session = bySession(input, runtimes);
    return session === null
      ? { kind: "dropped", reason: "no_pane" }
      : { kind: "bound", runtimeId: session.runtimeId };
  }

  const server = servers.find((instance) => instance.socketPath === envelope.tmuxSocket);
  if (server === undefined) return { kind: "pending", reason: "its tmux server is not known" };
  if (envelope.tmuxServerPid !== null && envelope.tmuxServerPid !== server.pid)
    return { kind: "dropped", reason: "other_server_life" };

  const ofPane = runtimes.filter(
    (runtime) => runtime.server === server.server && runtime.paneId === envelope.paneId,
  );
  const live = ofPane.find((runtime) => runtime.endedAt === null);
  if (live === undefined) {
    // A session may be taken up in the same pane before its process is recognised.
    const endToleranceMs = input.beginsSession ? 0 : START_TOLERANCE_MS;
    const ended = ofPane.some(
      (runtime) => runtime.agentType === envelope.agentType && isOfLife(envelope, runtime, endToleranceMs),
    );
    return ended
      ? { kind: "dropped", reason: "older_runtime" }
      : { kind: "pending", reason: "no agent is known in its pane yet" };
  }
  if (!isOfLife(envelope, live)) return { kind: "dropped", reason: "older_runtime" };
  if (live.agentType !== envelope.agentType) return { kind: "dropped", reason: "agent_mismatch" };
  return { kind: "bound", runtimeId: live.runtimeId };
};
