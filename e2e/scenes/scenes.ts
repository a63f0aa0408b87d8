// The data that the popover is shown with: scripted panes as in real work, and hostile ones.
import type { Explanation, PaneView, TargetView } from "../../core/model/view.ts";
import { SCHEMA_VERSION } from "../../core/model/view.ts";
import { makePane, makeTarget, usedTo } from "../../test/factories/view.ts";

const MINUTE = 60_000;

type Request = NonNullable<PaneView["request"]>;
type Role = "approve" | "approve_always" | "deny" | null;

/** Options are chosen by their digit; an option given as a text alone has no known keys. */
const request = (
  kind: Request["kind"],
  title: string,
  body: string | null,
  options: readonly (string | readonly [string, Role])[] = [],
  more: Partial<Request> = {},
): Request => ({
  kind,
  title,
  body,
  is_whole: true,
  tool_name: null,
  options: options.map((option, index) =>
    typeof option === "string"
      ? { label: option, keys: null }
      : { label: option[0], keys: [String(index + 1)], role: option[1] },
  ),
  expires_at: null,
  ...more,
});

/** `now` is epoch ms. */
export const mixedScene = (now: number): PaneView[] => [
  makePane({
    pane: 11,
    session: "payments",
    window: 2,
    windowName: "refunds",
    state: "waiting_approval",
    since: now - 14 * MINUTE,
    fingerprint: "fp-refunds",
    request: request("command", "Bash", "npm run migrate -- --env staging", [
      ["Yes", "approve"],
      ["Yes, and don't ask again for npm run migrate", "approve_always"],
      ["No, and tell Claude what to do differently", "deny"],
    ]),
  }),
  makePane({
    pane: 31,
    target: "build-box",
    session: "infra",
    window: 1,
    windowName: "terraform",
    agent: "codex",
    agentName: "Codex",
    state: "waiting_approval",
    reason: "permission_edit",
    since: now - 3 * MINUTE,
    fingerprint: "fp-terraform",
    request: request("edit", "Edit file", "modules/network/main.tf"),
  }),
  makePane({
    pane: 12,
    session: "payments",
    window: 3,
    windowName: "ledger",
    agent: "gemini",
    agentName: "Gemini CLI",
    state: "waiting_input",
    since: now - 40_000,
    fingerprint: "fp-ledger",
    request: request(
      "question",
      "Which rounding?",
      "Which rounding should the ledger use for half cents?",
      [
        ["Half to even", null],
        ["Half up", null],
      ],
      { text_entry: ["3"] },
    ),
  }),
  makePane({
    pane: 32,
    target: "build-box",
    session: "infra",
    window: 4,
    windowName: "alerts",
    agent: "opencode",
    agentName: "OpenCode",
    state: "error",
    reason: "usage_limit",
    since: now - 55 * MINUTE,
  }),
  makePane({
    pane: 13,
    session: "payments",
    window: 1,
    windowName: "api",
    title: "Split the refund service",
    state: "running",
    reason: "tool",
    since: now - 2 * MINUTE,
  }),
  makePane({
    pane: 14,
    session: "payments",
    window: 5,
    windowName: "docs",
    state: "completed",
    since: now - 70_000,
  }),
  makePane({
    pane: 21,
    session: "web",
    window: 1,
    windowName: "storefront",
    agent: "codex",
    agentName: "Codex",
    state: "running",
    reason: "subagent",
    since: now - 11 * MINUTE,
  }),
  makePane({
    pane: 22,
    session: "web",
    window: 2,
    windowName: "e2e",
    state: "idle",
    since: now - 3 * 60 * MINUTE,
  }),
  makePane({
    pane: 23,
    session: "web",
    window: 3,
    windowName: "design",
    agent: "pi",
    agentName: "pi",
    state: "unknown",
    reason: "stale_signal",
    since: now - 26 * 60 * MINUTE,
  }),
  makePane({
    pane: 33,
    target: "build-box",
    session: "infra",
    window: 2,
    windowName: "ansible",
    agent: "copilot",
    agentName: "Copilot CLI",
    state: "running",
    since: now - 8_000,
  }),
];

const DIFF = [
  "   const base = account.limit;",
  "-  if (account.isTrusted) return base;",
  "+  if (account.isTrusted && !account.isFrozen) return base;",
  "+  if (account.isFrozen) return 0;",
  "   return Math.min(base, DAILY_LIMIT);",
].join("\n");

