// What is remembered of an agent's turns beside its state: whether one is under way, when the newest one ended, and whether
// anybody has looked at that end. No decision about a state rests on it.
import * as z from "zod";

export const turnMarksSchema = z.object({
  /** A turn was seen that did not end yet, as far as anybody saw. */
  isInTurn: z.boolean(),
  /** When that turn began, epoch ms; null where nobody saw it begin. */
  beganAt: z.number().nullable(),
  /** When the newest turn that finished ended, or when the agent crashed, epoch ms; null before the first. */
  doneAt: z.number().nullable(),
  /** Nobody has looked at that end. */
  isUnread: z.boolean(),
});
export type TurnMarks = z.infer<typeof turnMarksSchema>;

export const NO_TURN_MARKS: TurnMarks = { isInTurn: false, beganAt: null, doneAt: null, isUnread: false };
