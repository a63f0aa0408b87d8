// The actions on panes as the service offers them, and those that nobody watches (`UnattendedActions`): each through the gate, on
// record, with the parts of the daemon that it needs. What an action does with a pane is in the other files of this folder.
import type { ConnectedTargets } from "../connections/connectedTarget.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { type RuntimeEntry, turnMark } from "../ingest/liveState.ts";
import { type CanonicalState, isWaiting } from "../model/state.ts";
import { findProcess, killProcess, createProcessSignaller } from "./kill.ts";
import type { DaemonService } from "../api/calls.ts";
import { interruptTurn } from "./interrupt.ts";
import { requireScreen, type Gate } from "./prepare.ts";
import { sendText } from "./send.ts";
import { createKeyedMutex } from "../engine/semaphore.ts";
import { type ActionResult, actionGuardsSchema } from "../model/action.ts";
import { AgtmuxError } from "../model/errors.ts";
import { paneKeyString, type Pane, type PaneKey } from "../model/runtime.ts";
import { backgroundIdOf } from "../model/shortRef.ts";
import { uncommittedText } from "../model/workspace.ts";
import type { Clock, IdSource } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { TmuxClient } from "../tmux/clients.ts";
import { auditList, type ActionAudit, type ActionTurn, createIdempotency, toResult } from "./audit.ts";
import {
  createPaneAnswer,
  type UnattendedAnswer,
  createUnattendedAnswers,
  type UnattendedAnswers,
} from "./paneAnswer.ts";
import { openBackgroundScreen, type Awaited } from "./backgroundScreen.ts";
import { createSessionStopper, requireStoppable } from "./background.ts";
import { createPaneReach, type PaneScreen } from "./paneClient.ts";
import { showsMode } from "./typing.ts";
import { readCapture, requireFitPane } from "./screenReading.ts";
import { poll } from "./pause.ts";
import { createOutputActions } from "./viewOutput.ts";
import { createUnattended, findReset, type Occasion, type Unattended } from "./unattended.ts";

/** What actions ask of a live runtime: its state and turns, who has the terminal, and how its input box takes keys. */
interface LiveAgents {
  /** Null when it has ended meanwhile. */
  readonly entryOf: (runtimeId: string) => RuntimeEntry | null;
  readonly stateOf: (runtimeId: string) => CanonicalState | null;
  readonly isForeground: (runtimeId: string) => Promise<boolean>;
  /** See `TextModeInput`. */
  readonly usesModes: (runtimeId: string) => Promise<boolean>;
}

const createLiveAgents = ({
  ingest,
  connectedTargets,
}: {
  ingest: Ingest;
  connectedTargets: ConnectedTargets;
}): LiveAgents => {
  const entryOf = (runtimeId: string): RuntimeEntry | null => {
    const entry = ingest.liveState.runtimes.get(runtimeId);
    return entry === undefined || entry.runtime.endedAt !== null ? null : entry;
  };
  return {
    entryOf,
    stateOf: (runtimeId) => entryOf(runtimeId)?.resolution?.status.state ?? null,
    isForeground: async (runtimeId) => {
      const { runtime, adapter } = entryOf(runtimeId) ?? {};
      if (runtime === undefined || runtime.pid === null || runtime.processStartedAt === null) return false;
      const { executor, processes } = connectedTargets.get(runtime.targetId);
      // The server of all sessions has no terminal: keys go to the screen that we opened.
      if (backgroundIdOf(runtime.paneId) !== null && adapter?.background?.startsInTerminals === true)
        return processes.verify(runtime.pid, runtime.processStartedAt);
      const seen = await findProcess(executor, runtime.pid);
      // A pid that was given to another process may be in front of another terminal.
      return seen?.isForeground === true && (await processes.verify(runtime.pid, runtime.processStartedAt));
    },
    usesModes: async (runtimeId) => {
      const entry = entryOf(runtimeId);
      if (entry?.adapter?.inputModes === undefined) return false;
      const { executor } = connectedTargets.get(entry.runtime.targetId);
      const cwd = entry.activity.folder?.value ?? null;
      // A key that leads into a mode would be text where there are none.
      if (entry.account === null)
        throw new AgtmuxError(
          "E_STALE_SNAPSHOT",
          "Nothing was sent: can't find the agent's settings folder.",
          {
            remedy: `Type in its pane, or name its folder in config.json (agents.${entry.runtime.agentType}.folders).`,
          },
        );
      const { configDir } = entry.account;
      return entry.adapter.inputModes.isOn({ files: executor.files, configDir, cwd });
    },
  };
};

