// The name of a permission request whose event carries no tool-use id: what it asks, hashed. Which part of a tool's input
// stays the same from announcement to end is each agent's business.
import { hash } from "node:crypto";
import { asPayload } from "./payload.ts";

const MAX_DEPTH = 40;

/** JSON with sorted keys; equal values give equal text whatever their key order. */
const canonical = (value: unknown, depth: number): string => {
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
