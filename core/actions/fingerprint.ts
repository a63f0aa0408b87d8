// The prompt fingerprint: names one asking of one prompt as it was shown, so that an answer reaches the prompt that the person saw.
// It is keyed, so that nobody who knows a prompt's text can make one, and is valid as long as the daemon runs.
import { createHmac, randomBytes } from "node:crypto";
import type { PromptRequest } from "../model/request.ts";

/** What is asked of whom: `requestId` names the opening event, so that the same command asked twice differs. */
export interface Asked {
  runtimeId: string;
  requestId: string | null;
  /** To the letter, before anything is cut or redacted. */
  request: PromptRequest;
  /** The dialog as it is drawn, where it does not agree with the request to the letter. */
  drawn?: PromptRequest;
}

export type FingerprintOf = (asked: Asked) => string;

/**
 * 16 hex digits over runtime, request id, kind, title, body, content, remark and options, to the letter. Not in it: confidence,
 * times, and which keys choose an option, which change with the selection. `key`: secret; in memory only.
 */
export const createPromptFingerprint = (key: Buffer = randomBytes(32)): FingerprintOf => {
  return ({ runtimeId, requestId, request, drawn }) => {
    // As JSON, so that no text can pass for a border between two fields.
    const identity = JSON.stringify([
      runtimeId,
      requestId,
      request.kind,
      request.toolName,
      request.title,
      request.body,
      request.content ?? null,
      request.remark ?? null,
      request.options.map(({ label, description }) => [label, description ?? null]),
      ...(drawn === undefined
        ? []
        : [drawn.kind, drawn.title, drawn.body, drawn.content ?? null, drawn.remark ?? null]),
    ]);
    return createHmac("sha256", key).update(identity).digest("hex").slice(0, 16);
  };
};
