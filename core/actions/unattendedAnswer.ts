// Answers that a rule gives, which a person armed before. The same gate as for a person, and more: the request and state version
// that were judged, no key while somebody types there, and an approval only where nothing is in doubt.
import type { RuntimeEntry } from "../ingest/liveState.ts";
import { toldByEvent } from "../ingest/prompts.ts";
import type { ActionResult } from "../model/actionView.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { PaneKey } from "../model/runtime.ts";
import { actionGuardsSchema } from "../model/snapshot.ts";
import type { ToldRequest } from "../model/toldRequest.ts";
import type { Clock } from "../ports/clock.ts";
import type { TmuxClient } from "../tmux/clients.ts";
import type { ActionInput, ActionTurn } from "./audit.ts";
import { doubtOf } from "./exactRequest.ts";
import type { UnattendedAnswer } from "./paneAnswer.ts";
import { isTypedIn } from "./unattended.ts";

export interface AnswerByRule {
  readonly runtimeId: string;
  readonly stateVersion: number;
  readonly fingerprint: string;
  readonly choice: "approve" | "deny";
  /** For the audit. */
  readonly surface: string;
  readonly idempotencyKey: string;
  /** Takes time to learn what `obstacle` goes by; awaited before it, once the dialog was found. Never rejects. */
  readonly lookAgain: () => Promise<void>;
  /** Why it may not be given any more, after "because"; null: it may. Asked directly before the key. */
  readonly obstacle: () => string | null;
}

export interface UnattendedAnswerDeps {
  /** The live runtime; null when it has ended. */
  entryOf: (runtimeId: string) => RuntimeEntry | null;
  /** Who is attached to the pane's server. @throws where tmux does not answer. */
  clientsOf(pane: PaneKey): Promise<readonly TmuxClient[]>;
  clock: Pick<Clock, "now">;
  /** Takes in the events that wait at this moment on a target. @throws Error where they cannot be read. */
  takeEventsOf(targetId: string): Promise<void>;
  /** Through the gate, bound to the prompt, and in the pane's turn. */
  throughGate(input: ActionInput, act: (turn: ActionTurn) => Promise<ActionResult>): Promise<ActionResult>;
  answerOnce(
    turn: ActionTurn,
    input: { choice: { kind: "approve" | "deny" }; idempotencyKey: string },
    unattended: UnattendedAnswer,
  ): Promise<ActionResult>;
}

export interface UnattendedAnswers {
  /** Takes in the events that wait at this moment on the machine of this agent. @throws Error where they cannot be read. */
  takeEvents(runtimeId: string): Promise<void>;
  /** What an agent asks now, as it was told; null where it asks nothing. */
  findRequest(runtimeId: string): ToldRequest | null;
  /** Answers this request in this state version alone, where nobody types or reads; approves only where nothing is in doubt. */
  answer(input: AnswerByRule): Promise<ActionResult>;
}

/** Somebody who pressed a key a moment ago may be answering: a moment is the slack with which all clocks are read. */
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
    // Another agent of the same program may tell of another folder meanwhile.
    folder: toldByEvent(entry)?.runsIn ?? cwd,
    doubt: doubtOf(entry, asked.poller ?? null),
  };
};

export const createUnattendedAnswers = (deps: UnattendedAnswerDeps): UnattendedAnswers => {
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
