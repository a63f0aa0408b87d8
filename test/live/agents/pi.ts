// pi. It has no questions before tools of its own: an extension of the kind that people write asks for commands.
import { COMMON, LOG_BY_EVENT_ONLY, type LiveAgent } from "./liveAgent.ts";
import { API_KEY, writeJson, writeText } from "./settings.ts";

const GATE = `export default function (pi) {
  pi.on("tool_call", async (event, context) => {
    if (event.toolName !== "bash" || !context.hasUI) return;
    const choice = await context.ui.select(\`Allow command: \${event.input.command}?\`, ["Yes", "No"]);
    if (choice !== "Yes") return { block: true, reason: "Blocked by user" };
  });
}
`;

export const pi: LiveAgent = {
  ...COMMON,
  ...LOG_BY_EVENT_ONLY,
  id: "pi",
  main: { name: "@earendil-works/pi-coding-agent", version: "0.87.1" },
  command: "pi",
  configure: async ({ home, modelUrl }) => {
    await writeText(home, ".pi/agent/extensions/gate.ts", GATE);
    await writeJson(home, ".pi/agent/models.json", {
      providers: {
        live: {
          baseUrl: `${modelUrl}/v1`,
          api: "openai-completions",
          apiKey: API_KEY,
          models: [{ id: "fake-model", name: "Fake", contextWindow: 200_000, maxTokens: 8_000 }],
        },
      },
    });
    await writeJson(home, ".pi/agent/settings.json", {
      defaultProvider: "live",
      defaultModel: "fake-model",
      quietStartup: false,
      enableInstallTelemetry: false,
    });
  },
  environment: () => ({ PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" }),
  markers: {
    ready: /escape interrupt|\/ commands|fake-model|\(live\)/,
    approval: /Allow command/,
    edit: null,
    ask: null,
    error: /live failure/,
    trust: null,
    plan: null,
    interrupted: /aborted|Blocked by user/,
  },
  showsWhole: false,
  exit: "/quit",
};
