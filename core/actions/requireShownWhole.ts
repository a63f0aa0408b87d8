// The one rule of approving: whoever answers answers the complete text that was shown, or nothing is sent.
import { AgtmuxError } from "../model/errors.ts";
import { mayAnswer, type OptionRole, type PromptRequest } from "../model/request.ts";

/**
 * To be asked before every key of an answer, with the prompt as it is on the screen at that moment and as it was shown: only a
 * refusal may be given to what is not whole.
 * @throws AgtmuxError E_NOT_SHOWN_WHOLE
 */
export const requireShownWhole = (
  request: PromptRequest,
  role: OptionRole | null | undefined,
  paneRef: string,
): void => {
  if (mayAnswer(request.isWhole === true, role)) return;
  throw new AgtmuxError(
    "E_NOT_SHOWN_WHOLE",
    `Nothing was sent to ${paneRef}: the request could not be shown whole, and may be denied only.`,
  );
};