type PaneActionCalls = Pick<DaemonService, "viewOutput" | "send" | "answer" | "interrupt" | "kill" | "audit">;

type SendCall = Parameters<DaemonService["send"]>[0];

/** For texts and answers that are given while nobody watches; no surface can call these. */
export interface UnattendedActions extends UnattendedAnswers {
  /** Why nothing may be typed to this agent now; null: it may. Takes no turn and is not on record, because it only reads. */
  findObstacle(runtimeId: string, options: Occasion): Promise<string | null>;
  /** When the limit that the agent stopped at ends, epoch ms; null: it stopped at none, or that is not known. */
  findReset(runtimeId: string): number | null;
  /** As `send`, to this runtime in this state version; only into the empty input box of an agent that rests, where nobody types. */
  send(
    input: Pick<SendCall, "text" | "surface" | "idempotencyKey"> &
      Occasion & { runtimeId: string; stateVersion: number },
  ): Promise<ActionResult>;
}

interface PaneActions {
  readonly calls: PaneActionCalls;
  readonly unattended: UnattendedActions;
}

const NAMED_LIMIT_MS = 2_500;
const NAMED_EVERY_MS = 50;
const outcomeOf = ({ outcome, is_repeat }: ActionResult): string =>
  is_repeat ? `repeat: ${outcome}` : outcome;

