// A built-in adapter with a pack's rules before its own. A pack tells states; it never widens what may be answered. What decides about
// keys stays the program's own reading (`Reading.forKeys`), and no rule of a pack takes a guard of the program away: where the program
// sees a dialog, or something that it does not understand, a pack can at most say that this is not to be believed. Keys and whole
// requests of a pack count only once a person has approved them.
import { isWaiting } from "../../core/model/state.ts";
import type { AgentAdapter, Reading } from "../../core/ports/agentAdapter.ts";
import { patchAdapter } from "../declarative/createAdapter.ts";
import type { DetectionPack } from "./packFile.ts";

type PatchContext = Parameters<typeof patchAdapter>[2];

/** A dialog may be open though nobody can say which: no text is typed, and no request ends. */
const notBelieved = (matched: string): Reading => ({
  status: { state: "unknown", reasonCode: "unsupported_signal" },
  confidence: "medium",
  matched,
  request: null,
  isSteady: false,
});

/**
 * The reading without all that answers: no keys, no roles, never whole, and no place of its dialog, without which no key is pressed.
 * Never sure either, because what is sent while nobody watches asks for that.
 */
const withoutAnswers = ({ dialogTop: _top, ...reading }: Reading): Reading => {
  const { request } = reading;
  const confidence = reading.confidence === "high" ? "medium" : reading.confidence;
  if (request === null) return { ...reading, confidence };
  const { isWhole: _whole, textEntry: _entry, submit: _submit, ...rest } = request;
  const options = request.options.map(({ label }) => ({ label, keys: null, role: null }));
  return { ...reading, confidence, request: { ...rest, hasMore: true, options } };
};

const hasAnswers = ({ request }: Reading): boolean =>
  request !== null && (request.isWhole === true || request.options.some(({ keys }) => keys !== null));

const isUnknown = ({ status }: Reading): boolean => status.state === "unknown";

/**
 * What is shown of a screen that a rule of the pack and the program read. `told`: what the pack says; `own`: what the program says.
 * `readsBox`: the program knows the agent's input box, so that a text goes in only where it sees that.
 */
const combine = (
  told: Reading,
  own: Reading | null,
  { isApproved, readsBox }: { isApproved: boolean; readsBox: boolean },
): Reading => {
  if (isUnknown(told)) return withoutAnswers(told);
  const isOwnWait = own !== null && isWaiting(own.status.state);
  if (isWaiting(told.status.state)) {
    if (isApproved && hasAnswers(told)) return told;
    // Of two readings of a dialog the one with the guards counts.
    if (isOwnWait) return own;
    const reading = withoutAnswers(told);
    return own !== null && isUnknown(own) ? { ...reading, forKeys: own } : reading;
  }
  const calm = withoutAnswers(told);
  if (isOwnWait) return { ...notBelieved(told.matched), forKeys: own };
  // Where nothing but rules of a pack knows the screen and the program knows no box, nobody can say that a text would reach it.
  return { ...calm, forKeys: own ?? (readsBox ? null : notBelieved(told.matched)) };
};

export const packedAdapter = (
  base: AgentAdapter,
  { pack, isApproved }: { pack: DetectionPack; isApproved: boolean },
  context: PatchContext,
): AgentAdapter => {
  // Without a base of its own: what the pack alone says.
  const silent: AgentAdapter = { ...base, readScreen: () => null, traceScreen: () => [] };
  const patched = patchAdapter(silent, pack.rules, context);
  const how = { isApproved, readsBox: base.readDraft !== undefined };
  const states = new Set([...pack.rules.screens, ...pack.rules.titles].map(({ state }) => state));
  const { capabilities } = base;
  return {
    ...base,
    capabilities: {
      ...capabilities,
      supports_waiting_approval: capabilities.supports_waiting_approval || states.has("waiting_approval"),
      supports_waiting_input: capabilities.supports_waiting_input || states.has("waiting_input"),
      supports_completed: capabilities.supports_completed || states.has("completed"),
    },
    version: patched.version,
    recordedVersions: [...new Set([...pack.content.driven_with, ...base.recordedVersions])],
    ...(isApproved && patched.interruptKeys !== undefined ? { interruptKeys: patched.interruptKeys } : {}),
    health: () => patched.health?.() ?? { status: "ok" },
    readScreen: (screen) => {
      const told = patched.readScreen(screen);
      const own = base.readScreen(screen);
      return told === null ? own : combine(told, own, how);
    },
    traceScreen: (screen) => {
      const own = base.readScreen(screen);
      const told = patched.traceScreen?.(screen) ?? [];
      const rest = base.traceScreen?.(screen) ?? (own === null ? [] : [{ rule: "built-in", reading: own }]);
      return [
        ...told.map(({ rule, reading }) => ({ rule: `pack: ${rule}`, reading: combine(reading, own, how) })),
        ...rest,
      ];
    },
  };
};
