// Which reason an API failure's text or status names, for agents that show the provider's own words.
import type { Status } from "../../core/model/state.ts";

export type ErrorStatus = Extract<Status, { state: "error" }>;

const USAGE =
  /usage limit|quota|credit balance|insufficient (funds|credits|balance)|billing|payment required|\b402\b/i;
const AUTH = /\b40[13]\b|unauthori[sz]ed|forbidden|api key|authenticat|log ?in again|credentials/i;
const RATE = /\b429\b|rate.?limit|too many requests|overloaded|\b529\b/i;

/** The reason whose pattern fits first; `api_error` where none does. */
export const failureBy = (
  text: string,
  patterns: readonly (readonly [RegExp, ErrorStatus["reasonCode"]])[],
): ErrorStatus => ({
  state: "error",
  reasonCode: patterns.find(([pattern]) => pattern.test(text))?.[1] ?? "api_error",
});

/** The reason that the text gives; `api_error` when it names none. */
export const failureOfText = (text: string): ErrorStatus =>
  failureBy(text.slice(0, 2_000), [
    [USAGE, "usage_limit"],
    [RATE, "rate_limited"],
    [AUTH, "auth_failed"],
  ]);

/** True for failures that agents usually try again by themselves. */
export const isRetryable = (text: string): boolean =>
  /overloaded|rate.?limit|usage limit|too many requests|\b(429|5\d\d)\b|time.?d? ?out|network|socket|connection|fetch failed|terminated|stream/i.test(
    text.slice(0, 2_000),
  );
