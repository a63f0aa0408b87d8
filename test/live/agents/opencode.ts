// opencode. Where it finds a folder for plugins it fetches its plugin package at start and waits for the network: so it lies there.
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { COMMON, type LiveAgent } from "./liveAgent.ts";
import { API_KEY, writeJson } from "./settings.ts";

const FOLDER = ".config/opencode";
const PLUGIN = "opencode-plugin";

export const opencode: LiveAgent = {
  ...COMMON,
  id: "opencode",
  main: { name: "opencode-ai", version: "1.18.33" },
  companions: [{ name: "@opencode-ai/plugin", version: "=", folder: PLUGIN }],
  command: "opencode",
  configure: async ({ home, modelUrl, folder }) => {
    await writeJson(home, join(FOLDER, "opencode.json"), {
      $schema: "https://opencode.ai/config.json",
      autoupdate: false,
      share: "disabled",
      model: "live/fake-model",
      small_model: "live/fake-model",
      provider: {
        live: {
          npm: "@ai-sdk/openai-compatible",
          name: "Live",
          options: { baseURL: `${modelUrl}/v1`, apiKey: API_KEY },
          models: { "fake-model": { name: "Fake", limit: { context: 200_000, output: 8_000 } } },
        },
      },
      permission: { bash: "ask", edit: "ask" },
    });
    for (const file of ["package.json", "package-lock.json", "node_modules"])
      await cp(join(folder(PLUGIN), file), join(home, FOLDER, file), { recursive: true });
  },
  environment: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  }),
  markers: {
    ready: /Ask anything|tab agents|ctrl\+p commands/,
    approval: /Permission required/,
    edit: /Permission required/,
    ask: /enter submit|esc dismiss/,
    error: /live failure/,
    trust: null,
    plan: null,
    interrupted: /interrupted|rejected/,
  },
  keys: { ...COMMON.keys, interrupt: ["Escape", "Escape"] },
  takesFreeText: true,
  transcriptIn: [],
  transcriptLack:
    "refused by rule: it keeps its sessions in a database that only opencode itself may have open",
  hasSubAgents: true,
  exit: "/exit",
};
