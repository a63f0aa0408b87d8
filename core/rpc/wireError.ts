// Turns failures of the socket into our own errors: the daemon's errors keep their code and remedy, a dead socket becomes
// E_DAEMON_UNAVAILABLE, and anything else E_INTERNAL.
import type { WireError } from "../api/service.ts";
import { AgtmuxError, ERROR_CODES } from "../model/errors.ts";

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
