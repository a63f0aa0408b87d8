// Answers to prompts as the daemon gives them: whether a request may be approved while nobody looks (`doubtOf`), an answer with the
// prompt that memory has and the adapter that knows its keys (`createPaneAnswer`), and answers by rules
// (`createUnattendedAnswers`). What was answered a moment ago is remembered, so that a second answer cannot meet a prompt that only
// looks the same.
import { requestLanes } from "../engine/requests.ts";
import { toldByEvent } from "../ingest/view.ts";
import { mayBeOfAnother, NONE_UNENDED, type RuntimeEntry } from "../ingest/liveState.ts";
import type { PromptRequest, ToldRequest } from "../model/request.ts";
import { HOST_TARGET, type PaneKey } from "../model/runtime.ts";
import { answerPrompt } from "./answer.ts";
import type { AnswerReport } from "./promptReading.ts";
import type { Gate } from "./prepare.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { type AnswerChoice, type ActionResult, actionGuardsSchema } from "../model/action.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { ActionTurn, KeyPresses, ActionInput } from "./audit.ts";
import type { PaneReach, PaneScreen } from "./paneClient.ts";
import { backgroundIdOf } from "../model/shortRef.ts";
import type { TmuxClient } from "../tmux/clients.ts";
import { isTypedIn } from "./unattended.ts";

// Doubt: whether a request may be approved while nobody looks. Stricter than what is offered to a person, who reads: an event must
// have reported all of it, the screen must show just that, to the letter and in the same rows, and nothing else may be open.

const agentDoubt = ({ runtime, adapter }: RuntimeEntry): string | null => {
  if (runtime.targetId !== HOST_TARGET) return "it is on another machine";
  if (adapter === null) return "its agent is unknown";
  if (runtime.inside !== null) return `it is inside ${runtime.inside}: only its screen can be read`;
  const { capabilities, integration, displayName } = adapter;
  const tells = capabilities.event_driven && integration !== undefined;
  return capabilities.verified && tells ? null : `${displayName} doesn't say enough about what it asks`;
};

/** It must be the only open request. That another one has ended counts only if the screen showed it too. */
const askingDoubt = ({ resolution, facts, asked }: RuntimeEntry, told: PromptRequest): string | null => {
  if (resolution?.status.state !== "waiting_approval" || resolution.confidence !== "high")
    return "it is not certain that its agent asks for it now";
  const lanes = requestLanes(facts, 0);
  const open = lanes.flatMap(({ name, unanswered }) => unanswered.map(({ eventId }) => `${name}@${eventId}`));
  const [only] = open;
  if (open.length > 1) return "more than one request is open";
  if (only !== resolution.requestId) return "no event says that it is still open";
  const eventId = only.slice(only.lastIndexOf("@") + 1);
  return mayBeOfAnother(asked.unended ?? NONE_UNENDED, { eventId, told })
    ? "the same may have been asked before, and the screen has not shown since that nothing is asked"
    : null;
};

const textDoubt = (told: PromptRequest, seen: PromptRequest): string | null => {
  if (told.kind !== "command" || told.body === null) return "it isn't about a command";
  if (told.isWhole !== true || told.hasMore === true)
    return "part of it isn't reported, or changes how it runs";
  if ((told.runsIn ?? null) === null) return "its event doesn't say exactly how and where it runs";
  if (seen.isWhole !== true || seen.kind !== "command") return "its dialog isn't on the screen in full";
  if (seen.title !== told.title) return "its dialog's heading differs from its event's";
  return seen.body === told.body
    ? null
    : "the screen doesn't show it word for word and line by line, as its event reported it";
};

const optionDoubt = ({ options, takesSeveral }: PromptRequest): string | null => {
  const approving = options.filter(({ role }) => role === "approve");
  const isPlain = approving.length === 1 && approving[0]?.keys?.length === 1 && takesSeveral !== true;
  return isPlain ? null : "no single key approves it once and nothing else";
};

