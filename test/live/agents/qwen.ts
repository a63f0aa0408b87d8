// Qwen Code with a model of one's own, by OpenAI's protocol.
import type { LiveAgent } from "./liveAgent.ts";
import { COMMON } from "./liveAgent.ts";
import { API_KEY, mergeJson, writeJson } from "./settings.ts";

/** All that its documents name. */
const EVENTS = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
  "Notification",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "Stop",
  "StopFailure",
] as const;

export const qwen: LiveAgent = {
  ...COMMON,
  id: "qwen",
  main: { name: "@qwen-code/qwen-code", version: "0.24.4" },
  command: "qwen",
  configure: async ({ home, project, isTrusted }) => {
    if (isTrusted) await writeJson(home, ".qwen/trustedFolders.json", { [project]: "TRUST_FOLDER" });
    await writeJson(home, ".qwen/settings.json", {
      security: { auth: { selectedType: "openai" }, folderTrust: { enabled: true } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      ui: { hideTips: true, enableFollowupSuggestions: false },
      tools: { approvalMode: "default" },
      // Requests of its own after a turn, by which the driver could not tell when one is over.
      memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
      model: { name: "fake-model" },
    });
  },
  environment: ({ modelUrl }) => ({
    OPENAI_API_KEY: API_KEY,
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    OPENAI_MODEL: "fake-model",
    NO_BROWSER: "1",
  }),
  logEvents: ({ home }, { command }) =>
    mergeJson(home, ".qwen/settings.json", {
      hooks: Object.fromEntries(
        EVENTS.map((event) => [event, [{ hooks: [{ type: "command", command: command(event) }] }]]),
      ),
    }),
  markers: {
    ready: /Type your message/,
    approval: /Allow execution/,
    edit: /Apply this change/,
    ask: /Enter: Select/,
    error: /API Error/,
    trust: /Do you trust/,
    plan: null,
    interrupted: /Request cancelled/,
  },
  // Its commands are drawn without a mark where a row is too long.
  showsWhole: false,
  takesFreeText: true,
  exit: "/quit",
};
