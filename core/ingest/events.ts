// Event files in: each is normalised by its adapter (those of our wrapper here), bound to the runtime that it names, and applied;
// one that names no runtime yet waits, durably, until its time is over. Agents' events are bound by core/engine/bind.ts.
import { bindEvent, type Binding, type BindInput, mayBeChosen, mayTell, placeEvent } from "../engine/bind.ts";
import { type Envelope, readWrapperEvent, isWrapperEvent } from "../model/envelope.ts";
import { ROOT_AGENT, type Signal } from "../model/evidence.ts";
import type { Runtime, ServerInstance } from "../model/runtime.ts";
import { BACKGROUND_SERVER } from "../model/shortRef.ts";
import type { NormalizedEvent } from "../ports/agentAdapter.ts";
import { type PendingEvent, storeFailureOf } from "../ports/store.ts";
import { noteTold } from "./activity.ts";
import type { RuntimeEntry } from "./liveState.ts";
import type { States } from "./states.ts";
import type { UnitOfWork } from "./unitOfWork.ts";

/** Within this time, a session that goes on without a terminal has its row; nobody may have seen it in one (core/collect). */
const GOES_ON_MS = 12_000;
/** How long an agent that says that it exits may still tidy up. */
const LEAVING_MS = 2_000;

// Wrapper: what its events say and whose they are. It knows the pid of the agent, not its type, so the process decides which
// runtime is meant.

/** Proof of life, and no more: the start of an agent says nothing about its turn, and its end is judged when the runtime ends. */
const SIGN_OF_LIFE: Signal = {
  kind: "activity",
  agentId: ROOT_AGENT,
  status: null,
  confidence: "high",
  boundary: false,
  closes: [],
  names: null,
};

export const normalizeWrapper = (envelope: Envelope): NormalizedEvent => ({
  signals: readWrapperEvent(envelope) === null ? [] : [SIGN_OF_LIFE],
  sessionId: null,
  eventId: null,
  isExit: false,
});

/** Bound to the runtime whose process the wrapper started; never to another one of the same pane. */
const bindWrapper = (input: Omit<BindInput, "sessionId" | "beginsSession">): Binding => {
  const { envelope, runtimes, targetId } = input;
  const pid = readWrapperEvent(envelope)?.pid ?? null;
  const own = runtimes.filter(
    (runtime) => pid !== null && runtime.pid === pid && runtime.targetId === targetId && mayTell(runtime),
  );
  const agentType = own.find(({ paneId }) => paneId === envelope.paneId)?.agentType ?? envelope.agentType;
  const binding = bindEvent({
    ...input,
    envelope: { ...envelope, agentType },
    sessionId: null,
    beginsSession: false,
  });
  if (binding.kind !== "bound" || own.some(({ runtimeId }) => runtimeId === binding.runtimeId))
    return binding;
  return { kind: "dropped", reason: "agent_mismatch" };
};

/** Per target: an event that waits for longer than seconds belongs to nobody. */
const MAX_PENDING = 2_000;

const partition = <T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] => [
  all.filter(isFirst),
  all.filter((one) => !isFirst(one)),
];

export class Events {
  private readonly unitOfWork: UnitOfWork;
  private readonly states: States;

  constructor(unitOfWork: UnitOfWork, states: States) {
    this.unitOfWork = unitOfWork;
    this.states = states;
  }

