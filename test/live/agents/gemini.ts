// Gemini CLI, with an API key and without its second process.
import { COMMON, LOG_BY_EVENT_ONLY, type LiveAgent } from "./liveAgent.ts";
import { API_KEY, writeJson } from "./settings.ts";

export const gemini: LiveAgent = {
  ...COMMON,
  ...LOG_BY_EVENT_ONLY,
  id: "gemini",
  main: { name: "@google/gemini-cli", version: "0.61.0" },
  command: "gemini",
  configure: async ({ home, project, isTrusted }) => {
    if (isTrusted) await writeJson(home, ".gemini/trustedFolders.json", { [project]: "TRUST_FOLDER" });
    await writeJson(home, ".gemini/settings.json", {
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      ui: { hideTips: true },
      model: { name: "gemini-2.5-pro" },
    });
  },
  environment: ({ modelUrl }) => ({
    GEMINI_API_KEY: API_KEY,
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_CLI_NO_RELAUNCH: "true",
    NO_BROWSER: "1",
  }),
  markers: {
    ready: /Type your message/,
    approval: /Allow execution/,
    edit: /Apply this change/,
    ask: /Enter to select/,
    error: /API Error/,
    trust: /Do you trust the files/,
    plan: null,
    interrupted: /Request cancelled/,
  },
  takesFreeText: true,
  exit: "/quit",
};
