// oh-my-pi, which runs in bun.
import { COMMON, type LiveAgent } from "./liveAgent.ts";
import { API_KEY, writeText } from "./settings.ts";

const models = (modelUrl: string): string => `providers:
  live:
    baseUrl: ${modelUrl}/v1
    api: openai-completions
    apiKey: ${API_KEY}
    models:
      - id: fake-model
        name: Fake
        contextWindow: 200000
        maxTokens: 8000
        reasoning: false
        input: [text]
        cost: {input: 0, output: 0, cacheRead: 0, cacheWrite: 0}
`;

const CONFIG = `modelRoles:
  default: live/fake-model
tools:
  approvalMode: always-ask
startup:
  checkUpdate: false
  quiet: true
  setupWizard: false
`;

export const omp: LiveAgent = {
  ...COMMON,
  id: "omp",
  main: { name: "@oh-my-pi/pi-coding-agent", version: "18.2.3" },
  companions: [
    { name: `@oh-my-pi/pi-natives-${process.platform}-${process.arch}`, version: "=", folder: null },
    { name: "bun", version: "1.4.5", folder: "bun" },
  ],
  npmFlags: ["--omit=optional"],
  command: "omp",
  configure: async ({ home, modelUrl }) => {
    await writeText(home, ".omp/agent/models.yml", models(modelUrl));
    await writeText(home, ".omp/agent/config.yml", CONFIG);
  },
  environment: () => ({ PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" }),
  markers: {
    ready: /fake-model|Fake|\? for/,
    approval: /Allow tool: bash/,
    edit: /Allow tool: write/,
    ask: /Esc cancel/,
    error: /live failure/,
    trust: null,
    plan: null,
    interrupted: /aborted|cancelled|denied|interrupted/i,
  },
  // A key one second after the dialog appeared was not taken.
  deafMs: 3_000,
  showsWhole: false,
  exit: "/quit",
};
