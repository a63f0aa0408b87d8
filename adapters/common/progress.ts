// Failures and progress, in the same words whatever agent reports them: the reason that an API failure names, its text, and what
// goes beside a state (attempts, background work, queued prompts). Nothing that ticks: no seconds, no tokens.
import type { Status } from "../../core/model/state.ts";
import { MAX_PROGRESS } from "../../core/model/evidence.ts";
import type { Reading } from "../../core/ports/agentAdapter.ts";
import { oneLine } from "./events.ts";
import { shows } from "./screenText.ts";

// Failures: which reason an API failure's text or status names, for agents that show the provider's own words.

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

/** Most characters of an agent's own words, such as a task's name. */
const MAX_QUOTE = 100;

/** `2 background tasks`, `1 queued prompt`; null for none. */
export const countOf = (count: number, noun: string): string | null =>
  count > 0 ? `${count} ${noun}${count === 1 ? "" : "s"}` : null;

/** `retry 3 of 10`; the limit only where the agent names it. */
export const retryOf = (attempt: number | string, limit?: number | string | null): string =>
  `retry ${attempt}${limit === undefined || limit === null ? "" : ` of ${limit}`}`;

/** `retry 3 of 10` from the first group pair of a text that counts attempts; null where it does not. */
export const retryIn = (text: string, counter: RegExp): string | null => {
  const match = counter.exec(text);
  return match?.[1] === undefined ? null : retryOf(match[1], match[2]);
};

export const quoteOf = (text: string | null | undefined): string | null =>
  oneLine(text ?? "", MAX_QUOTE) || null;

/** Several things on one line, empty ones left out; null for none. */
export const progressOf = (...parts: readonly (string | null)[]): string | null =>
  oneLine(parts.filter((part) => part !== null && part !== "").join(" · "), MAX_PROGRESS) || null;

/** The reading with these parts after the progress that it has; unchanged where there is none. */
export const withProgress = (reading: Reading, ...parts: readonly (string | null)[]): Reading => {
  const progress = progressOf(reading.progress ?? null, ...parts);
  return progress === null ? reading : { ...reading, progress };
};

/** The same for a signal. */
export const progressField = (...parts: readonly (string | null)[]): { progress?: string } => {
  const progress = progressOf(...parts);
  return progress === null ? {} : { progress };
};

/** What agents draw before and around a failure's words. */
const AROUND: readonly RegExp[] = [
  /^[✗✘✕■●[\s]*(?:(?:API )?Error\b:?\s*)*/i,
  // A time in brackets.
  /\s*\([^()]*\d\s?(?:ms|s|sec|seconds?|minutes?)\b[^()]*\)/gi,
  // A time to wait would soon be wrong, and the text stays.
  /,?\s*(?:or |and )?(?:please )?(?:try again|retry|resets?) in \d+ ?[a-z]+(?:,? \d+ ?[a-z]+)*/gi,
  /\]$/,
];
const MAX_FAILURE = 160;

/** What a failure's text says beside "error", in its own words; of JSON only the message. Null where nothing is left. */
export const failureWords = (text: string | null): string | null => {
  const shown = (text ?? "").slice(0, 2_000).trim();
  const message = /"message"\s*:\s*"((?:[^"\\]|\\.)+)"/.exec(shown)?.[1]?.replaceAll(/\\(["\\])/g, "$1");
  const words = AROUND.reduce((rest, pattern) => rest.replace(pattern, ""), message ?? shown);
  return oneLine(words, MAX_FAILURE) || null;
};

/** The reading of a turn that failed, with the failure's own words. */
export const fails = (status: ErrorStatus, text: string, matched = text): Reading =>
  withProgress(shows(status, "high", matched), failureWords(text));
