// A daemon and an app with settings, with which the settings and the setup are shown. Nothing is really changed.
import type { DesktopService } from "../../core/api/router.ts";
import type { Hello } from "../../core/api/protocol.ts";
import type {
  AdapterList,
  AdapterView,
  SetupAgent,
  SetupLook,
  IntegrationReport,
  IntegrationSummary,
  IntegrationVerification,
} from "../../core/model/adapterView.ts";
import type { CommandLineState, DesktopState } from "../../core/model/desktop.ts";
import type { Finding } from "../../core/model/doctor.ts";
import type { Settings } from "../../core/model/config.ts";
import type { TargetView } from "../../core/model/view.ts";
import { makeAdapterView, makeTarget } from "../../test/factories/view.ts";
import { FakeDaemon } from "../../test/fakes/fakeDaemon.ts";

const MINUTE = 60_000;

/** The states of targets that a person meets. */
export const settingsTargets = (now: number): TargetView[] => [
  makeTarget({ last_seen_at: new Date(now - 1_000).toISOString() }),
  makeTarget({
    target: "build-box",
    kind: "ssh",
    connection_ref: "build-box",
    transport: "openssh",
    last_seen_at: new Date(now - 2_000).toISOString(),
    rtt_ms: 18,
  }),
  makeTarget({
    target: "lab",
    kind: "ssh",
    health: "down",
    health_reason: "connect to lab: the operation timed out",
    remedy: "Check that 'ssh lab' works in a terminal",
    connection_ref: "dev@lab.example",
    transport: "ssh2",
    last_seen_at: new Date(now - 6 * MINUTE).toISOString(),
    next_attempt_at: new Date(now + 40_000).toISOString(),
    awake: null,
    newer_release: null,
    limits: [],
    servers: [],
  }),
];

const ADAPTERS: readonly AdapterView[] = [
  makeAdapterView("claude", "Claude Code", ["2.1.329"]),
  makeAdapterView("codex", "Codex", ["0.169.0"]),
  makeAdapterView("copilot", "GitHub Copilot CLI", ["1.0.102"]),
  makeAdapterView("cursor", "Cursor CLI", []),
  makeAdapterView("gemini", "Gemini CLI", ["0.61.0"], { enabled: false }),
  makeAdapterView("house", "House agent", [], { source: "file", files: ["~/.agtmux/adapters/house.json"] }),
];

const summary = (
  agent: string,
  name: string,
  state: IntegrationSummary["state"],
  more: Partial<IntegrationSummary> = {},
): IntegrationSummary => ({
  agent,
  name,
  folder: `/home/dev/.${agent}`,
  state,
  missing: [],
  problems: [],
  steps: [],
  lastRealEventAt: null,
  ...more,
});

const INTEGRATIONS: readonly IntegrationSummary[] = [
  summary("claude", "Claude Code", "absent"),
  summary("codex", "Codex", "installed"),
  summary("copilot", "GitHub Copilot CLI", "partial", { missing: ["sessionEnd"] }),
  summary("gemini", "Gemini CLI", "absent"),
  summary("opencode", "OpenCode", "unclear", {
    problems: ["~/.config/opencode/opencode.json is not JSON: line 12"],
  }),
];

const DIFF = `--- a
+++ b
@@ -1,3 +1,14 @@
 {
-  "theme": "dark"
+  "theme": "dark",
+  "hooks": {
+    "Stop": [
+      {
+        "hooks": [
+          {
+            "type": "command",
+            "command": "~/.agtmux/bin/agtmux-event claude",
+            "timeout": 5
+          }
+        ]
+      }
+    ]
+  }
 }
`;

const changesOf = (agent: string): IntegrationReport["changes"] =>
  agent === "pi"
    ? [
        {
          path: "~/.pi/agent/extensions/agtmux.ts",
          diff: "--- a\t(new)\n+++ b\n@@ -0,0 +1 @@\n+export default 1;\n",
        },
      ]
    : [{ path: `~/.${agent}/settings.json`, diff: DIFF }];

const TRUST = {
  what: "trust the hooks in Codex",
  how: 'Start codex and choose "Trust all and continue", or review them, when it says "Hooks need review".',
};

/** Three agents without hooks, and Codex, which waits to be trusted. */
const setupOf = (isInstalled: boolean): SetupLook => {
  const one = (agent: string, name: string, version: string, running: number): SetupAgent => ({
    ...summary(agent, name, isInstalled ? "installed" : "absent"),
    version,
    running,
    silent: running,
    changes: isInstalled ? [] : changesOf(agent),
    notifications:
      agent === "claude"
        ? {
            what: "shows a notification where its terminal can",
            told_by: "both",
            path: "~/.claude/settings.json",
            how: null,
          }
        : null,
  });
  return {
    target: "host",
    tmux: { path: "/opt/homebrew/bin/tmux", version: "3.5a", problem: null },
    keep_awake: "never",
    agents: [
      one("claude", "Claude Code", "2.1.329", 3),
      {
        ...one("codex", "Codex", "0.169.0", 1),
        ...summary("codex", "Codex", "installed", { steps: [TRUST] }),
        silent: 0,
        changes: [],
      },
      one("gemini", "Gemini CLI", "0.61.0", 0),
      one("pi", "pi", "0.9.1", 1),
    ],
  };
};

