// When a schedule is due, on the person's wall clock. Five fields of numbers, lists, ranges and steps: the library takes more
// forms than these, which mean different things in different programs, so they are refused before it sees them.
import { Cron } from "croner";
import { AgtmuxError } from "../../../core/model/errors.ts";

const FIELD = String.raw`(?:\*|\d{1,2}(?:-\d{1,2})?)(?:\/\d{1,2})?`;
const LIST = `${FIELD}(?:,${FIELD})*`;
const EXPRESSION = new RegExp(`^${LIST}(?: ${LIST}){4}$`);
const REMEDY = "Five fields: minute, hour, day, month, weekday; such as '0 9 * * 1-5'.";

const refuse = (expression: string, why: string): AgtmuxError =>
  new AgtmuxError("E_USAGE", `the schedule '${expression.slice(0, 60)}' is refused: ${why}`, {
    remedy: REMEDY,
  });

const parse = (expression: string, timeZone: string | undefined): Cron =>
  new Cron(expression, {
    paused: true,
    mode: "5-part",
    ...(timeZone === undefined ? {} : { timezone: timeZone }),
  });

/** @throws AgtmuxError E_USAGE naming what is wrong. */
export const checkSchedule = (expression: string): void => {
  if (!EXPRESSION.test(expression)) throw refuse(expression, "it has not the form of one");
  let next: Date | null;
  try {
    next = parse(expression, undefined).nextRun();
  } catch (error) {
    throw refuse(
      expression,
      error instanceof Error ? error.message.replace(/^\w+: /, "") : "it cannot be read",
    );
  }
  if (next === null) throw refuse(expression, "it never comes");
};

/**
 * The first time after `after`, both epoch ms; null: there is none. A time that the clock jumps over is due at the jump, and one
 * that comes twice is due the first time. `timeZone`: the machine's own without it.
 */
export const nextOfSchedule = (expression: string, after: number, timeZone?: string): number | null =>
  parse(expression, timeZone).nextRun(new Date(after))?.getTime() ?? null;
