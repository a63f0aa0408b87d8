// What features tell of a row's documents, of sessions of the past and of agents that can be started, without files, git or tmux.
import type { FeatureAnswers } from "../../core/ports/feature.ts";
import type { HistoryList, HistoryPage, HistorySession } from "../../core/model/history.ts";
import type { StartableAgent } from "../../core/model/workspace.ts";
import { SCHEMA_VERSION, type PaneDocument } from "../../core/model/view.ts";
import { DOCUMENTS_CALLS } from "../../features/documents/calls.ts";
import { HISTORY_CALLS } from "../../features/history/calls.ts";
import { changesDiff } from "./changesScene.ts";
import { WORKSPACES_CALLS } from "../../features/workspaces/calls.ts";

const AT = "2026-11-22T10:00:00.000Z";

const session = (number: number, title: string): HistorySession => ({
  identity: { target: "host", agent: "claude", session_id: `session-${number}` },
  agent_name: "Claude Code",
  short_ref: `n-${number}`,
  title,
  first_prompt: null,
  folder: "/home/ann/src/shop-api",
  branch: "main",
  started_at: AT,
  last_at: AT,
  size: 4_096,
  parent_id: null,
  pane_ref: null,
});

const SESSIONS = [session(1, "Refunds are rounded twice"), session(2, "Write the release notes of 4.2")];

const list = (): HistoryList => ({
  schema_version: SCHEMA_VERSION,
  generated_at: AT,
  filters: {},
  summary: { total: SESSIONS.length },
  problems: [],
  items: SESSIONS,
});

const read = (): HistoryPage => ({
  session: session(1, "Refunds are rounded twice"),
  entries: [
    { role: "user", text: "find out why refunds are rounded twice", at: AT },
    { role: "agent", text: "The ledger rounds what the invoice has rounded before.", at: AT },
  ],
  before: null,
  redacted: 0,
});

const AGENTS: readonly StartableAgent[] = [
  { agent: "claude", agent_name: "Claude Code", is_found: true },
  { agent: "codex", agent_name: "Codex", is_found: false },
];

const DOCUMENTS: readonly PaneDocument[] = [
  {
    id: "plan",
    file: "plan.md",
    path: "/home/ann/src/shop-api/plan.md",
    has_unsent: true,
    tail: "<img src=x onerror=alert(1)> Which way?",
    trigger: "/agent-doc plan.md",
  },
];

const unexpected = (call: string): never => {
  throw new Error(`nothing of this scene answers ${call}`);
};

export const featureScene = (): readonly FeatureAnswers[] => [
  {
    name: "documents",
    calls: DOCUMENTS_CALLS,
    answer: (call) => (call === "ofPane" ? DOCUMENTS : unexpected(call)),
  },
  {
    name: "history",
    calls: HISTORY_CALLS,
    answer: (call) => {
      if (call === "refresh") return { isDone: true, sessions: SESSIONS.length };
      if (call === "list") return list();
      return call === "read" ? read() : unexpected(call);
    },
  },
  {
    name: "workspaces",
    calls: WORKSPACES_CALLS,
    answer: (call) => {
      if (call === "startable") return AGENTS;
      if (call === "changes") return changesDiff();
      return call === "lostList" ? { items: [] } : unexpected(call);
    },
  },
];
