// Every agent that can be driven.
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { MODES } from "../results/result.ts";
import type { AgentId } from "./agentIds.ts";
import { COMMON, COMMON_PROMPTS, type LiveAgent, LOG_BY_EVENT_ONLY } from "./liveAgent.ts";
import { kilo } from "./kilo.ts";
import { cline } from "./cline.ts";
import { qwen } from "./qwen.ts";
import { API_KEY, writeJson, writeText } from "./settings.ts";

// pi. It has no questions before tools of its own: an extension of the kind that people write asks for commands.

const GATE = `export default function (pi) {
  pi.on("tool_call", async (event, context) => {
    if (event.toolName !== "bash" || !context.hasUI) return;
    const choice = await context.ui.select(\`Allow command: \${event.input.command}?\`, ["Yes", "No"]);
    if (choice !== "Yes") return { block: true, reason: "Blocked by user" };
  });
}
`;

const pi: LiveAgent = {
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

// opencode. Where it finds a folder for plugins it fetches its plugin package at start and waits for the network: so it lies there.

const FOLDER = ".config/opencode";
const PLUGIN = "opencode-plugin";

const opencode: LiveAgent = {
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

// oh-my-pi, which runs in bun.

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

const omp: LiveAgent = {
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

// Gemini CLI, with an API key and without its second process.

const gemini: LiveAgent = {
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

// GitHub Copilot CLI with a model of one's own, which needs no login.

const copilot: LiveAgent = {
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

// Codex. It asks for what leaves its sandbox, and where hooks are new it asks to trust them. It leaves a server behind per HOME.

const codex: LiveAgent = {
  ...COMMON,
  ...LOG_BY_EVENT_ONLY,
  id: "codex",
  main: { name: "@openai/codex", version: "0.169.0" },
  command: "codex",
  configure: ({ home, project, modelUrl, isTrusted }) =>
    writeText(
      home,
      ".codex/config.toml",
      `model = "gpt-5"
model_provider = "live"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false
[model_providers.live]
name = "live"
base_url = "${modelUrl}/v1"
env_key = "LIVE_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
[analytics]
enabled = false
[feedback]
enabled = false
${isTrusted ? `[projects."${project}"]\ntrust_level = "trusted"\n` : ""}`,
    ),
  environment: () => ({ LIVE_KEY: API_KEY }),
  markers: {
    // Its prompt is drawn before it takes keys; the line below it comes when it does.
    ready: /gpt-5 .*~|context left|\? for shortcuts/,
    approval: /Would you like to run/,
    edit: /Would you like to make/,
    ask: /Red.*Blue/,
    error: /■ .*live failure/,
    trust: /Folder access|Do you trust/,
    plan: null,
    interrupted: /Conversation interrupted|You canceled the request|interrupted/,
  },
  prompts: {
    ...COMMON_PROMPTS,
    approval: (file) => `RUN touch ${file} !!`,
    // Its sandbox may write below the folder for temporary files and the project.
    edit: (file) => `WRITE /var/agtmux-${file}`,
  },
  // New hooks: "2. Trust all and continue", confirmed once it is the chosen one.
  startDialogs: [
    { shown: /› 1\. Review hooks/, keys: ["2"], expectedIn: ["integrated"] },
    { shown: /› 2\. Trust all and continue/, keys: ["Enter"], expectedIn: ["integrated"] },
  ],
  // It may ask in its plan mode only.
  keys: { ...COMMON.keys, askMode: ["BTab"] },
  // What is typed while it works goes into the same turn.
  queues: false,
  asksForTools: false,
  editsOutside: true,
  exit: "/quit",
};

// Claude Code. Its manual mode asks before tools; since 2.1 the default is a mode that does not.

const KEY = "sk-ant-live-fake-key-0000000000000000000000000";

const claude: LiveAgent = {
  ...COMMON,
  id: "claude",
  main: { name: "@anthropic-ai/claude-code", version: "2.1.329" },
  command: "claude",
  configure: async ({ home, project, isTrusted }) => {
    await writeJson(home, ".claude.json", {
      hasCompletedOnboarding: true,
      theme: "dark",
      numStartups: 5,
      autoUpdates: false,
      customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
      projects: {
        [project]: {
          hasTrustDialogAccepted: isTrusted,
          hasCompletedProjectOnboarding: true,
          allowedTools: [],
        },
      },
    });
    await writeJson(home, ".claude/settings.json", { permissions: { defaultMode: "default" } });
  },
  environment: ({ modelUrl }) => ({
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: KEY,
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "1",
  }),
  markers: {
    ready: /❯|for shortcuts/,
    approval: /Do you want to proceed/,
    edit: /Do you want to (create|make)/,
    ask: /Enter to select/,
    error: /API Error/,
    trust: /Quick safety check/,
    plan: /Exit plan mode|Ready to code|Would you like to proceed/,
    interrupted: /Interrupted · What should|Did not run|Rejected write|User declined/,
  },
  // A fresh HOME is offered the mode without questions once; Yes stands first.
  startDialogs: [{ shown: /Make auto mode your default/, keys: ["Down", "Enter"], expectedIn: MODES }],
  takesFreeText: true,
  planArgs: "--permission-mode plan",
  hasSubAgents: true,
  exit: "/exit",
};

export const LIVE_AGENTS: Readonly<Record<AgentId, LiveAgent>> = {
  claude,
  codex,
  gemini,
  copilot,
  opencode,
  omp,
  pi,
  qwen,
  kilo,
  cline,
};