  /** Commits a drained batch durably. One bad event cannot poison the batch: each has a savepoint. Throws when the store fails. */
  applyBatch(targetId: string, envelopes: readonly Envelope[]): void {
    const { unitOfWork } = this;
    const { store, logger } = unitOfWork.deps;
    unitOfWork.commit(() => {
      for (const envelope of envelopes) {
        const ingestedAt = unitOfWork.nextIngestedAt();
        if (!store.rememberSpoolName(targetId, envelope.spoolName, ingestedAt)) {
          unitOfWork.drop("duplicate");
          continue;
        }
        try {
          store.savepoint(() => this.apply({ targetId, server: null, envelope, ingestedAt }, true));
        } catch (error) {
          // A full or broken disk is not the event's fault: the batch must fail and be tried again.
          if (storeFailureOf(error) !== null) throw error;
          unitOfWork.restoreAfterCommit();
          unitOfWork.drop("failed");
          logger.error(
            { error, spoolName: envelope.spoolName, event: envelope.eventName },
            "an event could not be applied and was left out",
          );
        }
      }
      this.boundPending(targetId);
      this.bindPending(targetId);
    });
  }

  private normalize(envelope: Envelope, confirmRequests: boolean): NormalizedEvent | null {
    if (isWrapperEvent(envelope)) return normalizeWrapper(envelope);
    return (
      this.unitOfWork.deps.adapterOf(envelope.agentType)?.normalize(envelope, { confirmRequests }) ?? null
    );
  }

  /** False when the event stays pending. */
  private apply(event: PendingEvent, isNew: boolean): boolean {
    const { unitOfWork } = this;
    const { envelope } = event;
    const normalized = this.normalize(envelope, false);
    if (normalized === null) {
      unitOfWork.drop("unknown_agent");
      return true;
    }
    const binding = this.bind(event, normalized);
    switch (binding.kind) {
      case "pending":
        if (isNew && unitOfWork.deps.store.addPending(event)) unitOfWork.pending.push(event);
        return false;
      case "dropped":
        unitOfWork.drop(binding.reason);
        return true;
      case "bound": {
        const entry = unitOfWork.liveState.runtimes.get(binding.runtimeId);
        // A second reading would give the same result, unless the runtime's requests have to be confirmed.
        if (entry !== undefined)
          this.applyTo(entry, event, entry.confirmRequests ? this.normalize(envelope, true) : normalized);
        return true;
      }
    }
  }

  private bind({ envelope, targetId, ingestedAt }: PendingEvent, normalized: NormalizedEvent): Binding {
    const { liveState, deps } = this.unitOfWork;
    const { sessionId } = normalized;
    const isWrapped = isWrapperEvent(envelope);
    const adapter = deps.adapterOf(envelope.agentType);
    if (!isWrapped && adapter?.eventsMayNameOtherPanes !== true) {
      const servers = liveState.instances(targetId);
      const runtimes = this.candidates(targetId, envelope, sessionId, servers);
      const beginsSession = normalized.signals.some(
        (signal) => signal.kind === "activity" && signal.boundary && signal.status?.reasonCode === "fresh",
      );
      return bindEvent({ envelope, sessionId, beginsSession, targetId, servers, runtimes });
    }
    const entries = [...liveState.liveOfTarget(targetId)];
    const runtimes = [...entries.map((entry) => entry.runtime), ...liveState.endedOf(targetId)];
    if (isWrapped)
      return bindWrapper({ envelope, targetId, servers: liveState.instances(targetId), runtimes });
    return placeEvent({
      envelope,
      targetId,
      sessionId,
      cwd: normalized.cwd ?? null,
      promptText: normalized.promptText ?? null,
      outlivesPane: adapter?.background !== undefined,
      waitedMs: deps.clock.now() - ingestedAt,
      runtimes,
      whereabouts: new Map(
        entries.map(({ runtime, processCwd, screen }) => [
          runtime.runtimeId,
          { processCwd: processCwd ?? null, screen },
        ]),
      ),
    });
  }

  /** Those runtimes of the event's target that `bindEvent` would consider: going through all for each event would cost too much. */
  private candidates(
    targetId: string,
    { paneId, tmuxSocket }: Envelope,
    sessionId: string | null,
    servers: readonly ServerInstance[],
  ): Runtime[] {
    const { liveState } = this.unitOfWork;
    const ofSession = sessionId === null ? [] : liveState.liveOfSession(targetId, sessionId);
    const server = servers.find((instance) => instance.socketPath === tmuxSocket)?.server;
    const inPane =
      server === undefined || paneId === null ? undefined : liveState.liveOf({ targetId, server, paneId });
    const live = new Set(inPane === undefined ? ofSession : [...ofSession, inPane]);
    const runtimes = Array.from(live, ({ runtime }) => runtime);
    return inPane === undefined ? [...runtimes, ...liveState.endedOf(targetId)] : runtimes;
  }

