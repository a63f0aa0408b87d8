// Makes an adapter of a file: which process it is, and the adapter itself, either one of its own or a built-in one whose screens
// are read by the file's rules first. A file's rules see screens and titles only, no events or logs.
import type { ProcessInfo } from "../../core/model/runtime.ts";
import {
  type IdentifyMatch,
  ADAPTER_CONTRACT_VERSION,
  type AdapterHealth,
  type AgentAdapter,
} from "../../core/ports/agentAdapter.ts";
import { wordsOf } from "../common/commandLine.ts";
import { compilePattern, PatternTimeout, type Deadline } from "../../core/pattern/pattern.ts";
import type { AgentFile, AnswerKeys, PatchFile } from "./schema.ts";
import type { Logger } from "../../core/ports/logger.ts";
import { createScreenRules, type ScreenRules } from "./screenRules.ts";

// Which process: the one with the program's own name, or an interpreter that runs its script. A shell, an editor or a remote login
// that only mentions the name never counts.

const INTERPRETER = /^(node|nodejs|bun|deno|python[\d.]*|ruby|java|MainThread)$/;
/** Characters of a command line that patterns see. */
const MAX_LENGTH = 1_000;
/** Processes of one pane that are checked. */
const MAX_PROCESSES = 200;

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const withoutExtension = (name: string): string => name.replace(/\.(m?js|cjs|ts|py|rb|jar)$/, "");

/** The script that an interpreter runs: its first argument that is no option, or what follows `-m`. */
const scriptOf = (words: readonly string[]): string | null => {
  if (!INTERPRETER.test(baseName(words[0] ?? ""))) return null;
  const at = words.findIndex((word, index) => index > 0 && !word.startsWith("-"));
  return at < 0 ? null : withoutExtension(baseName(words[at] ?? ""));
};

interface Identifier {
  /** False where no process can be this agent by its name: cheap, and no pattern runs. */
  isCandidate(processes: readonly ProcessInfo[]): boolean;
  /** Runs patterns on bounded input; the caller adds the deadline. */
  identify(processes: readonly ProcessInfo[]): IdentifyMatch | null;
  hasPatterns: boolean;
}

const createIdentifier = (rules: AgentFile["process"]): Identifier => {
  const compile = (sources: readonly string[]) => sources.map((source) => compilePattern(source));
  const names = new Set(rules.names);
  const patterns = compile(rules.arguments);
  const second = rules.second_sign === undefined ? null : compile(rules.second_sign);
  const excluded = compile(rules.exclude);

  const nameSign = ({ comm }: ProcessInfo, words: readonly string[]): string | null => {
    const program = baseName(words[0] ?? comm);
    if (names.has(comm) || (!INTERPRETER.test(program) && names.has(program)))
      return `process name "${comm}"`;
    const script = scriptOf(words);
    return script !== null && names.has(script) ? `script "${script}"` : null;
  };
  const isInterpreter = ({ comm }: ProcessInfo, words: readonly string[]): boolean =>
    INTERPRETER.test(comm) || INTERPRETER.test(baseName(words[0] ?? ""));

  const matchOne = (process: ProcessInfo): IdentifyMatch | null => {
    const line = process.args.slice(0, MAX_LENGTH);
    const words = wordsOf(line);
    const byArguments = isInterpreter(process, words) && patterns.some((pattern) => pattern.test(line));
    const sign = nameSign(process, words) ?? (byArguments ? "arguments of an interpreter" : null);
    if (sign === null || excluded.some((pattern) => pattern.test(line))) return null;
    if (second !== null && !second.some((pattern) => pattern.test(line))) return null;
    // As sure as the built-in adapters with two signs, less sure with one.
    return { process, confidence: second === null ? "medium" : "high", sign };
  };
  return {
    hasPatterns: patterns.length + excluded.length + (second?.length ?? 0) > 0,
    isCandidate: (processes) =>
      processes.slice(0, MAX_PROCESSES).some((process) => {
        const words = wordsOf(process.args.slice(0, MAX_LENGTH));
        return nameSign(process, words) !== null || (patterns.length > 0 && isInterpreter(process, words));
      }),
    identify: (processes) => {
      for (const process of processes.slice(0, MAX_PROCESSES)) {
        const match = matchOne(process);
        if (match !== null) return match;
      }
      return null;
    },
  };
};

/** Wall time for the process patterns on one pane, ms. */
const IDENTIFY_LIMIT_MS = 100;

interface DeclarativeAdapter extends AgentAdapter {
  /** Keys that answer or interrupt this agent, as the file names them. */
  readonly answerKeys: AnswerKeys | null;
}

interface AdapterContext {
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

/** `base`: the health of the adapter below the file. */
const healthOf = (rules: ScreenRules, name: string, base: AdapterHealth): AdapterHealth => {
  if (!rules.isGivenUp()) return base;
  const own = `the rules of ${name} were too slow and are not tried until the file changes`;
  return { status: "degraded", reason: base.status === "ok" ? own : `${own}; ${base.reason}` };
};

/** Each key is a press of its own. */
const interruptOf = ({ keys }: AgentFile | PatchFile): Pick<AgentAdapter, "interruptKeys"> =>
  keys?.interrupt === undefined ? {} : { interruptKeys: keys.interrupt.map((key) => [key]) };

/** An agent that is known only by its screen and title. */
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