const LONG = [
  "cat > notes/release.md <<'EOF'",
  ...Array.from({ length: 40 }, (_, at) => `- change ${at + 1}: what it does and for whom`),
  "EOF",
  "git commit -am 'Release notes' && git push",
].join("\n");

const YES_OR_NO: readonly (readonly [string, Role])[] = [
  ["Yes", "approve"],
  ["No", "deny"],
];

const PLAN = [
  "1. Read the ledger's entries of the last quarter.",
  "2. Move rounding into one function, half to even.",
  "3. Add a property test: the sum of parts is the whole.",
  "4. Ask before the migration runs.",
].join("\n");

/** One pane per kind of prompt. */
export const askingScene = (now: number): PaneView[] => [
  makePane({
    pane: 1,
    session: "asks",
    windowName: "diff",
    state: "waiting_approval",
    reason: "permission_edit",
    since: now - 4 * MINUTE,
    fingerprint: "fp-diff",
    request: request(
      "edit",
      "Do you want to make this edit to limits.ts?",
      "src/refunds/limits.ts",
      [
        ["Yes", "approve"],
        ["Yes, allow all edits this session", "approve_always"],
        ["No", "deny"],
      ],
      { content: DIFF },
    ),
  }),
  makePane({
    pane: 2,
    session: "asks",
    window: 2,
    windowName: "plan",
    state: "waiting_approval",
    reason: "plan",
    since: now - 3 * MINUTE,
    fingerprint: "fp-plan",
    request: request("plan", "Move rounding into one place", PLAN, [
      ["Yes, and ask before each edit", "approve"],
      ["No, keep planning", "deny"],
    ]),
  }),
  makePane({
    pane: 3,
    session: "asks",
    window: 3,
    windowName: "question",
    agent: "codex",
    agentName: "Codex",
    state: "waiting_input",
    since: now - 2 * MINUTE,
    fingerprint: "fp-question",
    request: request(
      "question",
      "Which environment?",
      "Which environment should the dry run use?",
      [
        ["Staging", null],
        ["A copy of production", null],
        ["None, only print the plan", null],
      ],
      { expires_at: new Date(now + 5 * MINUTE).toISOString(), text_entry: [] },
    ),
  }),
  makePane({
    pane: 4,
    session: "asks",
    window: 4,
    windowName: "unread",
    agent: "gjc",
    agentName: "Gajae Code",
    state: "waiting_approval",
    since: now - MINUTE,
    fingerprint: "fp-unread",
    request: request("tool", "fetch", "https://example.org/", ["Allow", "Reject"], { tool_name: "fetch" }),
  }),
  makePane({
    pane: 5,
    session: "asks",
    window: 5,
    windowName: "long",
    state: "waiting_approval",
    since: now - MINUTE,
    fingerprint: "fp-long",
    request: request("command", "Bash command", LONG, YES_OR_NO),
  }),
  makePane({
    pane: 6,
    session: "asks",
    window: 6,
    windowName: "glimpse",
    state: "waiting_approval",
    since: now - MINUTE,
    fingerprint: "fp-glimpse",
    request: request("command", "Bash command", "touch part-58.txt\ntouch part-59.txt", YES_OR_NO, {
      is_whole: false,
    }),
  }),
];

/** The same sessions on two machines, one of which cannot be reached. */
export const spreadScene = (now: number): PaneView[] => [
  ...mixedScene(now),
  makePane({
    pane: 41,
    target: "build-box",
    session: "web",
    window: 1,
    windowName: "bundle",
    state: "running",
    since: now - MINUTE,
  }),
  makePane({
    pane: 42,
    target: "lab",
    session: "web",
    window: 7,
    windowName: "a-window-with-quite-a-long-name-for-a-session",
    state: "unknown",
    reason: "target_unreachable",
    since: now - 6 * MINUTE,
  }),
];

/** Well, slow and unreachable. */
export const spreadTargets = (now: number): TargetView[] => [
  makeTarget({
    awake: { is_on: true, working: 3, text_due_at: null, problem: null },
    newer_release: null,
    limits: [
      usedTo(86, null, new Date(now + 2 * 60 * MINUTE).toISOString()),
      {
        ...usedTo(31, "work", new Date(now + 4 * 60 * MINUTE).toISOString()),
        agent: "claude",
        agent_name: "Claude Code",
      },
    ],
  }),
  ...mixedTargets().slice(1),
  makeTarget({
    target: "lab",
    kind: "ssh",
    health: "down",
    health_reason: "ssh: connect to host lab port 22: Operation timed out",
    remedy: "Check that the machine is up: 'ssh lab' in a terminal",
    connection_ref: "lab",
    transport: "openssh",
    last_seen_at: new Date(now - 6 * MINUTE).toISOString(),
    next_attempt_at: new Date(now + 40_000).toISOString(),
    awake: null,
    newer_release: null,
    limits: [],
    servers: [],
  }),
];