export const createPaneActions = (deps: {
  ingest: Ingest;
  gate: Gate;
  audit: ActionAudit;
  connectedTargets: ConnectedTargets;
  /** For the sockets of screens of our own; the person's alone. */
  screenFolder: string;
  store: Store;
  clock: Clock;
  ids: IdSource;
}): PaneActions => {
  const { ingest, gate, audit, connectedTargets, store, clock } = deps;
  const reach = createPaneReach({
    connectedTargets,
    paneOf: (key) => ingest.liveState.paneOf(key),
    makeNonce: () => deps.ids.nonce(),
  });
  const mutex = createKeyedMutex();
  /** One action at a time per pane: the keys of two senders must never mix, nor one's Enter send the other's text. */
  const inTurn = <T>({ verified }: ActionTurn, work: () => Promise<T>): Promise<T> =>
    mutex.run(paneKeyString(verified.subject.key), work);

  const idempotency = createIdempotency({ store, clock });

  const live = createLiveAgents({ ingest, connectedTargets });
  const { entryOf, stateOf, isForeground } = live;
  const insideOf = (runtimeId: string): string | null => entryOf(runtimeId)?.runtime.inside ?? null;

  /** The agent that an action needs. @throws AgtmuxError E_UNSUPPORTED for a pane without one. */
  const agentOf = ({ verified: { subject } }: ActionTurn): RuntimeEntry => {
    const entry = subject.runtimeId === null ? null : entryOf(subject.runtimeId);
    if (entry === null)
      throw new AgtmuxError("E_UNSUPPORTED", `No agent runs in ${subject.paneRef}`, {
        remedy: "Choose a pane that has one; see 'agtmux list panes'.",
      });
    return entry;
  };

  const openScreen = (entry: RuntimeEntry, id: string, paneRef: string, awaited: Awaited) => {
    const listed = ingest.liveState.paneOf(entry.runtime);
    if (listed === undefined) throw new AgtmuxError("E_STALE_SNAPSHOT", `${paneRef} is no longer there`);
    const connected = connectedTargets.get(entry.runtime.targetId);
    const { adapter, account, cwd } = entry;
    return openBackgroundScreen({
      connected,
      adapter,
      account,
      cwd,
      id,
      listed,
      paneRef,
      awaited,
      folder: deps.screenFolder,
      makeNonce: () => deps.ids.nonce(),
      clock,
    });
  };
  /** The pane, or a screen of our own of a session that no pane shows, for the length of `work`. */
  const onScreen = async <T>(
    { verified: { subject } }: ActionTurn,
    awaited: Awaited,
    work: (screen: PaneScreen) => Promise<T>,
  ): Promise<T> => {
    const id = backgroundIdOf(subject.key.paneId);
    const entry = id === null || subject.runtimeId === null ? null : entryOf(subject.runtimeId);
    if (id === null || entry === null) return work(reach.reach(subject.key, subject.paneRef));
    const { close, pane, client } = await openScreen(entry, id, subject.paneRef, awaited);
    const working = work({ pane, client });
    await Promise.allSettled([working]);
    await close();
    return working;
  };
  const paneAnswer = createPaneAnswer({ ingest, gate, reach, openScreen, clock, entryOf, isForeground });

  const answerOnce = async (
    turn: ActionTurn,
    input: Pick<Parameters<DaemonService["answer"]>[0], "choice" | "idempotencyKey">,
    unattended: UnattendedAnswer | null,
  ): Promise<ActionResult> => {
    const entry = agentOf(turn);
    const key = { scope: entry.runtime.runtimeId, key: input.idempotencyKey };
    return idempotency.run("answer", turn, key, (presses) =>
      paneAnswer(turn, entry, { choice: input.choice, unattended, ...presses }),
    );
  };

  /**
   * Resolves once the prompt of a waiting pane has its fingerprint: an event reports a prompt before it is drawn, so that an answer
   * directly after `wait` comes too early. After NAMED_LIMIT_MS it resolves without one, and the answer is refused.
   */
  const awaitNamed = async ({ ref, guards, surface }: Parameters<DaemonService["answer"]>[0]) => {
    const { runtimeId } = gate.prepare(ref, guards, surface).snapshot;
    if (runtimeId === null) return;
    await poll(clock, { everyMs: NAMED_EVERY_MS, limitMs: NAMED_LIMIT_MS }, () => {
      const entry = entryOf(runtimeId);
      const isUnnamed = (entry?.prompt?.fingerprint ?? null) === null;
      const waits = isWaiting(entry?.resolution?.status.state ?? "unknown");
      return Promise.resolve(waits && isUnnamed ? null : true);
    });
  };

  /** The earlier result under this key. Its prompt is gone by now, so the gate would refuse to repeat the answer. */
  const answeredBefore = (input: Parameters<DaemonService["answer"]>[0]): ActionResult | null => {
    if (input.idempotencyKey === null) return null;
    const { runtimeId } = gate.prepare(input.ref, input.guards, input.surface).snapshot;
    return runtimeId === null ? null : idempotency.earlier({ scope: runtimeId, key: input.idempotencyKey });
  };

  // Not over the connection through which watching reads: there the question would wait behind others.
  const clientsOf = (key: PaneKey): Promise<readonly TmuxClient[]> =>
    reach.reach(key, paneKeyString(key)).client.clients();

  const unattendedOf = (pane: Pane, runtimeId: string, asked: Occasion & { text: string }): Unattended =>
    createUnattended({
      ...asked,
      pane,
      adapter: entryOf(runtimeId)?.adapter ?? null,
      status: () => entryOf(runtimeId)?.resolution?.status ?? null,
      isSure: () => entryOf(runtimeId)?.resolution?.confidence === "high",
      clients: () => clientsOf(pane),
      now: () => clock.now(),
    });

  const sendOnce = async (
    turn: ActionTurn,
    input: SendCall,
    unattended: Occasion | null,
  ): Promise<ActionResult> => {
    const { verified, prepared } = turn;
    const { subject } = verified;
    const runtimeId = unattended === null ? subject.runtimeId : agentOf(turn).runtime.runtimeId;
    // A screen of our own is gone after it: only what is submitted stays.
    const isSubmitted = unattended === null && input.pressEnter;
    if (!isSubmitted || (runtimeId !== null && isWaiting(stateOf(runtimeId) ?? "unknown")))
      requireScreen(subject.key, subject.paneRef);
    const scope =
      runtimeId ?? `${paneKeyString(subject.key)}/${reach.reach(subject.key, subject.paneRef).pane.panePid}`;
    return idempotency.run("send", turn, { scope, key: input.idempotencyKey }, (presses) =>
      onScreen(turn, "an empty input box", ({ pane, client }) =>
        sendText({
          pane,
          paneRef: subject.paneRef,
          client,
          clock,
          agent:
            runtimeId === null
              ? null
              : {
                  adapter: entryOf(runtimeId)?.adapter ?? null,
                  isInside: insideOf(runtimeId) !== null,
                  state: () => stateOf(runtimeId),
                  turnMark: () => turnMark(entryOf(runtimeId)),
                  usesModes: () => live.usesModes(runtimeId),
                  isForeground: () => isForeground(runtimeId),
                },
          hasAgent: () => connectedTargets.get(pane.targetId).hasAgent(pane),
          text: input.text,
          unattended:
            unattended === null || runtimeId === null
              ? null
              : unattendedOf(pane, runtimeId, { ...unattended, text: input.text }),
          pressEnter: input.pressEnter,
          toShell: input.toShell,
          verify: () => gate.verify(prepared),
          renew: () => gate.renew(verified),
          ...presses,
        }),
      ),
    );
  };

  /** Nobody watches: what has only its screen may be something else by then. */
  const whyNotUnattended = (runtimeId: string): string | null => {
    const inside = insideOf(runtimeId);
    return inside === null ? null : `it is inside ${inside}, where only its screen can be read`;
  };

  const send = (input: SendCall, alone: Occasion | null): Promise<ActionResult> =>
    audit.throughGate("send", input, (turn) => inTurn(turn, () => sendOnce(turn, input, alone)), {
      outcomeOf,
      textLength: input.text.length,
    });

  const unattended: UnattendedActions = {
    send: async ({ afterLimit, isFirst, runtimeId, stateVersion, ...input }) => {
      const why = whyNotUnattended(runtimeId);
      if (why !== null)
        throw new AgtmuxError("E_UNSUPPORTED", `Nothing was sent to runtime:${runtimeId}: ${why}`);
      const guards = actionGuardsSchema.parse({ ifRuntime: runtimeId, ifVersion: stateVersion });
      const ref = `runtime:${runtimeId}`;
      return send({ ...input, ref, guards, pressEnter: true, toShell: false }, { afterLimit, isFirst });
    },
    findReset: (runtimeId) => {
      const entry = entryOf(runtimeId);
      return entry === null ? null : findReset(entry);
    },
    findObstacle: async (runtimeId, options) => {
      const runtime = entryOf(runtimeId)?.runtime;
      if (runtime === undefined) return "its agent has ended";
      const why = whyNotUnattended(runtimeId);
      if (why !== null) return why;
      const { pane, client } = reach.reach(runtime, `runtime:${runtimeId}`);
      const capture = requireFitPane(await client.capture(pane, { styled: true }), pane, runtimeId);
      return unattendedOf(pane, runtimeId, { ...options, text: "" }).findObstacle(capture);
    },
    ...createUnattendedAnswers({
      entryOf,
      clientsOf,
      clock,
      takeEventsOf: async (targetId) => connectedTargets.find(targetId)?.takeEvents(),
      throughGate: (input, act) =>
        audit.throughGate("answer", input, (turn) => inTurn(turn, () => act(turn)), {
          outcomeOf,
          bindsPrompt: true,
        }),
      answerOnce,
    }),
  };

  const calls: PaneActionCalls = {
    ...createOutputActions({ ingest, audit, connectedTargets, reach, clock }),

    send: (input) => send(input, null),

    answer: async (input) => {
      const before = answeredBefore(input);
      if (before !== null) {
        audit.note("answer", input, { runtimeId: before.runtime_id, outcome: outcomeOf(before) });
        return before;
      }
      if (input.guards.ifPrompt !== null) await awaitNamed(input);
      return audit.throughGate(
        "answer",
        input,
        (turn) => {
          if (input.guards.ifPrompt === null)
            throw new AgtmuxError(
              "E_PROMPT_UNCONFIRMED",
              `Nothing was sent to ${turn.verified.subject.paneRef}: an answer must name the prompt that it is for`,
            );
          return inTurn(turn, () => answerOnce(turn, input, null));
        },
        {
          outcomeOf,
          bindsPrompt: true,
          ...(input.choice.kind === "text" ? { textLength: input.choice.text.length } : {}),
        },
      );
    },

    interrupt: (input) =>
      audit.throughGate(
        "interrupt",
        input,
        (turn) =>
          inTurn(turn, async () => {
            const { runtime, adapter } = agentOf(turn);
            const { subject } = turn.verified;
            const { runtimeId } = runtime;
            const agentName = adapter?.displayName ?? runtime.agentType;
            if (adapter?.interruptKeys === undefined)
              throw new AgtmuxError("E_UNSUPPORTED", `agtmux doesn't know how to interrupt ${agentName}`);
            const state = stateOf(runtimeId) ?? "unknown";
            if (isWaiting(state)) requireScreen(subject.key, subject.paneRef);
            if (backgroundIdOf(subject.paneId) !== null && state !== "running")
              throw new AgtmuxError(
                "E_STALE_SNAPSHOT",
                `Nothing was done to ${subject.paneRef}: ${agentName} is ${state}: no turn to interrupt`,
              );
            const keys = adapter.interruptKeys;
            const report = await onScreen(turn, "a turn in progress", (screen) =>
              interruptTurn({
                ...screen,
                paneRef: subject.paneRef,
                agentName,
                adapter,
                isInside: runtime.inside !== null,
                keys,
                clock,
                state: () => stateOf(runtimeId),
                isForeground: () => isForeground(runtimeId),
                showsWork: (capture) =>
                  readCapture({ adapter }, screen.pane, capture)?.status.state === "running",
                showsMode: (capture) => showsMode(adapter, screen.pane, capture),
                verify: () => gate.verify(turn.prepared),
                renew: () => gate.renew(turn.verified),
              }),
            );
            return toResult("interrupt", turn, report);
          }),
        { outcomeOf },
      ),

    kill: (input) =>
      audit.throughGate(
        "kill",
        input,
        async (turn) => {
          const { runtime, adapter, account, resolution, workspace, activity } = agentOf(turn);
          const { paneRef } = turn.verified.subject;
          const { pid, processStartedAt, runtimeId } = runtime;
          const background = backgroundIdOf(runtime.paneId);
          if (runtime.inside !== null)
            throw new AgtmuxError(
              "E_UNSUPPORTED",
              `The agent in ${paneRef} is inside ${runtime.inside}: its process can't be seen`,
              { remedy: "Go there with 'agtmux attach', and end it there." },
            );
          if (background !== null) requireStoppable(adapter, paneRef, background);
          if (pid === null || processStartedAt === null)
            throw new AgtmuxError("E_UNSUPPORTED", `Can't find the process of the agent in ${paneRef}`);
          if (!input.isConfirmed)
            throw new AgtmuxError(
              "E_CONFIRMATION_REQUIRED",
              [
                background === null
                  ? `kill sends ${input.signal} to process ${pid} (${runtime.agentType}) in ${paneRef}`
                  : `kill ends the background session ${background} of ${runtime.agentType}`,
                uncommittedText(workspace, activity.folder?.value ?? "its folder"),
              ]
                .filter((part) => part !== "")
                .join("; "),
            );
          const state = resolution?.status.state ?? "unknown";
          const connected = connectedTargets.get(runtime.targetId);
          const { executor } = connected;
          const signaller = createProcessSignaller(executor);
          const report = await killProcess({
            paneRef,
            pid,
            signal: input.signal,
            processes:
              background === null
                ? signaller
                : createSessionStopper(signaller, { executor, adapter, account, id: background, paneRef }),
            clock,
            isRuntimeProcess: () => connected.processes.verify(pid, processStartedAt),
            verify: () => gate.verify(turn.prepared),
            onSignal: (isSent) => ingest.markKilled(runtimeId, isSent),
            mayGoOn: adapter?.eventsMayNameOtherPanes === true && (state === "running" || isWaiting(state)),
          });
          return toResult("kill", turn, report);
        },
        { outcomeOf },
      ),

    audit: ({ limit }) => auditList(store, limit, clock.now()),
  };
  return { calls, unattended };
};