/**
 * Why what is asked now must not be approved by a rule, after "because"; null: nothing speaks against it. `seen`: the dialog on the
 * screen; null where none was read.
 */
export const doubtOf = (entry: RuntimeEntry, seen: PromptRequest | null): string | null => {
  const told = toldByEvent(entry);
  if (told === null) return agentDoubt(entry) ?? "no event has reported it since this daemon started";
  if (seen === null) return agentDoubt(entry) ?? "its dialog is not on the screen";
  return agentDoubt(entry) ?? askingDoubt(entry, told) ?? textDoubt(told, seen) ?? optionDoubt(seen);
};

/** By then the screen was read again: a prompt that is still listed is open. */
const ANSWERED_MS = 10_000;

/** An answer that nobody gives at this moment. */
export interface UnattendedAnswer {
  /** Awaited after each capture, before `requireStill`. */
  lookAgain: () => Promise<void>;
  /** Asked directly before the first key. @throws AgtmuxError where it may not be given any more. */
  requireStill: () => void;
}

interface AnswerInput extends KeyPresses {
  choice: AnswerChoice;
  /** Null: a person answers. */
  unattended: UnattendedAnswer | null;
}

type PaneAnswer = (turn: ActionTurn, entry: RuntimeEntry, input: AnswerInput) => Promise<AnswerReport>;

/**
 * The dialog of a session that no pane shows with the options that were offered, which are those of its event: none for a
 * permission, whose answer by role is to the text. An option by its number must have the label that was shown. Null: it has not.
 */
const asOffered = (
  { prompt }: RuntimeEntry,
  seen: PromptRequest,
  choice: AnswerChoice,
): PromptRequest | null => {
  const offered = prompt?.request.options ?? [];
  const isSame = offered.every(({ label }, index) => seen.options[index]?.label === label);
  const isByRole = choice.kind === "approve" || choice.kind === "deny";
  const isOffered = isByRole || (choice.kind === "option" && choice.number <= offered.length);
  return isSame && isOffered ? { ...seen, options: [...offered] } : null;
};

/** One number, of a question that takes one answer, is that option. */
const asAsked = (choice: AnswerChoice, { prompt }: RuntimeEntry): AnswerChoice => {
  const [number, ...more] = choice.kind === "options" ? choice.numbers : [];
  const takesOne = prompt !== null && prompt.request.takesSeveral !== true;
  return takesOne && number !== undefined && more.length === 0 ? { kind: "option", number } : choice;
};

interface Answered {
  fingerprint: string;
  at: number;
}

const requireFresh = (
  last: Answered | undefined,
  now: { fingerprint: string | null; at: number; paneRef: string },
) => {
  if (last === undefined || last.fingerprint !== now.fingerprint || now.at - last.at > ANSWERED_MS) return;
  throw new AgtmuxError(
    "E_STALE_SNAPSHOT",
    `Nothing was sent to ${now.paneRef}: this prompt was answered ${now.at - last.at} ms ago.`,
  );
};

