// Agents at work as a person has them: what each was asked, where it works, and what it does now.
import type { ActivityView } from "../../core/model/evidence.ts";
import type { RequestView } from "../../core/model/request.ts";
import type { PaneView, TargetView } from "../../core/model/view.ts";
import {
  makePane,
  makePullRequest,
  makeTarget,
  makeWorkspace,
  type PaneOptions,
} from "../../test/factories/view.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const at = (now: number, ago: number): string => new Date(now - ago).toISOString();

const work = (prompt: string | null, more: Partial<ActivityView> = {}): Partial<ActivityView> => ({
  prompt,
  ...more,
});

type Options = readonly (readonly [label: string, role: "approve" | "approve_always" | "deny" | null])[];

export const makeRequest = (
  kind: RequestView["kind"],
  body: string,
  options: Options,
  more: Partial<RequestView> = {},
): RequestView => ({
  kind,
  title: kind === "edit" ? "Edit file" : "Bash",
  body,
  is_whole: true,
  tool_name: null,
  options: options.map(([label, role], index) => ({ label, role, keys: [String(index + 1)] })),
  expires_at: null,
  ...more,
});

export const YES_OR_NO: Options = [
  ["Yes", "approve"],
  ["No, and tell Claude what to do differently", "deny"],
];

/** An edit of so many lines, some of which change. */
export const editOf = (lines: number): string =>
  Array.from({ length: lines }, (_, index) => {
    if (lines === 1) return "+export const RETRIES = 5;";
    const sign = index % 9 === 3 ? "-" : index % 9 === 4 || index % 9 === 5 ? "+" : " ";
    return `${sign}  await post(entries[${index}], { retries: ${index % 7} });`;
  }).join("\n");

const QUESTION = makeRequest(
  "question",
  "Which rounding should the ledger use for half cents?",
  [
    ["Banker’s rounding", null],
    ["Always up", null],
    ["As the invoice says", null],
  ],
  { title: "Rounding", text_entry: ["4"] },
);

const DESCRIPTIONS = ["what the old export did", "what the bank expects of card payments", null];

const waiting = (now: number): PaneOptions[] => [
  {
    pane: 31,
    session: "infra",
    windowName: "terraform",
    agent: "opencode",
    agentName: "opencode",
    state: "error",
    reason: "usage_limit",
    since: now - 55 * MINUTE,
    progress: "resets 15:00",
    activity: work("Terraform: two subnets per zone", {
      folder: "/home/ann/src/infra",
      branch: "two-subnets",
    }),
  },
  {
    pane: 11,
    session: "shop-api",
    windowName: "refunds",
    state: "waiting_approval",
    since: now - 12 * MINUTE,
    fingerprint: "fp-refunds",
    activity: work("Refunds are rounded twice", {
      folder: "/home/ann/src/shop-api",
      branch: "fix/rounding",
      turn_began_at: at(now, 20 * MINUTE),
    }),
    request: makeRequest("command", "npm run migrate -- --env staging", [
      ["Yes", "approve"],
      ["Yes, and don't ask again for: npm run migrate:*", "approve_always"],
      ["No, and tell Claude what to do differently", "deny"],
    ]),
  },
  {
    pane: 21,
    session: "payments",
    window: 2,
    windowName: "webhooks",
    agent: "codex",
    agentName: "Codex",
    state: "waiting_approval",
    reason: "permission_edit",
    since: now - 6 * MINUTE,
    fingerprint: "fp-webhooks",
    activity: work("Retry webhooks with a jitter", {
      folder: "/home/ann/src/payments",
      branch: "main",
    }),
    request: makeRequest("edit", "src/webhooks/retry.ts", YES_OR_NO, {
      content: [
        " export const retry = async (send: Send, base: number) => {",
        "-  const delay = base * 2 ** attempt;",
        "+  const delay = base * 2 ** attempt * (0.5 + random());",
        "   await sleep(delay);",
      ].join("\n"),
    }),
  },
  {
    pane: 22,
    session: "payments",
    window: 3,
    windowName: "ledger",
    agent: "gemini",
    agentName: "Gemini CLI",
    state: "waiting_input",
    since: now - 41_000,
    fingerprint: "fp-ledger",
    activity: work("Ledger export to CSV", {
      folder: "/home/ann/src/payments",
      branch: "ledger-csv",
    }),
    request: {
      ...QUESTION,
      options: QUESTION.options.map((option, index) => ({
        ...option,
        description: DESCRIPTIONS[index] ?? null,
      })),
    },
  },
];

