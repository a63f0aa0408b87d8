// An event as the tables of normalisation see it, and the rules that mean the same in several of them. Which event has which
// rule is each adapter's own business.
import type { Envelope } from "../../core/model/envelope.ts";
import { ROOT_AGENT, type Signal } from "../../core/model/evidence.ts";
import type { Confidence, Status } from "../../core/model/state.ts";
import { textOf, type Payload } from "./payload.ts";
import { activity, boundary, SUBAGENT, THINKING } from "./signals.ts";

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