  private applyTo(
    entry: RuntimeEntry,
    { envelope, ingestedAt }: PendingEvent,
    event: NormalizedEvent | null,
  ): void {
    const { liveState, deps } = this.unitOfWork;
    const { store, ids } = deps;
    if (event === null) return;
    if (event.isExit) {
      entry.sawExitEvent = true;
      entry.leavesBy = deps.clock.now() + LEAVING_MS;
      entry.closelyUntil = entry.leavesBy;
    }
    const wrapped = readWrapperEvent(envelope);
    if (wrapped?.kind === "exit") entry.wrapperExitStatus = wrapped.status;
    entry.cwd = event.cwd ?? entry.cwd;
    entry.transcriptPath = event.transcriptPath ?? entry.transcriptPath;
    if (event.sessionId !== null && event.sessionId !== entry.runtime.agentSessionId) {
      liveState.setAgentSession(entry, event.sessionId);
      store.setAgentSessionId(entry.runtime.runtimeId, event.sessionId);
      // Somebody chose it there. What came while that was not known yet, as a request, went to its row without a pane.
      const before = liveState.predecessorOf(entry);
      if (before?.runtime.server === BACKGROUND_SERVER && before.runtime.endedAt === null)
        this.states.takeOver(entry);
    }
    const base = event.eventId ?? envelope.spoolName;
    // That a dialog is open, but not which: without a screen nobody can see whose it is, and the session's own files say the same.
    const isNamed = (signal: Signal): boolean =>
      signal.kind !== "request" || signal.requestKey !== null || entry.runtime.server !== BACKGROUND_SERVER;
    for (const [index, signal] of event.signals.filter(isNamed).entries())
      this.states.addEvidence(
        entry,
        {
          eventId: ids.next("ev"),
          runtimeId: entry.runtime.runtimeId,
          source: isWrapperEvent(envelope) ? "wrapper" : "hook",
          eventType: envelope.eventName ?? "unnamed",
          sourceSeq: null,
          eventTime: Math.min(envelope.eventTime, ingestedAt),
          ingestedAt,
          dedupeKey: index === 0 ? base : `${base}#${index}`,
          signal,
        },
        envelope.payload,
        event.eventId,
      );
    noteTold(
      entry,
      { ...event, folder: event.cwd ?? null },
      { source: "hook", at: Math.min(envelope.eventTime, ingestedAt), redact: deps.redactText },
    );
    this.states.evaluate(entry);
  }

  /**
   * Inside a commit: tries the waiting events of the target again, and once more those that came before the one that tied their
   * session.
   */
  bindPending(targetId: string): void {
    const { unitOfWork } = this;
    for (let before = Infinity; ;) {
      const [waiting, others] = partition(unitOfWork.pending, (event) => event.targetId === targetId);
      if (waiting.length === 0 || waiting.length >= before) return;
      before = waiting.length;
      unitOfWork.pending = others;
      for (const event of waiting) {
        if (this.apply(event, false)) unitOfWork.deps.store.removePending(event);
        else unitOfWork.pending.push(event);
      }
    }
  }

  /** Inside a commit: the waiting events of every target. */
  bindAllPending(): void {
    for (const targetId of new Set(this.unitOfWork.pending.map((event) => event.targetId)))
      this.bindPending(targetId);
  }

  /** Inside a commit: when a target floods with events that belong to nobody, the oldest are given up. */
  private boundPending(targetId: string): void {
    const waiting = this.unitOfWork.pending.filter((event) => event.targetId === targetId);
    this.giveUp(waiting.slice(0, -MAX_PENDING));
  }

