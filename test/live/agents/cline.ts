// Cline CLI with a model of one's own, by OpenAI's protocol. Unless its settings say otherwise it asks for nothing before it acts.
import { COMMON, type LiveAgent } from "./liveAgent.ts";
import { API_KEY, writeJson } from "./settings.ts";

export const cline: LiveAgent = {
  ...COMMON,
  id: "cline",
  main: { name: "cline", version: "3.0.65" },
  command: "cline",
  configure: async ({ home, modelUrl }) => {
    await writeJson(home, ".cline/data/settings/global-settings.json", {
      telemetryOptOut: true,
      autoUpdateEnabled: false,
      toolAutoApprove: false,
    });
    await writeJson(home, ".cline/data/settings/providers.json", {
      version: 1,
      lastUsedProvider: "openai-compatible",
      modes: {},
      providers: {
        "openai-compatible": {
          settings: {
            provider: "openai-compatible",
            apiKey: API_KEY,
            model: "fake-model",
            baseUrl: `${modelUrl}/v1`,
          },
          updatedAt: "2026-01-01T00:00:00.000Z",
          tokenSource: "manual",
        },
      },
    });
  },
  environment: () => ({ CLINE_DISABLE_CLINE_PASS_NOTICE: "1", CLINE_NO_AUTO_UPDATE: "1" }),
  markers: {
    ready: /What can I do for you\?|Ask anything/,
    approval: /Approve tool call\?/,
    edit: /Approve tool call\?/,
    ask: /Cline is asking a question/,
    error: /\* Error: live failure/,
    trust: null,
    plan: null,
    interrupted: /Command was aborted/,
  },
  keys: { ...COMMON.keys, approve: ["y"] },
  takesFreeText: true,
  exit: "/exit",
};
