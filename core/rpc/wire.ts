// What goes over the wire beside the calls themselves, without Node: headers, server-sent events as tRPC writes them for a
// subscription, and failures as our own errors. Of the event format only this is understood: data lines carry one JSON value each,
// `return` ends the stream, `serialized-error` carries an error.
import type { WireError } from "../api/protocol.ts";
import { AgtmuxError, ERROR_CODES } from "../model/errors.ts";

/** The protocol's version. Like the next one it is in every answer, so that a command with a single question need not say hello. */
export const PROTOCOL_HEADER = "agtmux-protocol";
/** The daemon's version. */
export const VERSION_HEADER = "agtmux-version";
/** In an answer: the call was not made, because it needs a proof of who makes it. */
export const PROOF_NEEDED_HEADER = "agtmux-caller-needed";
/** In a request: the proof (callerProof.ts). */
export const PROOF_HEADER = "agtmux-caller";

export type StreamEvent<T> = { kind: "data"; value: T } | { kind: "error"; shape: unknown } | { kind: "end" };

const toEvent = <T>(name: string, data: string, parse: (json: string) => T): StreamEvent<T> | null => {
  if (name === "return") return { kind: "end" };
  if (name === "serialized-error") return { kind: "error", shape: JSON.parse(data) };
  // `connected`, `ping` and events that a newer server adds are ignored.
  if (name !== "message") return null;
  return data === "" ? null : { kind: "data", value: parse(data) };
};

/**
 * Yields the events of a body in UTF-8, each data line through `parse`. It reads on only when asked, so that a slow reader
 * slows the writer down.
 */
export async function* readEventStream<T>(
  body: AsyncIterable<Uint8Array>,
  parse: (json: string) => T,
): AsyncGenerator<StreamEvent<T>> {
  const decoder = new TextDecoder();
  let rest = "";
  let name = "message";
  let data = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("event: ")) name = line.slice(7);
      else if (line.startsWith("data: ")) data += line.slice(6);
      else if (line === "") {
        const event = toEvent(name, data, parse);
        name = "message";
        data = "";
        if (event !== null) yield event;
      }
    }
  }
}

// Failures: the daemon's errors keep their code and remedy, a dead socket becomes E_DAEMON_UNAVAILABLE, another user's socket
// E_SOCKET_UNSAFE, and anything else E_INTERNAL.

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const isWireError = (value: unknown): value is WireError =>
  isRecord(value) &&
  typeof value["agtmuxCode"] === "string" &&
  Object.hasOwn(ERROR_CODES, value["agtmuxCode"]) &&
  typeof value["remedy"] === "string" &&
  Array.isArray(value["details"]) &&
  value["details"].every((detail) => typeof detail === "string");

/** zod's message is a JSON list of issues; a person needs the first one as a sentence. */
const readableMessage = (message: string): string => {
  if (!message.startsWith("[")) return message;
  try {
    const issues: unknown = JSON.parse(message);
    const first: unknown = Array.isArray(issues) ? issues[0] : null;
    if (!isRecord(first) || typeof first["message"] !== "string") return message;
    const path = Array.isArray(first["path"]) ? first["path"].join(".") : "";
    return path === "" ? first["message"] : `${path}: ${first["message"]}`;
  } catch {
    return message;
  }
};

/** An error shape as tRPC serialises it (`{ message, data }`), as an AgtmuxError. */
export const fromErrorShape = (shape: unknown): AgtmuxError => {
  const message =
    isRecord(shape) && typeof shape["message"] === "string" ? shape["message"] : "the daemon failed";
  const data = isRecord(shape) ? shape["data"] : undefined;
  if (!isWireError(data)) return new AgtmuxError("E_INTERNAL", message);
  return new AgtmuxError(data.agtmuxCode, readableMessage(message), {
    remedy: data.remedy,
    details: data.details,
  });
};

const GONE = new Set(["ECONNREFUSED", "ENOENT", "ECONNRESET", "EPIPE", "ENOTSOCK"]);

/** A failure of the connection itself, as an AgtmuxError. */
export const fromConnectionError = (error: unknown): AgtmuxError => {
  if (error instanceof AgtmuxError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (GONE.has(code))
    return new AgtmuxError("E_DAEMON_UNAVAILABLE", "the daemon does not answer", { cause: error });
  if (code === "EACCES" || code === "EPERM")
    return new AgtmuxError("E_SOCKET_UNSAFE", "the daemon's socket belongs to another user", {
      cause: error,
    });
  return new AgtmuxError("E_INTERNAL", "the connection to the daemon failed", { cause: error });
};
