// The adapter for pi: which process it is, what it loads, how it answers without a pane, and how its parts are wired to the
// contract. It reads no state from session files: nothing maps a terminal to one without events, and beside events the file would
// speak against dialogs of extensions, of which it does not know. For a person it is read as a transcript.
import type { ProcessInfo } from "../../core/model/runtime.ts";
import {
  type AgentAdapter,
  type PrintAnswer,
  type PrintMode,
  type IdentifyMatch,
} from "../../core/ports/agentAdapter.ts";
import { BUILT_IN } from "../common/builtIn.ts";
import { identifyScript } from "../common/identifyScript.ts";
import { piHistory, readPiTranscript } from "../piFamily/history.ts";
import { createExtensionIntegration } from "../piFamily/integration.ts";
import { createPiNormalizer } from "../piFamily/normalize.ts";
import { readPiSessionTitle, titleOfPiSession } from "../piFamily/sessionFile.ts";
import { readPiDraft, readPiScreen } from "./screen.ts";
import { place, type AgentLoads, type LoadLevel, type LoadPlace } from "../../core/ports/agentFiles.ts";
import { lastOf, option, readRecords, textSchema } from "../common/printMode.ts";
import * as z from "zod";

// Which process: pi, and no other program called `pi`. Source: recorded process tree (0.87.1): pi overwrites its whole argument
// vector with the two letters, so a path with its package only shows before that.

const SIGNS = {
  displayName: "pi",
  packagePath: /(^|\/)@(earendil-works|mariozechner)\/pi-coding-agent\/(dist|src)\/cli\.[jt]s$/,
  command: "pi",
  helpers: /^(config|install|list|remove|uninstall|update)$/,
};

/** Nobody else's `pi` is known to name its main thread and its whole command line alike; still only medium confidence. */
const isRenamed = ({ comm, args }: ProcessInfo): boolean => comm === "pi" && args.trim() === "pi";

const identifyPi = (processes: readonly ProcessInfo[]): IdentifyMatch | null => {
  const script = identifyScript(processes, SIGNS);
  if (script !== null) return script;
  const process = processes.find(isRenamed);
  return process === undefined
    ? null
    : { process, confidence: "medium", sign: `process that named itself and its command line "pi"` };
};

// Loads: what it reads when it starts in a folder.

const piFolders = (level: LoadLevel, folder: string): LoadPlace[] => [
  place("settings", level, `${folder}/settings.json`),
  place("extensions", level, `${folder}/extensions/*.ts`),
  place("extensions", level, `${folder}/extensions/*.js`),
  place("skills", level, `${folder}/skills/*/SKILL.md`),
  place("commands", level, `${folder}/prompts/*.md`),
];

const piLoads: AgentLoads = {
  basis: "its documents; settings and extensions seen with 0.87.1",
  wins: {},
  unknown: ["packages that its settings name", "extensions that are folders"],
  places: [
    place("instructions", "person", ["~/.pi/agent/AGENTS.md", "~/.pi/agent/CLAUDE.md"]),
    ...piFolders("person", "~/.pi/agent"),
    place("instructions", "project", ["AGENTS.md", "CLAUDE.md"], { reach: "root" }),
    ...piFolders("project", ".pi"),
  ],
};

// Print mode: how it answers without a pane. Recorded against a scripted model (`npm run live:print`; test/fixtures/print).

const piSchema = z.union([
  z.object({ type: z.literal("session"), id: z.string() }),
  z.object({
    type: z.literal("message_end"),
    message: z.object({
      role: z.literal("assistant"),
      content: z.array(
        z.union([textSchema.extend({ type: z.literal("text") }), z.object({ type: z.string() })]),
      ),
    }),
  }),
]);

const readPi = (stdout: string): PrintAnswer => {
  const records = readRecords(stdout, piSchema);
  const texts = records.flatMap((one) =>
    one.type === "message_end"
      ? [one.message.content.flatMap((part) => ("text" in part ? [part.text] : [])).join("")]
      : [],
  );
  return {
    text: lastOf(texts),
    session: records.flatMap((one) => (one.type === "session" ? [one.id] : [])).at(-1) ?? null,
  };
};

const PRINT_MODE: PrintMode = {
  command: "pi",
  forks: "named",
  argv: ({ session, isFork, model }) => [
    "--mode",
    "json",
    // It asks for nothing, so it gets no tool that changes something.
    "--tools",
    "read,grep,find,ls",
    ...option(isFork ? "--fork" : "--session", session),
    ...option("--model", model),
  ],
  withoutEnv: [],
  parse: readPi,
};

/** A new adapter; recorded with 0.87.1. Approvals and questions exist only where extensions ask. */
export const createPiAdapter = (): AgentAdapter => ({
  ...BUILT_IN,
  agentType: "pi",
  displayName: "pi",
  recordedVersions: ["0.87.1"],
  announcesExit: true,
  interruptKeys: [["Escape"]],
  // Its help (0.87.1); sessions belong to the folder.
  launch: { program: "pi", resume: (id) => ["--session", id] },
  // Tried live with 0.87.1: it does so at once, and needs no model.
  sessionNameCommand: "/name",
  identify: identifyPi,
  normalize: createPiNormalizer({ retriesAfterEnd: false, settles: true, hasAskTool: false }),
  readScreen: readPiScreen,
  readDraft: readPiDraft,
  readTranscript: readPiTranscript,
  titleOfSession: titleOfPiSession,
  readSessionTitle: readPiSessionTitle,
  configFolder: { usual: ".pi/agent", variable: "PI_CODING_AGENT_DIR" },
  history: piHistory,
  loads: piLoads,
  printMode: PRINT_MODE,
  integration: createExtensionIntegration({
    agentType: "pi",
    folder: ".pi",
    hasAskTimeout: false,
    events: [
      "session_start",
      "session_shutdown",
      "before_agent_start",
      "agent_start",
      "turn_start",
      "turn_end",
      "tool_execution_start",
      "tool_execution_end",
      "ui_prompt_start",
      "ui_prompt_end",
      "agent_end",
      "agent_before_settle",
      "agent_settled",
    ],
  }),
});
