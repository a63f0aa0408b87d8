import { describe, expect, it } from "vitest";
import { foldEvidence } from "../engine/testkit/foldEvidence.ts";
import type { RuntimeEntry } from "../ingest/liveState.ts";
import type { Evidence } from "../model/evidence.ts";
import type { PromptRequest } from "../model/request.ts";
import { doubtOf } from "./paneAnswer.ts";

const STATUS = { state: "waiting_approval", reasonCode: "permission_tool" } as const;
const OPTIONS: PromptRequest["options"] = [
  { label: "Yes", keys: ["1"], role: "approve" },
  { label: "Yes, and always", keys: ["2"], role: "approve_always" },
  { label: "No", keys: ["Escape"], role: "deny" },
];
const request = (more: Partial<PromptRequest> = {}): PromptRequest => ({
  kind: "command",
  title: "Bash command",
  body: "git status",
  isWhole: true,
  toolName: null,
  options: [],
  expiresAt: null,
  runsIn: "/p",
  ...more,
});
const seen = (more: Partial<PromptRequest> = {}): PromptRequest => request({ options: OPTIONS, ...more });

const opened = (eventId: string, requestKey: string | null, told: PromptRequest): Evidence => ({
  eventId,
  runtimeId: "rt_1",
  source: "hook",
  eventType: "PermissionRequest",
  sourceSeq: null,
  eventTime: 1_000,
  ingestedAt: 1_000,
  dedupeKey: eventId,
  signal: {
    kind: "request",
    agentId: "root",
    requestKey,
    status: STATUS,
    confidence: "high",
    request: told,
    needsConfirmation: false,
    dialogGraceMs: 1_000,
  },
});

interface Scene {
  told: PromptRequest;
  more: Evidence[];
  targetId: string;
  adapter: object | null;
  requestId: string;
  state: string;
  confidence: string;
  isLive: boolean;
  inside?: string | null;
}
const ADAPTER = {
  displayName: "Claude Code",
  capabilities: { verified: true, event_driven: true },
  integration: {},
};
const entry = (change: Partial<Scene> = {}) => {
  const scene: Scene = {
    told: request(),
    more: [],
    targetId: "host",
    adapter: ADAPTER,
    requestId: "request:root/k1@ev_1",
    state: "waiting_approval",
    confidence: "high",
    isLive: true,
    ...change,
  };
  return {
    runtime: { runtimeId: "rt_1", targetId: scene.targetId, inside: scene.inside ?? null },
    adapter: scene.adapter,
    resolution: {
      status: { ...STATUS, state: scene.state },
      confidence: scene.confidence,
      requestId: scene.requestId,
      request: scene.told,
    },
    facts: foldEvidence([opened("ev_1", "k1", scene.told), ...scene.more]),
    asked: { byEvent: new Map(scene.isLive ? [["ev_1", scene.told]] : []) },
  } as unknown as RuntimeEntry;
};

it("nothing speaks against a command that an event told whole and the screen shows to the letter", () => {
  expect(doubtOf(entry(), seen())).toBeNull();
});

describe("a rule approves nothing", () => {
  it.each<[string, Partial<Scene>]>([
    ["of another machine", { targetId: "ssh_1" }],
    ["of an agent of which only the screen is known", { inside: "ssh" }],
    ["of an agent that is not known", { adapter: null }],
    [
      "of an agent that nobody could record",
      { adapter: { ...ADAPTER, capabilities: { verified: false, event_driven: true } } },
    ],
    [
      "of an agent that sends no events",
      { adapter: { ...ADAPTER, capabilities: { verified: true, event_driven: false } } },
    ],
    ["of an agent without hooks", { adapter: { ...ADAPTER, integration: undefined } }],
    ["that only the screen shows", { requestId: "poller@1000" }],
    ["that only the agent's log tells", { requestId: "transcript@1000" }],
    ["that is known from the store alone", { isLive: false }],
    ["that another event told", { requestId: "request:root/k1@ev_2" }],
    ["that is no wait for a permission", { state: "waiting_input" }],
    ["that is over", { state: "running" }],
    ["that is not certain", { confidence: "medium" }],
    ["while another request is open", { more: [opened("ev_2", "k2", request({ body: "rm -rf build" }))] }],
    ["while the same is asked twice", { more: [opened("ev_2", "k1", request())] }],
    [
      "while an event without a name says that something is asked",
      { more: [opened("ev_2", null, request())] },
    ],
    ["that is an edit", { told: request({ kind: "edit" }) }],
    ["that is a tool's", { told: request({ kind: "tool" }) }],
    ["that is a plan", { told: request({ kind: "plan" }) }],
    ["that has no command", { told: request({ body: null }) }],
    ["that is not told whole", { told: request({ isWhole: false }) }],
    ["of which nothing tells where and how it runs", { told: request({ runsIn: undefined }) }],
    ["whose folder is too long to be told", { told: request({ runsIn: null }) }],
    ["of which a part is hidden", { told: request({ hasMore: true }) }],
  ])("%s", (_name, change) => {
    expect(doubtOf(entry(change), seen())).toEqual(expect.any(String));
  });

  it.each<[string, PromptRequest | null]>([
    ["no dialog", null],
    ["a dialog that is cut", seen({ isWhole: false })],
    ["a dialog of another kind", seen({ kind: "tool" })],
    ["a dialog whose heading is out of sight", seen({ kind: "other" })],
    ["another heading", seen({ title: "Bash command (unsandboxed)" })],
    ["another command", seen({ body: "git stash" })],
    ["a longer command", seen({ body: "git status --short" })],
    ["a shorter command", seen({ body: "git statu" })],
    ["other blanks", seen({ body: "git  status" })],
    ["a blank at its end", seen({ body: "git status " })],
    ["a tab", seen({ body: "git\tstatus" })],
    ["rows that a wrap may explain", seen({ body: "git\nstatus", columns: 6 })],
    ["a row more, as of what the agent says of it", seen({ body: "git status\nShow the status" })],
    ["nothing of it", seen({ body: null })],
    ["no option", seen({ options: [] })],
    ["no option that approves", seen({ options: OPTIONS.slice(1) })],
    ["two options that approve", seen({ options: [...OPTIONS, ...OPTIONS.slice(0, 1)] })],
    ["an option without a key", seen({ options: [{ label: "Yes", keys: null, role: "approve" }] })],
    [
      "an option by several keys",
      seen({ options: [{ label: "Yes", keys: ["Down", "Enter"], role: "approve" }] }),
    ],
    ["options that are chosen together", seen({ takesSeveral: true })],
  ])("whose screen shows %s", (_name, shown) => {
    expect(doubtOf(entry(), shown)).toEqual(expect.any(String));
  });
});
