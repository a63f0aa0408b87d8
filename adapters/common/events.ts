// An event as the tables of normalisation see it, and the rules that mean the same in several of them. Which event has which
// rule is each adapter's own business.
import type { NormalizeContext, NormalizedEvent, ToldActivity } from "../../core/ports/agentAdapter.ts";
import { asPayload, fieldOf, firstText, listOf, textOf, type Payload } from "./payload.ts";
import type { Envelope } from "../../core/model/envelope.ts";
import { ROOT_AGENT, type RequestSignal, type Signal } from "../../core/model/evidence.ts";
import type { Confidence, Status } from "../../core/model/state.ts";
import { activity, boundary, openRequest, SUBAGENT, THINKING, type Ask } from "./signals.ts";

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
const toldOf = (
  names: ToldNames,
  { name, payload, isRoot }: HookEvent,
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
  name: string;
  payload: Payload;
  isWhole: boolean;
  agentId: string;
  isRoot: boolean;
  confidence: Confidence;
  /** Epoch ms. */
  at: number;
  /** See `NormalizeContext`. */
  confirmRequests: boolean;
}

export type EventRule = (event: HookEvent) => readonly Signal[];
export type EventRules = Readonly<Record<string, EventRule>>;

type About = Omit<NormalizedEvent, "signals" | "eventId">;

/** What differs between agents. */
interface EventForm {
  /** Unknown events give no signals. */
  rules: EventRules;
  /** Absent: `about` tells it. */
  told?: ToldNames;
  /** Field of a payload that names its event, where the hook did not. */
  nameField?: string;
  /** Absent: no event tells of a sub-agent. */
  agentIdOf?: (payload: Payload) => string;
  about: (event: HookEvent) => About;
}

/**
 * Never throws. A payload that could not be read (not JSON, cut, too large) still counts by its event's name where the name alone
 * proves something, with medium confidence.
 */
export const createNormalizer =
  ({ rules, told, nameField, agentIdOf, about }: EventForm) =>
  (envelope: Envelope, { confirmRequests }: NormalizeContext): NormalizedEvent => {
    const isWhole = envelope.payload !== null;
    const payload = envelope.payload ?? {};
    const name = envelope.eventName ?? (nameField === undefined ? null : textOf(payload, nameField)) ?? "";
    const agentId = agentIdOf?.(payload) ?? ROOT_AGENT;
    const isRoot = agentId === ROOT_AGENT;
    const confidence = isWhole ? "high" : "medium";
    const at = envelope.eventTime;
    const event = { name, payload, isWhole, agentId, isRoot, confidence, at, confirmRequests } as const;
    return {
      signals: Object.hasOwn(rules, name) ? (rules[name]?.(event) ?? []) : [],
      eventId: null,
      ...(told === undefined ? {} : toldOf(told, event)),
      ...about(event),
    };
  };

/** Under the names that several agents have for them. */
export const placeOf = ({
  payload,
}: HookEvent): Pick<NormalizedEvent, "sessionId" | "cwd" | "transcriptPath"> => ({
  sessionId: idOf(payload, "session_id"),
  cwd: textOf(payload, "cwd"),
  transcriptPath: textOf(payload, "transcript_path"),
});

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

/**
 * How a request is opened by an agent whose dialog is drawn within this time, see `openRequest`. Unless it says otherwise, one whose
 * payload could not be read has to be confirmed.
 */
export const opensWithin =
  (dialogGraceMs: number) =>
  (
    { agentId, confidence, isWhole }: HookEvent,
    ask: Ask,
    requestKey: string | null,
    more: Partial<Pick<RequestSignal, "needsConfirmation" | "confidence">> = {},
  ): RequestSignal =>
    openRequest(ask, {
      agentId,
      requestKey,
      confidence,
      needsConfirmation: !isWhole,
      dialogGraceMs,
      ...more,
    });
