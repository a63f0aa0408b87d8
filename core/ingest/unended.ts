// Which requests events told of while the screen has not shown that nothing is asked: the dialog that stands there may be of any
// of them, whatever events say since of an end. So a file in the spool can neither end a request nor put another one in its
// place. In memory only, and for approvals without a person only; states are not decided by this.
import type { Evidence } from "../model/evidence.ts";
import type { PromptRequest } from "../model/request.ts";
import { isWaiting, type Status } from "../model/state.ts";

/** More are not told apart: until the screen shows that nothing is asked, none is sure. */
const MAX_OPENED = 100;
/** One look may meet a frame that was half drawn: so long nothing else than "no dialog" is read. */
const SHOWN_MS = 300;

export interface Unended {
  /** By the id of the event. `drawnBy`: its dialog stands there by then, if at all, epoch ms. */
  readonly opened: ReadonlyMap<string, { readonly request: PromptRequest; readonly drawnBy: number }>;
  /** False: there may have been more of them. */
  readonly isComplete: boolean;
  /** Since when each look has found a screen that is known and has no dialog, epoch ms; null: the last one did not. */
  readonly clearSince: number | null;
}

export const NONE_UNENDED: Unended = { opened: new Map(), isComplete: true, clearSince: null };
/** Of an agent that ran before this memory began. */
export const UNKNOWN_UNENDED: Unended = { ...NONE_UNENDED, isComplete: false };

/** With a request that an event told. `ingestedAt`, not the time that the event claims. */
export const withOpened = (unended: Unended, { eventId, ingestedAt, signal }: Evidence): Unended => {
  if (signal.kind !== "request") return unended;
  if (unended.opened.size >= MAX_OPENED) return { ...unended, isComplete: false };
  const drawnBy = ingestedAt + signal.dialogGraceMs;
  return {
    ...unended,
    opened: new Map(unended.opened).set(eventId, { request: signal.request, drawnBy }),
  };
};

/** With a look at the screen; `status` null: it shows nothing that is known, which may be a part of a dialog. */
export const withLook = (unended: Unended, status: Status | null, readAt: number): Unended => {
  if (status === null || isWaiting(status.state))
    return unended.clearSince === null ? unended : { ...unended, clearSince: null };
  const clearSince = unended.clearSince ?? readAt;
  const isShown = readAt - clearSince >= SHOWN_MS;
  const opened = isShown
    ? new Map([...unended.opened].filter(([, { drawnBy }]) => drawnBy > readAt))
    : unended.opened;
  return { opened, isComplete: unended.isComplete || isShown, clearSince };
};

/** What differs between two texts of which this is the same may not be seen on a screen. */
const visible = (text: string): string => text.replaceAll(/[^!-~]/g, "");

/** Whether the dialog of `told`, on the screen to the letter, may be another request's, or nobody can know. */
export const mayBeOfAnother = (
  { opened, isComplete }: Unended,
  { eventId, told }: { eventId: string; told: PromptRequest },
): boolean => {
  const text = visible(told.body ?? "");
  return (
    !isComplete ||
    [...opened].some(
      ([id, { request }]) => id !== eventId && (request.body === null || visible(request.body) === text),
    )
  );
};
