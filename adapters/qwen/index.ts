// The adapter for Qwen Code: which process it is, its hooks, its sessions, and how its parts are wired to the contract. It is a fork of
// Gemini CLI that took over the hooks of Claude Code: settings are the former's, events the latter's.
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { createClaudeNormalizer } from "../claude/normalize.ts";
import { BUILT_IN } from "../common/builtIn.ts";
import { identifyScript } from "../common/identifyScript.ts";
import { valueOf } from "../common/settingsText.ts";
import { createGeminiIntegration } from "../gemini/integration.ts";
import { qwenHistory, readQwenTranscript } from "./history.ts";
import { readQwenDraft, readQwenScreen } from "./screen.ts";

/** Recorded with 0.24.4: the command starts the package's script, which starts itself once more; the outer one is the agent. */
const SIGNS = {
  displayName: "Qwen Code",
  packagePath: /(^|\/)(\.bin|bin)\/qwen$|(^|\/)@qwen-code\/qwen-code\/(cli-entry|cli)\.js$/,
  command: "qwen",
  helpers: /^(auth|channel|extensions|hooks|mcp|review|serve|sessions|update)$/,
};

/** Recorded: a tool is announced when it begins, behind the person's answer; its dialog is drawn about 300 ms after its event. */
const normalizeQwen = createClaudeNormalizer({
  name: "Qwen Code",
  tools: { shell: "run_shell_command", question: "ask_user_question", exitPlan: "exit_plan_mode" },
  edits: { write_file: "write", edit: "edit", notebook_edit: "notebook" },
  plainFields: new Set(["command", "description", "timeout"]),
  answerKeys: () => null,
  // A prompt is also what hands back a tool's result.
  promptField: "submitted_prompt",
  announcesLate: true,
  startsAtPrompt: false,
  notifiesLate: false,
  dialogGraceMs: 1_000,
});

/** A new adapter; recorded with 0.24.4. */
export const createQwenAdapter = (): AgentAdapter => ({
  ...BUILT_IN,
  agentType: "qwen",
  displayName: "Qwen Code",
  recordedVersions: ["0.24.4"],
  announcesExit: true,
  interruptKeys: [["Escape"]],
  // The command that it prints when it ends (0.24.4); sessions belong to the folder.
  launch: { program: "qwen", resume: (id) => ["--resume", id] },
  identify: (processes) => identifyScript(processes, SIGNS),
  normalize: normalizeQwen,
  readScreen: readQwenScreen,
  readDraft: readQwenDraft,
  readTranscript: readQwenTranscript,
  history: qwenHistory,
  configFolder: { usual: ".qwen", variable: "QWEN_HOME" },
  integration: createGeminiIntegration({
    agentType: "qwen",
    displayName: "Qwen Code",
    events: [
      "SessionStart",
      "SessionEnd",
      "UserPromptSubmit",
      "PreToolUse",
      "PermissionRequest",
      "PostToolUse",
      "PostToolUseFailure",
      "Notification",
      "SubagentStart",
      "SubagentStop",
      "Stop",
      "StopFailure",
    ],
    problems: (root, path) =>
      valueOf(root, "disableAllHooks")?.value === true ? [`${path} switches all hooks off`] : [],
    testNotification: "agtmux_test",
  }),
});
