// Panes as a person with several agents has them, for the picker's tests, figures and pictures.
import type { ActivityView } from "../../core/model/evidence.ts";
import type { RequestView } from "../../core/model/request.ts";
import type { PaneView } from "../../core/model/view.ts";
import { makePane, type PaneOptions } from "../factories/view.ts";

const MINUTE = 60_000;

const YES_NO: RequestView["options"] = [
  { label: "Yes", keys: ["1"], role: "approve" },
  { label: "Yes, and don't ask again for npm commands in this folder", keys: ["2"], role: "approve_always" },
  { label: "No, and tell Claude what to do differently", keys: ["3"], role: "deny" },
];

export const commandRequest = (body: string, more: Partial<RequestView> = {}): RequestView => ({
  kind: "command",
  title: "Bash command",
  body,
  is_whole: true,
  tool_name: "Bash",
  options: YES_NO,
  expires_at: null,
  ...more,
});

export const editRequest = (path: string, content: string): RequestView => ({
  kind: "edit",
  title: `Do you want to make this edit to ${path.split("/").at(-1) ?? path}?`,
  body: path,
  content,
  is_whole: true,
  tool_name: "Edit",
  options: [
    { label: "Yes", keys: ["1"], role: "approve" },
    { label: "No", keys: ["2"], role: "deny" },
  ],
  expires_at: null,
});

/** An edit of so many lines. */
export const longEdit = (lines: number): RequestView =>
  editRequest(
    "src/ledger/export.ts",
    Array.from(
      { length: lines },
      (_, index) => `${index % 3 === 0 ? "-" : "+"}  const row${index} = toCents(${index});`,
    ).join("\n"),
  );

export const questionRequest: RequestView = {
  kind: "question",
  title: "Rounding",
  body: "Which rounding should the ledger use for half cents?",
  is_whole: true,
  tool_name: null,
  options: [
    { label: "Banker's rounding", description: "what the old export did", keys: ["1"] },
    { label: "Always up", description: "what the customers expect", keys: ["2"] },
  ],
  expires_at: null,
  text_entry: ["3"],
};

export const severalRequest: RequestView = {
  ...questionRequest,
  title: "Which sizes?",
  body: "Which sizes?",
  options: [
    { label: "Small", keys: null, toggle: "1", ticked: false },
    { label: "Large", keys: null, toggle: "2", ticked: false },
    { label: "Type something.", keys: null },
  ],
  submit: ["Down", "Down", "Down", "Enter"],
  pages: { number: 2, names: ["Colour", "Sizes"] },
};

/** A pane that waits; its fingerprint is its own. */
export const waiting = (pane: number, request: RequestView, more: PaneOptions = {}): PaneView =>
  makePane({
    pane,
    window: pane,
    state: request.kind === "question" ? "waiting_input" : "waiting_approval",
    request,
    fingerprint: `print-${pane}`,
    since: Date.now() - pane * MINUTE,
    ...more,
  });

/** As a session that no pane shows. */
const inBackground = (pane: PaneView, id: string): PaneView => ({
  ...pane,
  identity: {
    ...pane.identity,
    tmux_server: "background",
    session_name: "background",
    pane_id: null,
    pane_ref: `pane:host:background/background/@0/bg-${id}`,
  },
  short_ref: `host/bg-${id}`,
  background: { id, is_answered_elsewhere: false },
});

/** Two in the background, of which one asks, beside another account's in a pane and one inside ssh. */
export const backgroundAgents = (now: number): PaneView[] => {
  const asks = waiting(12, commandRequest("npm run migrate -- --env staging", { options: [] }), {
    since: now - 2 * MINUTE,
    activity: { prompt: "Refunds are rounded twice", folder: "/home/me/shop-api", branch: "fix/rounding" },
  });
  const works = makePane({
    pane: 13,
    state: "running",
    since: now - 9 * MINUTE,
    activity: { prompt: "Update the changelog", folder: "/home/me/payments", branch: "main" },
  });
  const account = { agent_name: "Claude Code (.claude-work)", account: ".claude-work" };
  const inPane = makePane({
    pane: 20,
    session: "payments",
    state: "running",
    since: now - 4 * MINUTE,
    activity: { prompt: "Ledger export to CSV", folder: "/home/me/payments", branch: "ledger-csv" },
  });
  const behind = makePane({
    pane: 21,
    session: "servers",
    state: "idle",
    since: now - 30 * MINUTE,
    agent: "codex",
    agentName: "Codex",
  });
  return [
    inBackground({ ...asks, agent_name: "Claude Code (.claude)", account: ".claude" }, "1981d014"),
    inBackground({ ...works, agent_name: "Claude Code (.claude)", account: ".claude" }, "5c47ffa7"),
    { ...inPane, ...account },
    { ...behind, confidence: "low", inside: "ssh" },
  ];
};

/** Three that need the person, some that work, one that is done. */
export const someAgents = (): PaneView[] => {
  const now = Date.now();
  const work = (
    prompt: string,
    folder: string,
    branch: string,
    more: Partial<ActivityView> = {},
  ): Partial<ActivityView> => ({ prompt, folder: `/home/me/${folder}`, repository: folder, branch, ...more });
  return [
    waiting(12, commandRequest("npm run migrate -- --env staging"), {
      session: "shop-api",
      activity: work("Refunds are rounded twice", "shop-api", "fix/rounding"),
    }),
    waiting(
      6,
      editRequest(
        "src/webhooks/retry.ts",
        "-  const delay = base * 2 ** attempt;\n+  const delay = base * 2 ** attempt * (0.5 + random());",
      ),
      {
        session: "payments",
        agent: "codex",
        agentName: "Codex",
        activity: work("Retry webhooks with a jitter", "payments", "main"),
      },
    ),
    waiting(3, questionRequest, {
      session: "payments",
      agent: "gemini",
      agentName: "Gemini CLI",
      activity: work("Ledger export to CSV", "payments", "ledger-csv"),
    }),
    makePane({
      pane: 20,
      session: "shop-api",
      window: 20,
      state: "running",
      reason: "tool",
      activity: work("Split the refund service", "shop-api", "split-refunds", {
        tool: { name: "Bash", subject: "npm test -- refunds" },
        turn_began_at: new Date(now - 18 * MINUTE).toISOString(),
      }),
    }),
    makePane({
      pane: 21,
      session: "shop-api",
      window: 21,
      state: "running",
      activity: work("Docs for the new endpoint", "shop-api", "docs/endpoint", {
        turn_began_at: new Date(now - 2 * MINUTE).toISOString(),
      }),
    }),
    makePane({
      pane: 22,
      session: "infra",
      window: 22,
      agent: "codex",
      agentName: "Codex",
      state: "completed",
      since: now - 5 * MINUTE,
      activity: work("Two subnets per zone", "infra", "subnets", {
        said: "Both zones plan cleanly; nothing was applied.",
      }),
    }),
  ];
};
