// The name of a permission request whose event carries no tool-use id: what it asks, hashed. Which part of a tool's input
// stays the same from announcement to end is each agent's business.
import { hash } from "node:crypto";
import { asPayload } from "./payload.ts";

const MAX_DEPTH = 40;
/** To write a text of megabytes as JSON takes ten times as long as to hash it. */
const LONG_CHARS = 64 * 1_024;

/** Halves of a character would all be hashed as the same one. */
const isLong = (value: unknown): value is string =>
  typeof value === "string" && value.length > LONG_CHARS && value.isWellFormed();

/** JSON with sorted keys, except that the hash of a long text stands for it; equal values give equal text whatever their key order. */
const canonical = (value: unknown, depth: number): string => {
  if (isLong(value)) return hash("sha256", value, "hex");
  if (depth > MAX_DEPTH) return '"deep"';
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(",")}]`;
  const object = asPayload(value);
  if (object !== null)
    return `{${Object.keys(object)
      .toSorted()
      .map((key) => `${JSON.stringify(key)}:${canonical(object[key], depth + 1)}`)
      .join(",")}}`;
  return JSON.stringify(value) ?? "null";
};

/** Stable over processes and restarts: 32 hex digits of agent id, tool name and canonical input. */
export const hashRequest = (agentId: string, toolName: string, stableInput: unknown): string =>
  hash("sha256", JSON.stringify([agentId, toolName]) + canonical(stableInput, 0), "hex").slice(0, 32);
