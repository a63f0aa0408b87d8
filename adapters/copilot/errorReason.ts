// Why a turn of Copilot CLI failed: from the status of its session log, else from the text that it shows. Recorded with
// 1.0.102: 400, 401, 500 and a cut stream; the limit texts are the vendor's own words.
import { type ErrorStatus, failureOfText } from "../common/failure.ts";

/** `statusCode` null: the log names none. */
export const errorStatusOf = (text: string, statusCode: number | null): ErrorStatus => {
  const byText = failureOfText(text);
  if (byText.reasonCode === "usage_limit" || statusCode === null) return byText;
  if (statusCode === 401 || statusCode === 403) return { state: "error", reasonCode: "auth_failed" };
  if (statusCode === 402) return { state: "error", reasonCode: "usage_limit" };
  if (statusCode === 429) return { state: "error", reasonCode: "rate_limited" };
  return { state: "error", reasonCode: "api_error" };
};
