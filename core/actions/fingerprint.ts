// The prompt fingerprint: names one asking of one prompt, so that an answer reaches the prompt that the person saw.
import { createHash } from "node:crypto";
import type { Resolution } from "../model/resolution.ts";

/** Redraws change spacing and line ends, composed and decomposed letters look alike; neither makes another prompt. */
const normalise = (text: string): string => text.normalize("NFC").replaceAll(/\s+/gu, " ").trim();

/**
 * 16 hex digits over runtime, request id (which names the opening event, so that the same command asked twice differs),
 * kind, normalised text and options; null when nothing is asked. Not in it: confidence, times, and which keys choose an
 * option, which an adapter may learn later.
 */
export const promptFingerprint = (
  runtimeId: string,
  resolution: Pick<Resolution, "requestId" | "request">,
): string | null => {
  const { request, requestId } = resolution;
  if (request === null) return null;
  // As JSON, so that no text can pass for a border between two fields.
  const identity = JSON.stringify([
    runtimeId,
    requestId,
    request.kind,
    request.toolName,
    normalise(request.title),
    request.body === null ? null : normalise(request.body),
    request.options.map((option) => normalise(option.label)),
  ]);
  return createHash("sha256").update(identity).digest("hex").slice(0, 16);
};