const finding = (
  group: Finding["group"],
  check: string,
  status: Finding["status"],
  text: string,
  more: Partial<Finding> = {},
): Finding => ({
  check,
  group,
  target: group === "target" || group === "agent" ? "host" : null,
  tmux_server: null,
  agent: null,
  status,
  summary: text,
  evidence: null,
  remedy: null,
  ...more,
});

const FINDINGS: readonly Finding[] = [
  finding("daemon", "daemon.store", "ok", "The store is readable and writable.", { evidence: "4.1 MB" }),
  finding("daemon", "daemon.notifications", "ok", "Notifications are shown by the app."),
  finding("target", "target.tmux", "ok", "tmux 3.5a is one that agtmux is tested with."),
  finding("target", "server.watch", "ok", "The tmux server is watched as it changes.", {
    tmux_server: "default",
  }),
  finding("target", "target.delivery", "ok", "Events travel from the hook to the daemon.", {
    evidence: "a test event arrived after 24 ms",
  }),
  finding("target", "target.connection", "problem", "Target lab is not watched.", {
    target: "lab",
    evidence: "connect to lab: the operation timed out",
    remedy: "Check that 'ssh lab' works in a terminal",
  }),
  finding("agent", "agent.hooks", "warning", "GitHub Copilot CLI lacks entries: sessionEnd.", {
    agent: "copilot",
    remedy: "Run 'agtmux integrate copilot'",
  }),
  finding("agent", "agent.hooks", "ok", "Codex is integrated and its hooks were heard.", { agent: "codex" }),
];

/** The daemon of a person who has three machines and some agents. */
export class SettingsDaemon extends FakeDaemon {
  override hello(): Hello {
    return { ...super.hello(), host: "app" };
  }
  override async configGet(): Promise<Settings> {
    return { ...(await super.configGet()), path: "~/.agtmux/config.json" };
  }
  override async sshAliases(): Promise<{ aliases: string[]; problems: string[] }> {
    return Promise.resolve({ aliases: ["build-box", "gpu", "staging"], problems: [] });
  }
  override adapters(): AdapterList {
    return { ...super.adapters(), items: [...ADAPTERS] };
  }
  override async integrationList(): Promise<IntegrationSummary[]> {
    return Promise.resolve([...INTEGRATIONS]);
  }
  private isInstalled = false;
  override integrationChange({
    agent,
    dryRun,
  }: {
    agent: string;
    dryRun: boolean;
  }): Promise<IntegrationReport> {
    if (!dryRun) this.isInstalled = true;
    return Promise.resolve({ agent, changes: changesOf(agent), applied: !dryRun, backups: [] });
  }
  /** Everything is there once something was installed, until the next look after that one. */
  override setupLook(): Promise<SetupLook> {
    const { isInstalled } = this;
    this.isInstalled = false;
    return Promise.resolve(setupOf(isInstalled));
  }
  override integrationVerify(): Promise<IntegrationVerification> {
    return Promise.resolve({
      agent: "codex",
      entriesPresent: true,
      missing: [],
      problems: [],
      steps: [],
      deliveryWorks: true,
      deliveryDetail: "a test event arrived after 24 ms",
      lastRealEventAt: new Date(Date.now() - 3 * MINUTE).toISOString(),
    });
  }
  override doctor(): Promise<{ findings: Finding[] }> {
    return Promise.resolve({ findings: [...FINDINGS] });
  }
}

const DESKTOP: DesktopState = {
  platform: "darwin",
  terminal: {
    choice: { kind: "command", argv: ["/opt/homebrew/bin/ghostty", "-e", "{}"] },
    found: [
      { id: "iterm2", name: "iTerm2" },
      { id: "apple-terminal", name: "Terminal" },
    ],
    inUse: "/opt/homebrew/bin/ghostty",
    problem: null,
  },
  shortcut: { accelerator: "Control+Alt+A", problem: null },
  launchAtLogin: { isSupported: true, isOn: true, problem: null },
  notifications: { problem: null },
};

const COMMAND: CommandLineState = {
  kind: "installed",
  path: "/Users/dev/.local/bin/agtmux",
  pathLine: 'export PATH="$HOME/.local/bin:$PATH"',
  hiddenBy: null,
};

/** The app around the page, on a Mac. It is always visible, and choices in it change nothing. */
export const settingsDesktop = (commandLine: CommandLineState = COMMAND): DesktopService => ({
  state: () => DESKTOP,
  setTerminal: () => DESKTOP,
  setShortcut: () => DESKTOP,
  setLaunchAtLogin: () => DESKTOP,
  testNotification: () => Promise.resolve({ problem: null }),
  commandLine: () => Promise.resolve(commandLine),
  installCommandLine: () => Promise.resolve(COMMAND),
  openLogs: () => Promise.resolve(),
  openPage: () => Promise.resolve(),
  hide: () => {},
  events: async function* (signal) {
    yield { kind: "visibility", isVisible: true };
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  },
});
