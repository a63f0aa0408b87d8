// Whether a request may be approved while nobody looks. Stricter than what is offered to a person, who reads: an event must have told
// all of it, the screen must show just that, to the letter and in rows as it was told, and nothing else may be open. Pure.
import { requestLanes } from "../engine/requests.ts";
import { toldByEvent } from "../ingest/prompts.ts";
import { mayBeOfAnother, NONE_UNENDED } from "../ingest/unended.ts";
import type { RuntimeEntry } from "../ingest/liveState.ts";
import type { PromptRequest } from "../model/request.ts";
import { HOST_TARGET } from "../model/runtime.ts";

type Entry = Pick<RuntimeEntry, "runtime" | "adapter" | "resolution" | "facts" | "asked">;

const agentDoubt = ({ runtime, adapter }: Entry): string | null => {
  if (runtime.targetId !== HOST_TARGET) return "it is on another machine";
  if (adapter === null) return "its agent is not known";
  const { capabilities, integration, displayName } = adapter;
  const tells = capabilities.event_driven && integration !== undefined;
  return capabilities.verified && tells ? null : `${displayName} does not tell enough of what it asks`;
};

/** It is open, as the only one, and what an event says of the end of another one counts only if the screen shows it too. */
const askingDoubt = ({ resolution, facts, asked }: Entry, told: PromptRequest): string | null => {
  if (resolution?.status.state !== "waiting_approval" || resolution.confidence !== "high")
    return "it is not certain that its agent asks for it now";
  const lanes = requestLanes(facts, 0);
  const open = lanes.flatMap(({ name, unanswered }) => unanswered.map(({ eventId }) => `${name}@${eventId}`));
  const [only] = open;
  if (open.length > 1) return "more than one request is open";
  if (only !== resolution.requestId) return "no event tells that it is still open";
  const eventId = only.slice(only.lastIndexOf("@") + 1);
  return mayBeOfAnother(asked.unended ?? NONE_UNENDED, { eventId, told })
    ? "the same may have been asked before, and the screen has not shown since that nothing is asked"
    : null;
};

const textDoubt = (told: PromptRequest, seen: PromptRequest): string | null => {
  if (told.kind !== "command" || told.body === null) return "it is about no command";
  if (told.isWhole !== true || told.hasMore === true)
    return "a part of it is not told, or changes how it runs";
  if ((told.runsIn ?? null) === null) return "its event does not tell all of how and where it runs";
  if (seen.isWhole !== true || seen.kind !== "command") return "its dialog is not on the screen as a whole";
  if (seen.title !== told.title) return "its dialog has another heading than its event";
  return seen.body === told.body ? null : "the screen does not show it to the letter, in rows as it was told";
};

const optionDoubt = ({ options, takesSeveral }: PromptRequest): string | null => {
  const approving = options.filter(({ role }) => role === "approve");
  const isPlain = approving.length === 1 && approving[0]?.keys?.length === 1 && takesSeveral !== true;
  return isPlain ? null : "no single key approves it once and nothing else";
};

/**
 * Why what is asked now must not be approved by a rule, after "because"; null: nothing speaks against it. `seen`: the dialog on the
 * screen; null where none was read.
 */
export const doubtOf = (entry: Entry, seen: PromptRequest | null): string | null => {
  const told = toldByEvent(entry);
  if (told === null) return agentDoubt(entry) ?? "no event told it while this daemon runs";
  if (seen === null) return agentDoubt(entry) ?? "its dialog is not on the screen";
  return agentDoubt(entry) ?? askingDoubt(entry, told) ?? textDoubt(told, seen) ?? optionDoubt(seen);
};
