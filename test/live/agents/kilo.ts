// Kilo CLI, a fork of opencode with settings, folders and variables of its own.
import { COMMON, type LiveAgent } from "./liveAgent.ts";
import { pluginBody } from "../../../adapters/opencode/integration.ts";
import { API_KEY, writeJson, writeText } from "./settings.ts";

const FOLDER = ".config/kilo";
const PLUGIN = "@kilocode/plugin";

/** What a start with network leaves there: where a folder for plugins is and this is not, it waits for npm. Its text is never loaded. */
const preparePlugins = async (home: string): Promise<void> => {
  const manifest = { dependencies: { [PLUGIN]: "7.7.7" } };
  await writeJson(home, `${FOLDER}/package.json`, manifest);
  await writeJson(home, `${FOLDER}/package-lock.json`, { lockfileVersion: 3, packages: { "": manifest } });
  await writeJson(home, `${FOLDER}/node_modules/${PLUGIN}/package.json`, { name: PLUGIN, version: "7.7.7" });
};

/** What our plugin is built on, but for the place that its events go to. */
const logWriter = (
  log: string,
  tag: string,
): string => `import { appendFileSync, promises as fs } from "node:fs";
let queue = Promise.resolve();
const send = (event, payload) => {
  const told = { t: Date.now(), tag: "${tag}." + event, pane: process.env.TMUX_PANE ?? null, ppid: process.pid };
  appendFileSync(${JSON.stringify(log)}, JSON.stringify({ ...told, payload }) + "\\n");
};
const sendWhole = send;
`;

export const kilo: LiveAgent = {
  ...COMMON,
  id: "kilo",
  main: { name: "@kilocode/cli", version: "7.7.7" },
  command: "kilo",
  configure: async ({ home, modelUrl }) => {
    await preparePlugins(home);
    await writeJson(home, `${FOLDER}/kilo.json`, {
      $schema: "https://app.kilo.ai/config.json",
      autoupdate: false,
      share: "disabled",
      model: "live/fake-model",
      small_model: "live/fake-model",
      disabled_providers: ["kilo"],
      provider: {
        live: {
          npm: "@ai-sdk/openai-compatible",
          name: "Live",
          options: { baseURL: `${modelUrl}/v1`, apiKey: API_KEY },
          models: { "fake-model": { name: "Fake", limit: { context: 200_000, output: 8_000 } } },
        },
      },
      permission: { bash: "ask", edit: "ask" },
      // It takes ten seconds before each first change in a folder, in which the turn goes on.
      snapshot: false,
    });
  },
  environment: () => ({
    KILO_DISABLE_AUTOUPDATE: "1",
    KILO_DISABLE_MODELS_FETCH: "1",
    KILO_DISABLE_LSP_DOWNLOAD: "1",
    KILO_DISABLE_SESSION_INGEST: "1",
    KILO_TELEMETRY_LEVEL: "off",
  }),
  logEvents: ({ home }, { log, tag }) =>
    writeText(home, `${FOLDER}/plugin/log.js`, logWriter(log, tag) + pluginBody({ servers: [] })),
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
  // Escape asks what to do instead first.
  keys: { ...COMMON.keys, deny: ["C-c"], interrupt: ["Escape", "Escape"] },
  takesFreeText: true,
  transcriptIn: [],
  transcriptLack: "refused by rule: it keeps its sessions in a database that only Kilo itself may have open",
  hasSubAgents: true,
  exit: "/exit",
};
