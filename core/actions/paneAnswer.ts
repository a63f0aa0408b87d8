// The answer to a prompt as the daemon gives it: the prompt that memory has, the adapter that knows its keys, and a memory of
// what was answered a moment ago, so that a second answer cannot meet a prompt that only looks the same.
import { answerPrompt } from "./answer.ts";
import type { AnswerReport } from "./answerEffect.ts";
import type { Gate } from "./prepare.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { RuntimeEntry } from "../ingest/liveState.ts";
import type { AnswerChoice } from "../model/actionView.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { ActionTurn } from "./audit.ts";
import { doubtOf } from "./exactRequest.ts";
import type { KeyPresses } from "./idempotency.ts";
import type { PaneReach } from "./paneReach.ts";

/** By then the screen was read again: a prompt that is still listed is open. */
const ANSWERED_MS = 10_000;

export interface PaneAnswerDeps {
  ingest: Pick<Ingest, "promptWith">;
  gate: Gate;
  reach: PaneReach;
  clock: Clock;
  /** The live runtime; null when it has ended. */
  entryOf(runtimeId: string): RuntimeEntry | null;
  isForeground(runtimeId: string): Promise<boolean>;
}

/** An answer that nobody gives at this moment. */
export interface UnattendedAnswer {
  /** Awaited before that, after each look at the screen. */
  lookAgain: () => Promise<void>;
  /** Asked directly before the first key. @throws AgtmuxError where it may not be given any more. */
  requireStill: () => void;
}

interface AnswerInput extends KeyPresses {
  choice: AnswerChoice;
  /** Null: a person answers. */
  unattended: UnattendedAnswer | null;
}

export type PaneAnswer = (turn: ActionTurn, entry: RuntimeEntry, input: AnswerInput) => Promise<AnswerReport>;

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
export const createPaneAnswer = (deps: PaneAnswerDeps): PaneAnswer => {
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
    const report = await answerPrompt({
      ...reach.reach(subject.key, subject.paneRef),
      paneRef: subject.paneRef,
      clock,
      agentName: adapter.displayName,
      adapter,
      choice: input.choice,
      asShown: (seen) => {
        const now = deps.entryOf(runtimeId);
        const prompt = now === null ? null : ingest.promptWith(now, seen);
        if (now === null || prompt === null || prompt.fingerprint !== fingerprint) return null;
        const isDoubtful = mustBeExact && doubtOf(now, seen) !== null;
        return isDoubtful ? null : prompt.request;
      },
      isUnattended: input.unattended !== null,
      openedAt: entry.resolution?.since ?? snapshot.observedAt,
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
    // It was seen to be still open: whoever answers again means the same one.
    if (report.outcome === "not_delivered") answered.delete(runtimeId);
    return report;
  };
};