/** Called while no other action is under way in the pane, with a prompt bound to `turn`. */
export const createPaneAnswer = (deps: {
  ingest: Ingest;
  gate: Gate;
  reach: PaneReach;
  /** Opens a session that no pane shows; its caller closes it. */
  openScreen(
    entry: RuntimeEntry,
    id: string,
    paneRef: string,
    awaited: "a dialog",
  ): Promise<PaneScreen & { openedAt: number; close: () => Promise<void> }>;
  clock: Clock;
  /** The live runtime; null when it has ended. */
  entryOf(runtimeId: string): RuntimeEntry | null;
  isForeground(runtimeId: string): Promise<boolean>;
}): PaneAnswer => {
  const { ingest, gate, reach, clock } = deps;
  const answered = new Map<string, Answered>();
  const forgetOld = (): void => {
    for (const [runtimeId, { at }] of answered)
      if (clock.now() - at > ANSWERED_MS) answered.delete(runtimeId);
  };

  return async ({ prepared, verified }, entry, input) => {
    const { subject, snapshot } = verified;
    const { runtimeId, agentType } = entry.runtime;
    const { promptFingerprint: fingerprint } = snapshot;
    const { adapter } = entry;
    if (adapter === null)
      throw new AgtmuxError(
        "E_UNSUPPORTED",
        `Nothing was sent: no adapter knows the prompts of ${agentType}`,
      );
    const mustBeExact = input.unattended !== null && input.choice.kind !== "deny";
    requireFresh(answered.get(runtimeId), { fingerprint, at: clock.now(), paneRef: subject.paneRef });
    const choice = asAsked(input.choice, entry);
    const id = backgroundIdOf(subject.paneId);
    const screen =
      id === null
        ? { ...reach.reach(subject.key, subject.paneRef), close: () => Promise.resolve() }
        : await deps.openScreen(entry, id, subject.paneRef, "a dialog");
    const requestId = entry.resolution?.requestId ?? null;
    const answering = answerPrompt({
      pane: screen.pane,
      client: screen.client,
      paneRef: subject.paneRef,
      clock,
      agentName: adapter.displayName,
      adapter,
      choice,
      asShown: (seen) => {
        const now = deps.entryOf(runtimeId);
        const shown = now === null || id === null ? null : asOffered(now, seen, choice);
        const prompt = now === null ? null : ingest.promptWith(now, shown ?? seen);
        if (now === null || prompt === null || prompt.fingerprint !== fingerprint) return null;
        const isDoubtful = mustBeExact && doubtOf(now, seen) !== null;
        if (isDoubtful) return null;
        return shown === null ? prompt.request : { ...prompt.request, options: seen.options };
      },
      isInside: entry.runtime.inside !== null,
      isUnattended: input.unattended !== null,
      openedAt: Math.max(
        entry.resolution?.since ?? snapshot.observedAt,
        "openedAt" in screen ? screen.openedAt : 0,
      ),
      isForeground: async () => {
        const isForeground = await deps.isForeground(runtimeId);
        await input.unattended?.lookAgain();
        return isForeground;
      },
      isOpen: () => deps.entryOf(runtimeId)?.prompt?.fingerprint === fingerprint,
      verify: () => {
        input.unattended?.requireStill();
        return gate.verify(prepared);
      },
      renew: () => gate.renew(verified),
      onFirstKey: () => {
        forgetOld();
        if (fingerprint !== null) answered.set(runtimeId, { fingerprint, at: clock.now() });
        input.onFirstKey();
      },
      onNothingSent: () => {
        answered.delete(runtimeId);
        input.onNothingSent();
      },
    });
    await Promise.allSettled([answering]);
    await screen.close();
    const report = await answering;
    // It was seen to be still open: whoever answers again means the same one.
    if (report.outcome === "not_delivered") answered.delete(runtimeId);
    if (report.outcome === "delivered" && id !== null && requestId !== null)
      ingest.noteAnswered(runtimeId, requestId);
    return report;
  };
};

// Answers by a rule that a person armed: the same gate as for a person, and more: the request and state version that were judged,
// no key while somebody types there, and an approval only where nothing is in doubt.

export interface AnswerByRule {
  readonly runtimeId: string;
  readonly stateVersion: number;
  readonly fingerprint: string;
  readonly choice: "approve" | "deny";
  /** For the audit. */
  readonly surface: string;
  readonly idempotencyKey: string;
  /** Learns what `obstacle` depends on; awaited before it, once the dialog was found. Never rejects. */
  readonly lookAgain: () => Promise<void>;
  /** Why it may not be given any more, after "because"; null: it may. Asked directly before the key. */
  readonly obstacle: () => string | null;
}

export interface UnattendedAnswers {
  /** Takes in the events that wait at this moment on the machine of this agent. @throws Error where they cannot be read. */
  takeEvents(runtimeId: string): Promise<void>;
  /** What an agent asks now, as it was reported; null where it isn't asking anything. */
  findRequest(runtimeId: string): ToldRequest | null;
  /** Answers this request in this state version alone, where nobody types or reads; approves only where nothing is in doubt. */
  answer(input: AnswerByRule): Promise<ActionResult>;
}