  /**
   * Agents whose events, among those given and those that wait, need their candidates' folders and screens: the pane that
   * they name proves nothing, and no live runtime has their session yet, or one without a pane.
   */
  unplacedAgents(targetId: string, envelopes: readonly Envelope[]): Set<string> {
    const { unitOfWork } = this;
    const live = (): Runtime[] =>
      Array.from(unitOfWork.liveState.liveOfTarget(targetId), ({ runtime }) => runtime);
    // Most events do not need this.
    let bySession: Map<string, Runtime[]> | null = null;
    const needsScreens = (agentType: string, sessionId: string | null, promptText: string): boolean => {
      bySession ??= Map.groupBy(live(), (one) => `${one.agentType}/${one.agentSessionId}`);
      const shown = bySession.get(`${agentType}/${sessionId}`) ?? [];
      if (shown.some(({ server }) => server !== BACKGROUND_SERVER)) return false;
      const ofAgent = live().filter((one) => one.agentType === agentType);
      return shown.length === 0 || mayBeChosen({ sessionId, promptText }, ofAgent);
    };
    const waiting = unitOfWork.pending.flatMap((event) =>
      event.targetId === targetId ? [event.envelope] : [],
    );
    const agents = new Set<string>();
    for (const envelope of [...envelopes, ...waiting]) {
      const { agentType } = envelope;
      if (agents.has(agentType) || isWrapperEvent(envelope)) continue;
      if (unitOfWork.deps.adapterOf(agentType)?.eventsMayNameOtherPanes !== true) continue;
      const { sessionId = null, promptText = null } = this.normalize(envelope, false) ?? {};
      if (promptText !== null && needsScreens(agentType, sessionId, promptText)) agents.add(agentType);
    }
    return agents;
  }

  /** Screens of live runtimes by id, read at `readAt` (epoch ms): the waiting events are tried again with them. */
  offerScreens(screens: ReadonlyMap<string, string>, readAt: number): void {
    const { unitOfWork } = this;
    unitOfWork.commit(() => {
      const targetIds = new Set<string>();
      for (const [runtimeId, text] of screens) {
        const entry = unitOfWork.liveState.runtimes.get(runtimeId);
        if (entry === undefined) continue;
        entry.screen = { text, readAt };
        targetIds.add(entry.runtime.targetId);
      }
      for (const targetId of targetIds) this.bindPending(targetId);
    });
  }

  /** Inside a commit: gives up on those that waited for longer than the limit. */
  expirePending(now: number): void {
    const { deps, pending, rebuiltAt, liveState } = this.unitOfWork;
    const { pending_bind_local_ms: localMs, pending_bind_ssh_ms: sshMs } = deps.timing();
    const limitOf = ({ targetId, envelope }: PendingEvent): number => {
      const limitMs = liveState.targets.get(targetId)?.kind === "ssh" ? sshMs : localMs;
      const { startsInTerminals = false } = deps.adapterOf(envelope.agentType)?.background ?? {};
      return startsInTerminals ? Math.max(limitMs, GOES_ON_MS) : limitMs;
    };
    this.giveUp(pending.filter((event) => now - Math.max(event.ingestedAt, rebuiltAt) > limitOf(event)));
  }

  private giveUp(events: readonly PendingEvent[]): void {
    const { unitOfWork } = this;
    const given = new Set(events);
    if (given.size === 0) return;
    unitOfWork.pending = unitOfWork.pending.filter((event) => !given.has(event));
    for (const event of given) {
      unitOfWork.deps.store.removePending(event);
      unitOfWork.drop("dropped_unbound");
    }
    const [first] = events;
    unitOfWork.deps.logger.info(
      { count: given.size, agentType: first?.envelope.agentType, eventName: first?.envelope.eventName },
      "events found no runtime in time and were dropped",
    );
  }
}