const atWork = (now: number): PaneOptions[] => [
  {
    pane: 12,
    session: "shop-api",
    window: 2,
    windowName: "split",
    state: "running",
    reason: "tool",
    since: now - 2 * MINUTE,
    activity: work("Split the refund service", {
      tool: { name: "Bash", subject: "npm test -- refunds" },
      folder: "/home/ann/src/shop-api",
      branch: "split-refunds",
      turn_began_at: at(now, 18 * MINUTE),
    }),
  },
  {
    pane: 13,
    session: "shop-api",
    window: 3,
    windowName: "docs",
    agent: "copilot",
    agentName: "Copilot",
    state: "running",
    reason: "tool",
    since: now - 5_000,
    progress: "2 queued prompts",
    activity: work("Docs for the new endpoint", {
      tool: { name: "edit", subject: "docs/refunds.md" },
      folder: "/home/ann/src/shop-api",
      branch: "docs",
      turn_began_at: at(now, 2 * MINUTE),
    }),
  },
  {
    pane: 41,
    session: "web",
    windowName: "invoices",
    state: "completed",
    since: now - 9 * MINUTE,
    activity: work("Dark mode for invoices", {
      said: "All 42 tests pass; 6 files changed.",
      folder: "/home/ann/src/web",
      branch: "invoice-dark",
    }),
  },
  {
    pane: 42,
    session: "web",
    window: 2,
    windowName: "checkout",
    agent: "pi",
    agentName: "pi",
    state: "idle",
    since: now - 3 * HOUR,
    activity: work(null, { folder: "/home/ann/src/web", branch: "main" }),
  },
  {
    pane: 43,
    session: "web",
    window: 3,
    windowName: "a11y",
    agent: "codex",
    agentName: "Codex",
    state: "running",
    reason: "thinking",
    since: now - 30_000,
    activity: work("Make the checkout work with a screen reader and keep the animations for everybody else", {
      folder: "/home/ann/src/web",
      branch: "checkout-a11y",
      turn_began_at: at(now, 4 * MINUTE),
    }),
  },
];

/** Ten agents on one machine; `now` is epoch ms. */
export const tenScene = (now: number): PaneView[] =>
  [
    ...waiting(now),
    ...atWork(now),
    {
      pane: 51,
      session: "notes",
      windowName: "draft",
      agent: "omp",
      agentName: "oh-my-pi",
      state: "completed",
      since: now - 70 * MINUTE,
      activity: work("Summarise last week’s incidents", { said: "Written to notes/incidents.md." }),
    } satisfies PaneOptions,
  ].map(makePane);

export const threeScene = (now: number): PaneView[] =>
  [waiting(now)[1], ...atWork(now).slice(1, 3)].map((options) => makePane(options));

