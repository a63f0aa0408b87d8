// Claude Code. Its manual mode asks before tools; since 2.1 the default is a mode that does not.
import { MODES } from "../results/result.ts";
import { COMMON, type LiveAgent } from "./liveAgent.ts";
import { writeJson } from "./settings.ts";

const KEY = "sk-ant-live-fake-key-0000000000000000000000000";

export const claude: LiveAgent = {
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
