// Makes an adapter of a file: one of its own, or a built-in one whose screens are read by the file's rules first. It reads
// screens and titles only, so it says nothing that nobody could see.
import {
  ADAPTER_CONTRACT_VERSION,
  type AdapterHealth,
  type AgentAdapter,
} from "../../core/ports/agentAdapter.ts";
import type { Logger } from "../../core/ports/logger.ts";
import { createIdentifier } from "./identify.ts";
import { PatternTimeout, type Deadline } from "../../core/pattern/pattern.ts";
import type { AgentFile, AnswerKeys, PatchFile } from "./schema.ts";
import { createScreenRules, type ScreenRules } from "./screenRules.ts";

/** Wall time for the process patterns on one pane, ms. */
const IDENTIFY_LIMIT_MS = 100;

export interface DeclarativeAdapter extends AgentAdapter {
  /** Keys that answer or interrupt this agent, as the file names them. */
  readonly answerKeys: AnswerKeys | null;
}

export interface AdapterContext {
  /** Name of the file, for the log. */
  name: string;
  deadline: Deadline;
  logger: Logger;
}

const rulesOf = (file: AgentFile | PatchFile, { name, deadline, logger }: AdapterContext): ScreenRules =>
  createScreenRules(file, deadline, () =>
    logger.warn(
      { file: name },
      "the rules of an adapter file are too slow and no longer tried until it changes",
    ),
  );

/** `base`: how the adapter below the file fares. */
const healthOf = (rules: ScreenRules, name: string, base: AdapterHealth): AdapterHealth => {
  if (!rules.isGivenUp()) return base;
  const own = `the rules of ${name} were too slow and are not tried until the file changes`;
  return { status: "degraded", reason: base.status === "ok" ? own : `${own}; ${base.reason}` };
};

/** Each key is a press of its own. */
const interruptOf = ({ keys }: AgentFile | PatchFile): Pick<AgentAdapter, "interruptKeys"> =>
  keys?.interrupt === undefined ? {} : { interruptKeys: keys.interrupt.map((key) => [key]) };

/** An agent that only its screen and title tell about. */
export const createFileAdapter = (file: AgentFile, context: AdapterContext): DeclarativeAdapter => {
  const rules = rulesOf(file, context);
  const identifier = createIdentifier(file.process);
  const states = new Set([...file.screens, ...file.titles].map(({ state }) => state));
  return {
    contractVersion: ADAPTER_CONTRACT_VERSION,
    agentType: file.agent_type,
    displayName: file.display_name,
    version: file.version,
    recordedVersions: file.recorded_versions,
    announcesExit: false,
    capabilities: {
      event_driven: false,
      polling_required: true,
      supports_waiting_approval: states.has("waiting_approval"),
      supports_waiting_input: states.has("waiting_input"),
      supports_completed: states.has("completed"),
      verified: false,
    },
    answerKeys: file.keys ?? null,
    ...interruptOf(file),
    identify: (processes) => {
      if (!identifier.isCandidate(processes)) return null;
      if (!identifier.hasPatterns) return identifier.identify(processes);
      try {
        return context.deadline.run(IDENTIFY_LIMIT_MS, () => identifier.identify(processes));
      } catch (error) {
        if (error instanceof PatternTimeout) return null;
        throw error;
      }
    },
    normalize: () => ({ signals: [], sessionId: null, eventId: null, isExit: false }),
    health: () => healthOf(rules, context.name, { status: "ok" }),
    readScreen: (screen) => rules.read(screen),
    traceScreen: (screen) => rules.trace(screen),
  };
};

/** `base` with the file's rules before its own; everything else stays the built-in's. */
export const patchAdapter = (
  base: AgentAdapter,
  file: PatchFile,
  context: AdapterContext,
): DeclarativeAdapter => {
  const rules = rulesOf(file, context);
  return {
    ...base,
    version: `${base.version}+${file.version}`,
    answerKeys: file.keys ?? null,
    ...interruptOf(file),
    health: () => healthOf(rules, context.name, base.health?.() ?? { status: "ok" }),
    readScreen: (screen) => rules.read(screen) ?? base.readScreen(screen),
    traceScreen: (screen) => {
      const own = rules.trace(screen);
      const rest = base.traceScreen?.(screen);
      if (rest !== undefined) return [...own, ...rest];
      const reading = base.readScreen(screen);
      return reading === null ? own : [...own, { rule: "built-in", reading }];
    },
  };
};
