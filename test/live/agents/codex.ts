// Codex. It asks for what leaves its sandbox, and where hooks are new it asks to trust them. It leaves a server behind per HOME.
import { COMMON, COMMON_PROMPTS, LOG_BY_EVENT_ONLY, type LiveAgent } from "./liveAgent.ts";
import { API_KEY, writeText } from "./settings.ts";

export const codex: LiveAgent = {
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
