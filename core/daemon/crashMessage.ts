// What a daemon says when it ends by something that nobody caught: one line in the form of every error, without secrets.
import { ERROR_CODES } from "../model/errors.ts";
import { redactText } from "../store/redactText.ts";

const MAX_MESSAGE = 500;

export const crashMessage = (error: unknown): string => {
  const message = redactText(error instanceof Error ? error.message : String(error), MAX_MESSAGE);
  return `agtmux: ${message.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim()} [E_INTERNAL]. ${ERROR_CODES.E_INTERNAL.remedy}\n`;
};
