// Which reason an API failure's text or status names, for agents that show the provider's own words.
import type { Status } from "../../core/model/state.ts";

type ErrorStatus = Extract<Status, { state: "error" }>;

const USAGE =
  /usage limit|quota|credit balance|insufficient (funds|credits|balance)|billing|payment required|\b402\b/i;
const AUTH = /\b40[13]\b|unauthori[sz]ed|forbidden|api key|authenticat|log ?in again|credentials/i;
const RATE = /\b429\b|rate.?limit|too many requests|overloaded|\b529\b/i;

/** The reason that the text gives; `api_error` when it names none. */
export const failureOfText = (text: string): ErrorStatus => {
  const head = text.slice(0, 2_000);
  if (USAGE.test(head)) return { state: "error", reasonCode: "usage_limit" };
  if (RATE.test(head)) return { state: "error", reasonCode: "rate_limited" };
  if (AUTH.test(head)) return { state: "error", reasonCode: "auth_failed" };
  return { state: "error", reasonCode: "api_error" };
};

/** True for failures that agents usually try again by themselves. */
export const isRetryable = (text: string): boolean =>
  /overloaded|rate.?limit|usage limit|too many requests|\b(429|5\d\d)\b|time.?d? ?out|network|socket|connection|fetch failed|terminated|stream/i.test(
    text.slice(0, 2_000),
  );
