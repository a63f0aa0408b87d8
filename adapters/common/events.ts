// What all adapters share below their tables: reading untrusted JSON field by field, cleaning texts, the statuses and signals, what
// an event says of the work, rules that several agents share. Which event has which rule is each adapter's own business.
import {
  ROOT_AGENT,
  type ActivitySignal,
  type RequestSignal,
  type Signal,
} from "../../core/model/evidence.ts";
import type { PromptRequest } from "../../core/model/request.ts";
import type { Confidence, Status } from "../../core/model/state.ts";
import type { NormalizeContext, NormalizedEvent, ToldActivity } from "../../core/ports/agentAdapter.ts";
import type { Envelope } from "../../core/model/envelope.ts";

// Untrusted JSON: every reader gives a value of the asked type, else null or an empty list, and never throws.

export type Payload = Readonly<Record<string, unknown>>;

/** Own property only: a payload with a `__proto__` key must not lend us fields. */
export const fieldOf = (payload: Payload, name: string): unknown =>
  Object.hasOwn(payload, name) ? payload[name] : undefined;

/** Null for an empty text as well. */
export const textOf = (payload: Payload, name: string): string | null => {
  const value = fieldOf(payload, name);
  return typeof value === "string" && value !== "" ? value : null;
};

/** The first of the named fields that holds a text. */
export const firstText = (payload: Payload, names: readonly string[]): string | null => {
  for (const name of names) {
    const text = textOf(payload, name);
    if (text !== null) return text;
  }
  return null;
};

/** A number, or a short text of one; nothing else is converted, because conversion may throw. */
export const numberOf = (payload: Payload, name: string): number | null => {
  const value = fieldOf(payload, name);
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
};

export const listOf = (payload: Payload, name: string): readonly unknown[] => {
  const value = fieldOf(payload, name);
  return Array.isArray(value) ? value : [];
};

const isPayload = (value: unknown): value is Payload =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const asPayload = (value: unknown): Payload | null => (isPayload(value) ? value : null);

/** Null for what is no JSON object: cut, half written, caught in the middle of a rewrite. */
export const parsePayload = (text: string): Payload | null => {
  try {
    return asPayload(JSON.parse(text));
  } catch {
    return null;
  }
};

/** One line without control characters, at most `max` characters. */
export const oneLine = (text: string, max = 500): string =>
  text
    .slice(0, max * 4)
    // oxlint-disable-next-line no-control-regex -- agents' texts are hostile: control characters must not reach a terminal
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ")
    .trim()
    .slice(0, max);

/** Several lines without control characters but newline and tab, at most `max` characters and the mark of a cut. */
export const boundedText = (text: string, max = 8_000): string => {
  const mark = text.length > max ? `…[cut from ${text.length} characters]` : "";
  return (
    text
      .slice(0, max)
      // oxlint-disable-next-line no-control-regex -- as above
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "") + mark
  );
};

// Statuses and signals, for events and for screens.

export const THINKING: Status = { state: "running", reasonCode: "thinking" };
export const TOOL: Status = { state: "running", reasonCode: "tool" };
export const SUBAGENT: Status = { state: "running", reasonCode: "subagent" };
export const COMPACTING: Status = { state: "running", reasonCode: "compacting" };
export const BACKGROUND: Status = { state: "running", reasonCode: "background_task" };
export const RETRYING: Status = { state: "running", reasonCode: "retrying" };
export const FRESH: Status = { state: "idle", reasonCode: "fresh" };
export const INTERRUPTED: Status = { state: "idle", reasonCode: "interrupted" };
export const COMPLETED: Status = { state: "completed", reasonCode: "turn_ended" };
/** A view of the agent's own, in which keys are commands. */
export const IN_MENU: Status = { state: "unknown", reasonCode: "in_menu" };

/** Nothing known is drawn, but a dialog may be open. */
export const HIDDEN: Status = { state: "unknown", reasonCode: "unsupported_signal" };

export const TOOL_APPROVAL: Status = { state: "waiting_approval", reasonCode: "permission_tool" };
export const EDIT_APPROVAL: Status = { state: "waiting_approval", reasonCode: "permission_edit" };
export const PLAN_APPROVAL: Status = { state: "waiting_approval", reasonCode: "plan" };
export const TRUST_APPROVAL: Status = { state: "waiting_approval", reasonCode: "trust" };
export const QUESTION: Status = { state: "waiting_input", reasonCode: "question" };

/** A wait as an adapter builds it from an event: what is asked, and the state that asking means. */
export interface Ask {
  status: Status;
  request: PromptRequest;
}

/** `status` null: proof of life only. */
export const activity = (status: Status | null, fields: Partial<ActivitySignal> = {}): ActivitySignal => ({
  kind: "activity",
  agentId: ROOT_AGENT,
  status,
  confidence: "high",
  boundary: false,
  closes: [],
  names: null,
  ...fields,
});

/** `beside`: the progress, as `progressField` gives it. */
export const boundary = (
  status: Status | null,
  agentId: string,
  confidence: Confidence,
  beside: Pick<ActivitySignal, "progress"> = {},
): ActivitySignal => activity(status, { agentId, confidence, boundary: true, ...beside });

