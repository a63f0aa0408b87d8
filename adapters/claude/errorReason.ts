// Why a turn failed, from the hook's error name and from the text that Claude Code shows. One place, because the hook and
// the screen must name the same failure alike. Recorded: 400, 401, 429, 500 (2.1.329); the limit texts are documented only.
import { type ErrorStatus, failureBy } from "../common/failure.ts";

const REASON_BY_NAME: Readonly<Record<string, ErrorStatus["reasonCode"]>> = {
  authentication_failed: "auth_failed",
  oauth_org_not_allowed: "auth_failed",
  billing_error: "usage_limit",
  rate_limit: "rate_limited",
};

const AUTH_TEXT = /\/login\b|API Error: 40[13]\b|Invalid API key|OAuth (token|session).*(expired|revoked)/i;
const USAGE_TEXT =
  /usage limit|hit your (\S+ )?limit|\blimit reached\b|(weekly|session|5-hour|Opus|Sonnet) limit|credit balance is too low|out of (extra )?usage/i;
const RATE_TEXT = /\(429\)|API Error: 429\b|rate.?limit/i;

/** The reason that the failure's text gives; `api_error` when it names none. */
export const errorStatusOfText = (text: string): ErrorStatus =>
  failureBy(text, [
    [USAGE_TEXT, "usage_limit"],
    [AUTH_TEXT, "auth_failed"],
    [RATE_TEXT, "rate_limited"],
  ]);

/** A limit of the account is told from a busy server by its text: both are named `rate_limit`. */
export const errorStatusOfHook = (name: string | null, message: string | null): ErrorStatus => {
  const byText = errorStatusOfText((message ?? "").slice(0, 2_000));
  if (byText.reasonCode === "usage_limit") return byText;
  const reasonCode = name !== null && Object.hasOwn(REASON_BY_NAME, name) ? REASON_BY_NAME[name] : undefined;
  return reasonCode === undefined ? byText : { state: "error", reasonCode };
};

/** How an error line of the agent begins, as drawn above the input box. */
export const ERROR_LINE =
  /^(API Error\b|Please run \/login\b|Invalid API key\b|Credit balance is too low|OAuth (token|session)\b|(Claude )?(AI )?usage limit reached|You've (hit|reached) your \b|(\S+ )?limit reached\b|You're out of (extra )?usage)/i;
