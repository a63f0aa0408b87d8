// Why a turn of Gemini CLI failed, from the text that it shows. Recorded with 0.61.0: 400, 401 and a cut stream; the limit
// texts are the service's own words.
import { type ErrorStatus, failureBy } from "../common/failure.ts";

export const API_ERROR: ErrorStatus = { state: "error", reasonCode: "api_error" };

const AUTH = /"?code"?:\s?40[13]\b|UNAUTHENTICATED|PERMISSION_DENIED|API key not valid|API_KEY_INVALID/;
const USAGE = /quota (exceeded|limit)|exceeded your current quota|daily limit|usage limit|limit reached for/i;
const RATE = /"?code"?:\s?429\b|RESOURCE_EXHAUSTED|rate.?limit/i;

/** The reason that the failure's text gives; `api_error` when it names none. */
export const errorStatusOfText = (text: string): ErrorStatus =>
  failureBy(text, [
    [USAGE, "usage_limit"],
    [AUTH, "auth_failed"],
    [RATE, "rate_limited"],
  ]);
