// Since when each agent rests, and whether the turn of the last text that was sent to it is over. One text per turn: an agent
// that has not yet begun with one text must not get the next one.
import { isLimit } from "../../../core/model/needs.ts";
import type { PaneView } from "../../../core/model/view.ts";

/** After so long without a turn, none came of the text: it was a command of the agent's own, or too quick to be seen. */
export const NO_TURN_MS = 60_000;
/**
 * The same where the agent has certainly rested all that time: each shows a turn within a moment of its Enter. Its screen is looked
 * at once more before the next text.
 */
export const STILL_MS = 10_000;

/** What is less certain counts so much later, and only where the screen shows it, too (core/actions/unattended.ts). */
export const UNSURE_MS = 1_000;

interface Known {
  version: number;
  rest: Rest | null;
  isSure: boolean;
  since: number;
  /** When the state itself began, as the row has it; null where nobody knows. */
  beganAt: number | null;
}

interface Sent {
  at: number;
  /** The state version into which it was sent; null: a daemon before this one sent it. */
  version: number | null;
  sawTurn: boolean;
}

/** `limited`: it stopped at a limit of its provider, and goes on only when a person, or a time that a person set, says so. */
export type Rest = "ready" | "limited";

/**
 * It rests, and nobody is asked anything; null: it does not rest. Some agents never tell how a turn ended, only that it did: that
 * has medium confidence.
 */
export const restOf = ({ state, reason_code, confidence, request }: PaneView): Rest | null => {
  if (confidence === "low" || request !== null) return null;
  if (state === "idle" || state === "completed") return "ready";
  return state === "error" && isLimit(reason_code) ? "limited" : null;
};

export class Rests {
  private readonly known = new Map<string, Known>();
  private readonly sent = new Map<string, Sent>();

  noteRow(row: PaneView, now: number): void {
    const { runtime_id } = row.identity;
    if (runtime_id === null) return;
    const rest = restOf(row);
    const before = this.known.get(runtime_id);
    const isSame = before?.version === row.state_version && before.rest === rest;
    this.known.set(runtime_id, {
      version: row.state_version,
      rest,
      isSure: row.confidence === "high",
      since: isSame ? before.since : now,
      beganAt: row.since === null ? null : Date.parse(row.since),
    });
    const sent = this.sent.get(runtime_id);
    if (sent === undefined || rest === "ready") return;
    if (sent.version === null || row.state_version > sent.version) sent.sawTurn = true;
  }

  noteSent(runtimeId: string, at: number, version: number | null): void {
    this.sent.set(runtimeId, { at, version, sawTurn: false });
  }

  forget(runtimeId: string): void {
    this.known.delete(runtimeId);
    this.sent.delete(runtimeId);
  }

  /** How it rests, and from when on that counts, epoch ms; null: it does not. */
  restOf(runtimeId: string): { rest: Rest; since: number } | null {
    const { rest = null, since = 0, isSure = false } = this.known.get(runtimeId) ?? {};
    return rest === null ? null : { rest, since: isSure ? since : since + UNSURE_MS };
  }

  isTurnOver(runtimeId: string, now: number): boolean {
    const sent = this.sent.get(runtimeId);
    if (sent === undefined || now - sent.at >= NO_TURN_MS) return true;
    const {
      version = 0,
      beganAt = null,
      rest = null,
      isSure = false,
      since = now,
    } = this.known.get(runtimeId) ?? {};
    if (sent.sawTurn) return true;
    if (rest === "ready" && isSure && now - Math.max(sent.at, since) >= STILL_MS) return true;
    // Where another daemon sent it, nobody may have seen the turn: it has come to rest since.
    if (sent.version === null) return beganAt !== null && beganAt > sent.at;
    // A turn that began and ended between two looks leaves two versions behind.
    return version >= sent.version + 2;
  }
}
