// An event as the tables of normalisation see it, and the rules that mean the same in several of them. Which event has which
// rule is each adapter's own business.
import type { ToldActivity } from "../../core/ports/agentAdapter.ts";
import { asPayload, fieldOf, firstText, listOf, textOf, type Payload } from "./payload.ts";
import type { Envelope } from "../../core/model/envelope.ts";
import { ROOT_AGENT, type Signal } from "../../core/model/evidence.ts";
import type { Confidence, Status } from "../../core/model/state.ts";
import { activity, boundary, SUBAGENT, THINKING } from "./signals.ts";

// What an event tells of the work beside the state: the prompt, the tool that begins or ends, the agent's last words. Which of an
// agent's events and fields these are is each adapter's own business.

/** Fields of a tool's input that say best what it works on, in order. */
const TELLING = [
  "command",
  "cmd",
  "file_path",
  "filePath",
  "path",
  "fileName",
  "notebook_path",
  "pattern",
  "query",
  "url",
  "description",
];
const PATCHED_FILE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/m;

/** What a tool works on, to the letter; null where its input does not tell. */
export const subjectOf = (input: unknown): string | null => {
  if (typeof input === "string") return input === "" ? null : input;
  const fields = asPayload(input);
  if (fields === null) return null;
  const words = listOf(fields, "command");
  const isVector = words.length > 0 && words.every((word) => typeof word === "string");
  const text = isVector ? words.join(" ") : firstText(fields, TELLING);
  return text?.startsWith("*** Begin Patch") === true ? (PATCHED_FILE.exec(text)?.[1] ?? null) : text;
};

/** By the names of an agent's events, and of the fields that tell. */
export interface ToldNames {
  prompts: string;
  began: string;
  ended: readonly string[];
  toolName: string;
  /** Of the tool's input. */
  input: string;
  /** Event and field; absent where no event tells. */
  said?: { event: string; field: string };
}

/** What the program itself puts in as if a person had asked it. */
export const OWN_PROMPT = /^\s*<[a-z][a-z_-]*>/;

/** Of the root agent's events alone: what a sub-agent does is not what the person asked. */
export const toldOf = (
  names: ToldNames,
  { name, payload, isRoot }: { name: string; payload: Payload; isRoot: boolean },
): Pick<ToldActivity, "promptText" | "tool" | "saidText"> => {
  if (!isRoot) return { promptText: null };
  const prompt = name === names.prompts ? textOf(payload, "prompt") : null;
  const hasEnded = names.ended.includes(name);
  const toolName = hasEnded || name === names.began ? textOf(payload, names.toolName) : null;
  const subject = subjectOf(fieldOf(payload, names.input));
  return {
    promptText: prompt === null || OWN_PROMPT.test(prompt) ? null : prompt,
    ...(toolName === null ? {} : { tool: { name: toolName, subject, hasEnded } }),
    saidText: name === names.said?.event ? textOf(payload, names.said.field) : null,
  };
};

/** `payload` empty when the hook's was unreadable; then `isWhole` is false and only what the name proves is concluded. */
export interface HookEvent {
  payload: Payload;
  isWhole: boolean;
  agentId: string;
  confidence: Confidence;
}

export type EventRule<E extends HookEvent = HookEvent> = (event: E) => readonly Signal[];
export type EventRules<E extends HookEvent = HookEvent> = Readonly<Record<string, EventRule<E>>>;

export const eventOf = ({ payload }: Envelope, agentId: string): HookEvent => ({
  payload: payload ?? {},
  isWhole: payload !== null,
  agentId,
  confidence: payload === null ? "medium" : "high",
});

/** What the rule of this name says; unknown events give no signals. */
export const signalsOf = <E extends HookEvent>(
  rules: EventRules<E>,
  name: string,
  event: E,
): readonly Signal[] => (Object.hasOwn(rules, name) ? (rules[name]?.(event) ?? []) : []);

/** An id, which is as long as a hostile payload makes it. */
export const idOf = (payload: Payload, name: string): string | null =>
  textOf(payload, name)?.slice(0, 200) ?? null;

export const workOf = (agentId: string, status: Status): Status =>
  agentId === ROOT_AGENT ? status : SUBAGENT;

/** It proves life, and nothing else. */
export const alive: EventRule = ({ agentId }) => [activity(null, { agentId })];

export const working =
  (status: Status): EventRule =>
  ({ agentId }) => [activity(workOf(agentId, status), { agentId })];

/** A turn begins, or goes on. */
export const prompted: EventRule = ({ agentId, confidence }) => [
  boundary(workOf(agentId, THINKING), agentId, confidence),
];

/** The root's turn ended so; a sub-agent just ended. */
export const endedAs =
  (status: Status): EventRule =>
  ({ agentId, confidence }) => [boundary(agentId === ROOT_AGENT ? status : null, agentId, confidence)];

export const sessionEnded: EventRule = ({ agentId, confidence }) => [boundary(null, agentId, confidence)];

/** Without its agent id it would end the parent's turn. */
export const subagentStopped: EventRule = (event) =>
  event.agentId === ROOT_AGENT ? [activity(null)] : sessionEnded(event);
