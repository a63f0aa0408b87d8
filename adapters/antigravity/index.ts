// The adapter for the Antigravity CLI (`agy`): which process it is, and how its screen is read. Nobody could run it here: it is built
// from its documents and from screens that others published. It has no integration. A hook of its own may refuse a tool when the
// answer is not as it expects, and from 1.1.11 on it runs hooks of installed plugins alone: no answer of ours may ever stop it.
import { type IdentifyMatch, type AgentAdapter } from "../../core/ports/agentAdapter.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { baseName, firstMatch, wordsOf } from "../common/commandLine.ts";
import { BUILT_IN } from "../common/builtIn.ts";
import { readAntigravityScreen } from "./screen.ts";

// Which process: one native program named `agy`. The desktop editor's launcher of the same name is a shell's script.

const HELPERS = /^(changelog|help|install|models|plugin|plugins|update)$/;
const WITHOUT_SCREEN = /^(--help|--input-format|--output-format|--print|--prompt|--version|-h|-p|-v)(=.*)?$/;
/** Its value is the first prompt, whatever words that has. */
const TAKES_PROMPT = /^(--prompt-interactive|-i)$/;

const matchOne = (process: ProcessInfo): IdentifyMatch | null => {
  const [program = "", ...operands] = wordsOf(process.args);
  if (baseName(process.comm) !== "agy" || baseName(program) !== "agy") return null;
  const prompt = operands.findIndex((word) => TAKES_PROMPT.test(word));
  const own = prompt < 0 ? operands : operands.slice(0, prompt);
  if (HELPERS.test(own[0] ?? "") || own.some((word) => WITHOUT_SCREEN.test(word))) return null;
  return { process, confidence: "medium", sign: `process name and program "agy"` };
};

/** The first process, parents before children, that is the Antigravity CLI with a screen; null for everything else. */
const identifyAntigravity = (processes: readonly ProcessInfo[]): IdentifyMatch | null =>
  firstMatch(processes, matchOne);

export const createAntigravityAdapter = (): AgentAdapter => ({
  ...BUILT_IN,
  agentType: "antigravity",
  displayName: "Antigravity CLI",
  recordedVersions: [],
  programs: ["agy"],
  announcesExit: false,
  capabilities: { ...BUILT_IN.capabilities, event_driven: false, supports_completed: false, verified: false },
  // How it goes on with a session is not known: no event and no file names the session of a pane.
  launch: { program: "agy" },
  identify: identifyAntigravity,
  normalize: () => ({ signals: [], sessionId: null, eventId: null, isExit: false }),
  readScreen: readAntigravityScreen,
});
