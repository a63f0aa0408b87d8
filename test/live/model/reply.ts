// What the scripted model answers to a request. A request whose last message hands back a tool's result gets the final text; one
// that offers no tools (a title, a probe of the quota) gets a short text, whatever the person wrote.
import { setTimeout as wait } from "node:timers/promises";
import { readDirective, type Directive } from "./directive.ts";
import type { ModelRequest } from "./request.ts";
import { toolCall, type ToolCall } from "./toolCall.ts";

export type Reply =
  | { kind: "text"; text: string; waitMs: number; slowMs: number }
  | ({ kind: "tool" } & ToolCall)
  /** `resetsAt`, epoch s: the account's limit is used up until then. */
  | { kind: "fail"; status: number; resetsAt: number | null }
  | { kind: "cut" };

const WORD_MS = 15;
const SLOW_WORD_MS = 400;

const text = (said: string, more: { waitMs?: number; slowMs?: number } = {}): Reply => ({
  kind: "text",
  text: said,
  waitMs: more.waitMs ?? 0,
  slowMs: more.slowMs ?? 0,
});
const numberOf = (rest: string, otherwise: number): number => {
  const number = Number.parseFloat(rest);
  return Number.isFinite(number) ? number : otherwise;
};

const replyTo = (directive: Directive, request: ModelRequest): Reply => {
  const { verb, rest } = directive;
  switch (verb) {
    case "SAY":
      return text(rest || "ok");
    case "SLOW":
      return text("", { slowMs: numberOf(rest, 20) * 1_000 });
    case "THINK":
      return text("Thought about it.", { waitMs: numberOf(rest, 20) * 1_000 });
    case "FAIL":
      return { kind: "fail", status: numberOf(rest, 500), resetsAt: null };
    case "LIMIT": {
      const resetsAt = Math.round(Date.now() / 1_000 + numberOf(rest, 60) * 60);
      return { kind: "fail", status: 429, resetsAt };
    }
    case "CUT":
      return { kind: "cut" };
    case "RUN":
    case "WRITE":
    case "EDIT":
    case "ASK":
    case "PLAN":
    case "TASK":
    case "TOOL": {
      const called = toolCall(directive, request);
      const names = request.tools.map(({ name }) => name).join(", ");
      return called === null ? text(`(no tool for ${verb}; tools: ${names})`) : { kind: "tool", ...called };
    }
  }
};

export const chooseReply = (request: ModelRequest): Reply => {
  if (request.toolResult !== null)
    return text(`DONE ${request.toolResult.replaceAll(/\s+/g, " ").slice(0, 60)}`);
  const directive = readDirective(request.lastUser);
  if (directive === null) return text("ok");
  const isWithoutTools =
    request.tools.length === 0 && !["FAIL", "LIMIT"].includes(directive.verb) && directive.verb !== "CUT";
  return isWithoutTools ? text("Live session") : replyTo(directive, request);
};

/** The words of a text reply, at the pace that the script asks for. */
export async function* wordsOf(reply: Reply & { kind: "text" }): AsyncGenerator<string> {
  await wait(reply.waitMs);
  const end = performance.now() + reply.slowMs;
  for (let index = 1; performance.now() < end; index += 1) {
    yield `word${index} ${index % 12 === 0 ? "\n" : ""}`;
    await wait(SLOW_WORD_MS);
  }
  if (reply.slowMs > 0) yield "\nslow answer finished.";
  for (const word of reply.text.split(/(?<= )/)) {
    yield word;
    await wait(WORD_MS);
  }
}

export const wholeText = async (reply: Reply): Promise<string> => {
  if (reply.kind !== "text") return "";
  let said = "";
  for await (const word of wordsOf(reply)) said += word;
  return said;
};
