// Why a turn failed, from the text that Codex shows and writes into its rollout. One place, because screen and rollout
// must name the same failure alike. Recorded with 0.169.0: 400, 401, 429, 500; limits and capacity from the vendor's texts.
import { type ErrorStatus, failureBy } from "../common/failure.ts";

const USAGE_TEXT = /usage limit|out of credits|quota exceeded|plan does not include|upgrade to (plus|pro)/i;
const AUTH_TEXT =
  /\b40[13] (Unauthorized|Forbidden)\b|log ?in again|sign in again|refresh token|not logged in|invalid api key|missing environment variable/i;
const RATE_TEXT = /\b429\b|rate.?limit|too many requests/i;

export const errorStatusOf = (text: string): ErrorStatus =>
  failureBy(text, [
    [USAGE_TEXT, "usage_limit"],
    [AUTH_TEXT, "auth_failed"],
    [RATE_TEXT, "rate_limited"],
  ]);

/** How the text of a failed turn begins behind its `■ `. Other `■` lines answer a command that a person typed. */
export const FAILED_TURN =
  /^(\{"?(error|detail|message)|exceeded retry limit|unexpected status \d|stream disconnected before completion|stream error|We[’']re currently experiencing high demand|You[’']ve hit your usage limit|Selected model is at capacity|Quota exceeded|Your access token could not be refreshed|error sending request|request timed out|timeout waiting for|Codex ran out of room in the model's context window|Internal server error|Missing environment variable|no last agent message)/i;
