// The adapter for Cline CLI: which process it is, and how its parts are wired together. By its program (3.0.65) no hook tells that it asks
// for something, and hooks run in a server that several panes share: it is read by its screen and its own files.
import type { ProcessInfo } from "../../core/model/runtime.ts";
import type { AgentAdapter, AgentExecutable, IdentifyMatch } from "../../core/ports/agentAdapter.ts";
import { BUILT_IN } from "../common/builtIn.ts";
import { baseName, firstMatch, wordsOf } from "../common/commandLine.ts";
import { readClineScreen, readDraft } from "./screen.ts";
import { readClineStateFiles, readClineTranscript } from "./stateFiles.ts";

// Which process: a native program, which npm calls at once or by a node launcher that waits for it. A server of the same program
// runs below it. Source: process trees recorded with 3.0.65, its help, and the launcher's own text.

const NATIVE = /(?:^|\/)@cline\/cli-[^/]+\/bin\/cline(?:\.exe)?$|\/cline\/bin\/\.cline$/;
/** Its variable stands in the file before what it has in it of opencode's. */
const EXECUTABLE: AgentExecutable = { paths: NATIVE, mark: "CLINE_TOOL_APPROVAL_DIR" };
const COMMANDS =
  /^(?:auth|config|connect|dashboard|doctor|h|history|hook|hub|kanban|mcp|plugin|schedule|skill|update|version)$/;
const WITHOUT_SCREEN =
  /^(?:--acp|--cline-hub-daemon|--help|--json|--kanban|--update|--version|--zen|-V|-h|-z)$/;
const TAKES_VALUE =
  /^(?:--auto-approve|--compaction|--config|--cwd|--data-dir|--hooks-dir|--id|--key|--model|--provider|--system|--timeout|-P|-c|-k|-m|-s|-t)$/;

/** A prompt on the command line is answered without a screen, unless one is asked for. */
const hasScreen = (words: readonly string[]): boolean =>
  !COMMANDS.test(words[0] ?? "") &&
  !words.some((word) => WITHOUT_SCREEN.test(word)) &&
  (words.some((word) => /^(?:--tui|-i)$/.test(word)) ||
    words.every((word, index) => word.startsWith("-") || TAKES_VALUE.test(words[index - 1] ?? "")));

const matchOne = (process: ProcessInfo): IdentifyMatch | null => {
  const [program = "", ...operands] = wordsOf(process.args);
  if (!hasScreen(operands)) return null;
  if (NATIVE.test(program)) return { process, confidence: "high", sign: "Cline CLI's native program" };
  return program === "cline" && baseName(process.comm) === "cline"
    ? { process, confidence: "medium", sign: 'a program named "cline"' }
    : null;
};

/** The first process, parents before children, that is Cline CLI with a screen; null for everything else. */
const identifyCline = (processes: readonly ProcessInfo[]): IdentifyMatch | null =>
  firstMatch(processes, matchOne);

/** A new adapter. Recorded with 3.0.65 with a provider of its own and without a login. */
export const createClineAdapter = (): AgentAdapter => ({
  ...BUILT_IN,
  agentType: "cline",
  displayName: "Cline CLI",
  recordedVersions: ["3.0.65"],
  programs: ["cline"],
  executable: EXECUTABLE,
  announcesExit: false,
  capabilities: { ...BUILT_IN.capabilities, event_driven: false },
  interruptKeys: [["Escape"]],
  launch: { program: "cline", resume: (id) => ["--id", id] },
  configFolder: { usual: ".cline", variable: "CLINE_DIR" },
  identify: identifyCline,
  normalize: () => ({ signals: [], sessionId: null, eventId: null, isExit: false }),
  readScreen: readClineScreen,
  readDraft,
  readStateFiles: readClineStateFiles,
  readTranscript: readClineTranscript,
});