/** What a pane shows. */
export const SCREEN = [
  "● Update(src/ledger/rounding.ts)",
  "  ⎿  Updated with 12 additions and 3 removals",
  ...Array.from({ length: 30 }, (_, index) => `  ✓ rounding of ${index * 7} cents (${index} ms)`),
  "✳ Moulding… (1m 12s · ↑ 3.1k tokens)",
  "",
  "",
];

export const mixedTargets = (): TargetView[] => [
  makeTarget(),
  makeTarget({
    target: "build-box",
    kind: "ssh",
    health: "degraded",
    health_reason: "answers take 3.1 s",
    connection_ref: "build-box",
    transport: "ssh2",
    last_seen_at: new Date().toISOString(),
    rtt_ms: 3_100,
  }),
];

const HOSTILE = [
  "<img src=x onerror=document.title='owned'>",
  "\u202egnp.exe\u202c and \u0007 bell \u001b[31mred",
  "a".repeat(400),
  "العربية שלום mixed",
  "👩‍💻🏳️‍🌈 漢字かな交じり文",
  "  \n\tspaces   and\nnewlines  ",
];

export const hostileScene = (now: number): PaneView[] => [
  ...HOSTILE.map((text, index) =>
    makePane({
      pane: index + 1,
      session: text,
      windowName: text,
      window: index,
      title: text,
      agentName: index === 2 ? text : "Claude Code",
      state: "running",
      since: now - MINUTE,
    }),
  ),
  makePane({
    pane: 90,
    session: "hidden",
    windowName: "override",
    state: "waiting_approval",
    since: now - MINUTE,
    request: request(
      "command",
      "Bash",
      `rm -rf ./cache \u202e# ${"x".repeat(300)}\n<script>alert(1)</script>`,
    ),
  }),
];

export const thousandScene = (now: number): PaneView[] =>
  Array.from({ length: 1_000 }, (_, index) =>
    makePane({
      pane: index + 1,
      session: `team-${Math.floor(index / 25) + 1}`,
      window: index % 25,
      windowName: `task-${index + 1}`,
      state: index % 100 === 7 ? "waiting_approval" : index % 3 === 0 ? "running" : "idle",
      since: now - index * 1_000,
      request: index % 100 === 7 ? request("command", "Bash", `make deploy-${index}`) : null,
    }),
  );

/** Why the first pane of the mixed scene waits. */
export const refundsExplanation = (now: number, pane: PaneView): Explanation => {
  const at = (ago: number) => new Date(now - ago).toISOString();
  return {
    schema_version: SCHEMA_VERSION,
    generated_at: at(0),
    pane,
    rule: "An open permission request outranks the turn that it interrupts",
    evidence: [
      {
        source: "hook",
        event_type: "PermissionRequest",
        lane: "request:toolu_01",
        state: "waiting_approval",
        reason_code: "permission_tool",
        confidence: "high",
        at: at(14 * MINUTE),
        outcome: "won",
        rule: "newest open request; confirmed on the screen 1 s ago",
        matched: "Do you want to proceed?",
      },
      {
        source: "hook",
        event_type: "PreToolUse",
        lane: "turn",
        state: "running",
        reason_code: "tool",
        confidence: "high",
        at: at(14 * MINUTE + 300),
        outcome: "lost",
        rule: "a turn ranks below a request that is open in it",
        matched: null,
      },
      {
        source: "poller",
        event_type: "title",
        lane: "screen",
        state: "running",
        reason_code: "thinking",
        confidence: "low",
        at: at(15 * MINUTE),
        outcome: "stale",
        rule: "not seen again within 10 s",
        matched: "✳ Migrate refunds",
      },
    ],
    screen: null,
    activity: [],
    timeline: [
      {
        state_version: 412,
        at: at(14 * MINUTE),
        state: "waiting_approval",
        reason_code: "permission_tool",
        duration_ms: null,
        action_id: null,
      },
      {
        state_version: 398,
        at: at(19 * MINUTE),
        state: "running",
        reason_code: "thinking",
        duration_ms: 5 * MINUTE,
        action_id: null,
      },
      {
        state_version: 371,
        at: at(51 * MINUTE),
        state: "idle",
        reason_code: "demoted",
        duration_ms: 32 * MINUTE,
        action_id: null,
      },
    ],
  };
};
