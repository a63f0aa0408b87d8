// Tells opencode's terminal program from everything else in a pane. Source: recorded process tree (1.18.33): a native
// program whose name and first argument are both `opencode`, started directly or by npm's launcher.
import type { AgentExecutable, IdentifyMatch } from "../../core/ports/agentAdapter.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { baseName, wordsOf } from "../common/commandLine.ts";

/** Subcommands without a session on the screen. */
const HELPERS = new Set([
  "acp",
  "agent",
  "auth",
  "completion",
  "db",
  "debug",
  "export",
  "generate",
  "github",
  "import",
  "mcp",
  "models",
  "plugin",
  "pr",
  "run",
  "serve",
  "session",
  "stats",
  "uninstall",
  "upgrade",
  "web",
]);
const ANSWERS_AND_LEAVES = new Set(["--help", "-h", "--version", "-v"]);

/** Of npm, its own installer, Homebrew and nix; its settings' variable is named in it (1.18.33), and in no other agent. */
export const OPENCODE_EXECUTABLE: AgentExecutable = {
  paths:
    /\/(opencode-(ai|(linux|darwin)[^/]*)|\.opencode|Cellar\/opencode\/[^/]+)\/(.*\/)?bin\/\.?opencode(\.exe)?$/,
  mark: "OPENCODE_CONFIG_CONTENT",
};

const isOpencode = ({ comm, args }: ProcessInfo): boolean => {
  const [program = "", first = ""] = wordsOf(args);
  return (
    baseName(comm) === "opencode" &&
    /^\.?opencode$/.test(baseName(program)) &&
    !HELPERS.has(first) &&
    !ANSWERS_AND_LEAVES.has(first)
  );
};

/** The first process, parents before children, that is opencode with a screen; null for its servers and helpers. */
export const identifyOpencode = (processes: readonly ProcessInfo[]): IdentifyMatch | null => {
  const process = processes.find(isOpencode);
  return process === undefined
    ? null
    : { process, confidence: "high", sign: `process name and program "opencode"` };
};