/** Agents on branches with pull requests: one whose checks failed, one that is approved, a draft whose checks run. */
export const pullsScene = (now: number): PaneView[] => {
  const branches = [
    {
      branch: "fix/refunds",
      prompt: "Round refunds by currency",
      state: "open",
      checks: { state: "failed", failed: "unit tests (node 24)", failed_count: 2 },
    },
    {
      branch: "docs/webhooks",
      prompt: "Describe the webhooks",
      state: "approved",
      checks: { state: "passed", failed: null, failed_count: 0 },
    },
    {
      branch: "cache-search",
      prompt: "Cache the product search",
      state: "draft",
      checks: { state: "running", failed: null, failed_count: 0 },
    },
  ] as const;
  return branches.map(({ branch, prompt, state, checks }, index) =>
    makePane({
      pane: 41 + index,
      session: "shop",
      window: index + 1,
      windowName: branch,
      state: index === 2 ? "running" : "completed",
      since: now - (index + 2) * MINUTE,
      activity: work(prompt, {
        folder: `/home/ann/${branch.replace("/", "-")}`,
        branch,
        work_tree: "/home/ann/shop",
      }),
      workspace: makeWorkspace({
        changes: { files: 0, added: 0, removed: 0, ahead: 0, behind: 0 },
        pull_request: makePullRequest({ number: 412 + index, title: prompt, state, checks }),
      }),
    }),
  );
};

/** Two agents in worktrees of one repository who are on the way to a conflict, and one who is not. */
export const conflictsScene = (now: number): PaneView[] => {
  const branches = [
    ["fix/refunds", "Round refunds by currency"],
    ["ledger-csv", "Export the ledger as CSV"],
    ["docs/webhooks", "Describe the webhooks"],
  ] as const;
  return branches.map(([branch, prompt], index) => {
    const [other = ""] = branches[1 - index] ?? [];
    const conflict = {
      kind: "merge" as const,
      files: ["src/ledger/rounding.ts"],
      more_files: 0,
      with: {
        short_ref: `host/%${42 - index}`,
        place: `shop:${2 - index}.0`,
        branch: other,
        work_tree: `/home/ann/${other.replace("/", "-")}`,
      },
    };
    return makePane({
      pane: 41 + index,
      session: "shop",
      window: index + 1,
      windowName: branch,
      state: "running",
      since: now - (index + 2) * MINUTE,
      activity: work(prompt, {
        folder: `/home/ann/${branch.replace("/", "-")}`,
        branch,
        work_tree: "/home/ann/shop",
      }),
      workspace: makeWorkspace({
        changes: { files: 0, added: 0, removed: 0, ahead: 2, behind: 0 },
        conflicts: index === 2 ? [] : [conflict],
      }),
    });
  });
};

const TASKS = [
  "Upgrade the payment client",
  "Find the flaky upload test",
  "Translate the onboarding mails",
  "Cache the product search",
  "Remove the old feature flags",
] as const;

/** Many agents on three machines, whose sessions have the same names. */
export const manyScene = (now: number, count: number): PaneView[] => [
  ...tenScene(now),
  ...Array.from({ length: count - 10 }, (_, index) =>
    makePane({
      pane: 100 + index,
      target: ["host", "build-box", "gpu-1"][index % 3] ?? "host",
      session: ["platform", "research", "mobile"][Math.floor(index / 3) % 3] ?? "platform",
      window: 10 + index,
      windowName: `task-${index + 1}`,
      state: index % 4 === 0 ? "running" : index % 4 === 1 ? "completed" : "idle",
      ...(index % 4 === 0 ? { reason: "tool" } : {}),
      since: now - (index + 1) * MINUTE,
      activity: work(`${TASKS[index % TASKS.length]}`, {
        tool: index % 4 === 0 ? { name: "Bash", subject: "make test" } : null,
        said: index % 4 === 1 ? "Done: 3 files changed, all tests pass." : null,
        folder: "/srv/platform",
        branch: `task/${index + 1}`,
      }),
    }),
  ),
];

export const threeTargets = (): TargetView[] => [
  makeTarget(),
  ...["build-box", "gpu-1"].map((target) =>
    makeTarget({ target, kind: "ssh", connection_ref: target, transport: "ssh2", rtt_ms: 24 }),
  ),
];

const LONG = "Migrate every customer of the old billing plan to the new one without double charging anybody ";