/** In seconds, on top of the slack of all clocks: whoever pressed a key within that may be answering. */
const TYPES_S = 0;

const refuse = (runtimeId: string, why: string): AgtmuxError =>
  new AgtmuxError("E_STALE_SNAPSHOT", `Nothing was sent to runtime:${runtimeId}: ${why}.`);

const toldOf = (entry: RuntimeEntry): ToldRequest | null => {
  const { prompt, runtime, stateVersion, cwd, asked } = entry;
  if (prompt === null) return null;
  const { kind, toolName, body } = prompt.request;
  return {
    runtimeId: runtime.runtimeId,
    stateVersion,
    fingerprint: prompt.fingerprint,
    kind,
    toolName,
    command: kind === "command" ? body : null,
    file: kind === "edit" ? body : null,
    // Another agent of the same program may report another folder meanwhile.
    folder: toldByEvent(entry)?.runsIn ?? cwd,
    doubt: doubtOf(entry, asked.poller ?? null),
  };
};

export const createUnattendedAnswers = (deps: {
  /** The live runtime; null when it has ended. */
  entryOf: (runtimeId: string) => RuntimeEntry | null;
  /** Who is attached to the pane's server. @throws where tmux does not answer. */
  clientsOf(pane: PaneKey): Promise<readonly TmuxClient[]>;
  clock: Clock;
  /** Takes in the events that wait at this moment on a target. @throws Error where they cannot be read. */
  takeEventsOf(targetId: string): Promise<void>;
  /** Through the gate, bound to the prompt, and in the pane's turn. */
  throughGate(input: ActionInput, act: (turn: ActionTurn) => Promise<ActionResult>): Promise<ActionResult>;
  answerOnce(
    turn: ActionTurn,
    input: { choice: { kind: "approve" | "deny" }; idempotencyKey: string },
    unattended: UnattendedAnswer,
  ): Promise<ActionResult>;
}): UnattendedAnswers => {
  const { entryOf } = deps;
  /** @throws AgtmuxError E_STALE_SNAPSHOT */
  const requireUndoubted = ({ runtimeId, choice }: AnswerByRule): void => {
    const entry = entryOf(runtimeId);
    if (entry === null) throw refuse(runtimeId, "its agent has ended");
    const doubt = choice === "approve" ? doubtOf(entry, entry.asked.poller ?? null) : null;
    if (doubt !== null) throw refuse(runtimeId, doubt);
  };
  return {
    takeEvents: async (runtimeId) => {
      const entry = entryOf(runtimeId);
      if (entry !== null) await deps.takeEventsOf(entry.runtime.targetId);
    },
    findRequest: (runtimeId) => {
      const entry = entryOf(runtimeId);
      return entry === null ? null : toldOf(entry);
    },
    answer: (input) => {
      const { runtimeId, stateVersion, fingerprint, choice, surface, idempotencyKey } = input;
      const guards = actionGuardsSchema.parse({
        ifRuntime: runtimeId,
        ifVersion: stateVersion,
        ifPrompt: fingerprint,
      });
      return deps.throughGate({ ref: `runtime:${runtimeId}`, guards, surface }, async (turn) => {
        requireUndoubted(input);
        const { key } = turn.verified.subject;
        if (isTypedIn(await deps.clientsOf(key), key.paneId, deps.clock.now(), TYPES_S))
          throw refuse(runtimeId, "somebody types there");
        return deps.answerOnce(
          turn,
          { choice: { kind: choice }, idempotencyKey },
          {
            lookAgain: input.lookAgain,
            requireStill: () => {
              requireUndoubted(input);
              const why = input.obstacle();
              if (why !== null) throw refuse(runtimeId, why);
            },
          },
        );
      });
    },
  };
};