/** `dialogGraceMs`: three times the recorded delay from the event to the drawn dialog, at least 500. */
const openRequest = (
  ask: Ask,
  fields: Pick<
    RequestSignal,
    "agentId" | "requestKey" | "needsConfirmation" | "confidence" | "dialogGraceMs"
  >,
): RequestSignal => ({ kind: "request", status: ask.status, request: ask.request, ...fields });

// Activity: what an event says of the work beside the state: the prompt, the tool that begins or ends, the agent's last words.

/** Fields of a tool's input that say what it works on, the best first. */
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

/** What a tool works on, to the letter; null where its input does not say. */
export const subjectOf = (input: unknown): string | null => {
  if (typeof input === "string") return input === "" ? null : input;
  const fields = asPayload(input);
  if (fields === null) return null;
  const words = listOf(fields, "command");
  const isVector = words.length > 0 && words.every((word) => typeof word === "string");
  const text = isVector ? words.join(" ") : firstText(fields, TELLING);
  return text?.startsWith("*** Begin Patch") === true ? (PATCHED_FILE.exec(text)?.[1] ?? null) : text;
};

/** Names of an agent's events and fields that report its activity. */
export interface ToldNames {
  prompts: string;
  /** The field of that event; `prompt` unless given. */
  prompt?: string;
  began: string;
  ended: readonly string[];
  toolName: string;
  /** Field of the tool's input. */
  input: string;
  /** The agent's last words; absent where no event reports them. */
  said?: { event: string; field: string };
}

/** How a prompt begins that the program itself puts in, as if a person had asked it. */
export const OWN_PROMPT = /^\s*<[a-z][a-z_-]*>/;

/** Only from events of the root agent: what a sub-agent does is not what the person asked. */
const toldOf = (
  names: ToldNames,
  { name, payload, isRoot }: HookEvent,
): Pick<ToldActivity, "promptText" | "tool" | "saidText"> => {
  if (!isRoot) return { promptText: null };
  const prompt = name === names.prompts ? textOf(payload, names.prompt ?? "prompt") : null;
  const hasEnded = names.ended.includes(name);
  const toolName = hasEnded || name === names.began ? textOf(payload, names.toolName) : null;
  const subject = subjectOf(fieldOf(payload, names.input));
  return {
    promptText: prompt === null || OWN_PROMPT.test(prompt) ? null : prompt,
    ...(toolName === null ? {} : { tool: { name: toolName, subject, hasEnded } }),
    saidText: name === names.said?.event ? textOf(payload, names.said.field) : null,
  };
};

// Rules: from one hook event to signals.

/** `payload` is empty when the hook's was unreadable; then `isWhole` is false and only what the name proves is concluded. */
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
  /** Absent: `about` gives the activity as well. */
  told?: ToldNames;
  /** Field of a payload that names its event, where the hook did not. */
  nameField?: string;
  /** Absent: no event names a sub-agent. */
  agentIdOf?: (payload: Payload) => string;
  about: (event: HookEvent) => About;
}

/**
 * Never throws. An event whose payload could not be read (not JSON, cut, too large) still counts where its name alone proves
 * something, with medium confidence.
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

/** Session, folder and transcript, by the field names that several agents use. */
export const placeOf = ({
  payload,
}: HookEvent): Pick<NormalizedEvent, "sessionId" | "cwd" | "transcriptPath"> => ({
  sessionId: idOf(payload, "session_id"),
  cwd: textOf(payload, "cwd"),
  transcriptPath: textOf(payload, "transcript_path"),
});

/** An id, bounded: a hostile payload may make it any length. */
export const idOf = (payload: Payload, name: string): string | null =>
  textOf(payload, name)?.slice(0, 200) ?? null;

/** SUBAGENT for a sub-agent, else the status itself. */
export const workOf = (agentId: string, status: Status): Status =>
  agentId === ROOT_AGENT ? status : SUBAGENT;

/** Proof of life, and nothing else. */
export const alive: EventRule = ({ agentId }) => [activity(null, { agentId })];

export const working =
  (status: Status): EventRule =>
  ({ agentId }) => [activity(workOf(agentId, status), { agentId })];

/** A turn begins or continues. */
export const prompted: EventRule = ({ agentId, confidence }) => [
  boundary(workOf(agentId, THINKING), agentId, confidence),
];

/** The root's turn ended with this status; a sub-agent merely ended. */
export const endedAs =
  (status: Status): EventRule =>
  ({ agentId, confidence }) => [boundary(agentId === ROOT_AGENT ? status : null, agentId, confidence)];

export const sessionEnded: EventRule = ({ agentId, confidence }) => [boundary(null, agentId, confidence)];

/** A sub-agent ended. An event that does not name it only proves life: it must not end the parent's turn. */
export const subagentStopped: EventRule = (event) =>
  event.agentId === ROOT_AGENT ? [activity(null)] : sessionEnded(event);

/**
 * Opens requests of an agent whose dialog is drawn within this time, see `openRequest`. A request whose payload could not be
 * read needs confirmation unless `more` says otherwise.
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