/** Names that are longer than any window. */
export const longScene = (now: number): PaneView[] =>
  [
    {
      pane: 1,
      session: "a-session-with-a-name-that-somebody-generated-from-a-ticket-PROJ-12345",
      windowName: "w",
      state: "waiting_approval",
      since: now - 400 * HOUR,
      fingerprint: "fp-long",
      activity: work(LONG.repeat(3), {
        folder: "/home/ann/src/enterprise-billing-platform-customer-migration-service",
        branch: "feature/PROJ-12345-migrate-every-customer-of-the-old-plan-without-double-charging",
      }),
      request: makeRequest(
        "command",
        "docker compose -f deploy/compose.staging.yml run --rm --no-deps -e DRY_RUN=1 billing-migrator node scripts/migrate.mjs --plan old-2019 --to new-2026 --batch 500",
        [
          ["Yes", "approve"],
          [
            "Yes, and don't ask again for: docker compose -f deploy/compose.staging.yml run --rm --no-deps",
            "approve_always",
          ],
          ["No", "deny"],
        ],
      ),
    } satisfies PaneOptions,
    {
      pane: 2,
      session: "a-session-with-a-name-that-somebody-generated-from-a-ticket-PROJ-12345",
      window: 2,
      windowName: "w2",
      state: "running",
      reason: "tool",
      since: now - 3 * MINUTE,
      activity: work(LONG.repeat(2), {
        tool: { name: "Bash", subject: `cat ${"very-long-file-name-".repeat(9)}.ts` },
        folder: "/home/ann/src/enterprise-billing-platform-customer-migration-service",
        branch: "feature/PROJ-12345-migrate-every-customer-of-the-old-plan-without-double-charging",
      }),
    } satisfies PaneOptions,
  ].map(makePane);

/** One agent that asks to write an edit of so many lines. */
export const editScene = (now: number, lines: number): PaneView[] => [
  makePane({
    pane: 61,
    session: "ledger",
    windowName: "post",
    state: "waiting_approval",
    reason: "permission_edit",
    since: now - 3 * MINUTE,
    fingerprint: `fp-edit-${lines}`,
    activity: work("Post ledger entries one by one", {
      folder: "/home/ann/src/ledger",
      branch: "post-entries",
    }),
    request: makeRequest("edit", "src/ledger/post.ts", YES_OR_NO, { content: editOf(lines) }),
  }),
  ...tenScene(now).slice(4),
];

/** What a pane shows, with its colours. */
export const COLOURED_SCREEN = [
  "\u001b[1m●\u001b[0m Update(\u001b[36msrc/refunds/rounding.ts\u001b[0m)",
  "  ⎿  Updated with \u001b[1m2\u001b[0m additions and \u001b[1m1\u001b[0m removal",
  "     12 \u001b[48;2;122;41;54m-  return Math.round(cents / 100) * 100;\u001b[0m",
  "     12 \u001b[48;2;34;92;43m+  const exact = cents / 100;\u001b[0m",
  "     13 \u001b[48;2;34;92;43m+  return roundHalfEven(exact) * 100;\u001b[0m",
  "",
  "\u001b[32m●\u001b[0m Bash(npm test -- refunds)",
  "  ⎿  \u001b[32m✓\u001b[0m rounds half cents to even \u001b[2m(3 ms)\u001b[0m",
  "     \u001b[32m✓\u001b[0m refunds the sum of its parts \u001b[2m(12 ms)\u001b[0m",
  "     \u001b[31m✗ keeps the currency of the order\u001b[0m \u001b[2m(1 ms)\u001b[0m",
  "       \u001b[33mexpected EUR, received USD in a line that is longer than the popover is wide\u001b[0m",
  "",
  "\u001b[38;5;174m✳ Reviewing…\u001b[0m \u001b[38;5;246m(1m 12s · ↑ 3.1k tokens)\u001b[0m",
];
