// GitHub Copilot CLI with a model of one's own, which needs no login.
import { join } from "node:path";
import { COMMON, COMMON_PROMPTS, type LiveAgent } from "./liveAgent.ts";
import { API_KEY, writeJson } from "./settings.ts";

export const copilot: LiveAgent = {
  ...COMMON,
  id: "copilot",
  main: { name: "@github/copilot", version: "1.0.102" },
  command: "copilot",
  configure: async ({ home, project, isTrusted }) => {
    const folders = isTrusted ? [project] : [];
    const settings = {
      trusted_folders: folders,
      trustedFolders: folders,
      banner: "never",
      autoUpdate: false,
      firstLaunchAt: "2026-01-01T00:00:00.000Z",
    };
    await writeJson(home, ".copilot/settings.json", settings);
    await writeJson(home, ".copilot/config.json", settings);
  },
  environment: ({ modelUrl }) => ({
    COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
    COPILOT_PROVIDER_TYPE: "openai",
    COPILOT_PROVIDER_API_KEY: API_KEY,
    COPILOT_MODEL: "gpt-4.1",
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
  }),
  markers: {
    ready: /\/ for commands|\/ commands|Enter @|\? help/,
    approval: /Do you want to run/,
    edit: /Do you want to create/,
    ask: /enter accept|ctrl\+d decline/,
    error: /✗ 400/,
    trust: /Confirm folder trust/,
    plan: null,
    interrupted: /Operation cancelled by user|cancelled|rejected/i,
  },
  prompts: { ...COMMON_PROMPTS, edit: (file, { project }) => `WRITE ${join(project, file)}` },
  keys: { ...COMMON.keys, interrupt: ["Escape", "Escape"] },
  takesFreeText: true,
  hasSubAgents: true,
  exit: "/exit",
};
