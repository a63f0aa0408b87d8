// Small records for tests and benches of the store.
import type { Envelope } from "../../model/envelope.ts";
import { type Evidence, NO_LIVENESS, type Resolution, NO_TURN_MARKS } from "../../model/evidence.ts";
import type { Pane, Runtime, Target } from "../../model/runtime.ts";
import type { PaneView } from "../../model/view.ts";
import type { NewTransition, PendingEvent, StateRow } from "../../ports/store.ts";

export const sampleTarget = (change: Partial<Target> = {}): Target => ({
  targetId: "t1",
  targetName: "host",
  kind: "local",
  connectionRef: null,
  isDefault: true,
  health: "ok",
  healthReason: null,
  lastSeenAt: null,
  updatedAt: 1_000,
  link: null,
  ...change,
});

export const samplePane = (change: Partial<Pane> = {}): Pane => ({
  targetId: "t1",
  server: "default",
  paneId: "%1",
  sessionId: "$1",
  sessionName: "work",
  alsoIn: [{ sessionId: "$2", sessionName: "work-2", windowIndex: 3 }],
  windowId: "@1",
  windowIndex: 0,
  windowName: "main",
  paneIndex: 0,
  panePid: 100,
  tty: "/dev/pts/1",
  title: "title",
  isActive: true,
  isDead: false,
  deadStatus: null,
  isAlternate: false,
  inMode: false,
  width: 80,
  height: 24,
  cursorX: 0,
  cursorY: 0,
  historySize: 0,
  windowActivity: 1,
  updatedAt: 1_000,
  ...change,
});

export const sampleRuntime = (change: Partial<Runtime> = {}): Runtime => ({
  runtimeId: "r1",
  targetId: "t1",
  server: "default",
  paneId: "%1",
  paneEpoch: 1,
  agentType: "agent",
  pid: 101,
  processStartedAt: 999.5,
  startedAt: 1_000,
  endedAt: null,
  agentSessionId: null,
  inside: null,
  mutedUntil: null,
  name: null,
  ...change,
});

export const sampleEvidence = (change: Partial<Evidence> = {}): Evidence => ({
  eventId: "e1",
  runtimeId: "r1",
  source: "hook",
  eventType: "PreToolUse",
  sourceSeq: null,
  eventTime: 1_000.25,
  ingestedAt: 1_001,
  dedupeKey: "e1",
  signal: {
    kind: "activity",
    agentId: "",
    status: { state: "running", reasonCode: "tool" },
    confidence: "high",
    boundary: false,
    closes: ["toolu_1"],
    names: null,
  },
  ...change,
});

export const sampleResolution = (change: Partial<Resolution> = {}): Resolution => ({
  status: { state: "waiting_approval", reasonCode: "permission_tool" },
  confidence: "high",
  since: 1_000,
  requestId: "req",
  request: {
    kind: "command",
    title: "Run a command",
    body: "npm test",
    toolName: "Bash",
    options: [{ label: "Yes", keys: ["1"] }],
    expiresAt: null,
  },
  rule: "The dialog is open.",
  verdicts: [],
  nextCheckAt: null,
  ...change,
});

export const sampleState = (change: Partial<StateRow> = {}): StateRow => ({
  targetId: "t1",
  server: "default",
  paneId: "%1",
  runtimeId: "r1",
  resolution: sampleResolution(),
  fingerprint: "f".repeat(16),
  activity: null,
  stateVersion: 1,
  marks: NO_TURN_MARKS,
  lastSeenAt: 1_000,
  updatedAt: 1_000,
  ...change,
});

export const sampleView = (change: Partial<PaneView> = {}): PaneView => ({
  identity: {
    target: "host",
    tmux_server: "default",
    session_name: "work",
    window_id: "@1",
    pane_id: "%1",
    pane_ref: "pane:host/work/@1/%1",
    runtime_id: "r1",
  },
  short_ref: "host/%1",
  background: null,
  also_in: [],
  window_index: 0,
  window_name: "main",
  pane_index: 0,
  title: "title",
  agent: "agent",
  agent_name: "Agent",
  account: null,
  state: "running",
  reason_code: "tool",
  confidence: "high",
  state_version: 1,
  needs_action: false,
  since: null,
  unread_since: null,
  confirmed_at: null,
  request: null,
  prompt_fingerprint: null,
  progress: null,
  armed: null,
  activity: null,
  agent_session_id: null,
  workspace: null,
  inside: null,
  muted: null,
  name: null,
  ...change,
});

export const sampleTransition = (change: Partial<NewTransition> = {}): NewTransition => ({
  runtimeId: "r1",
  at: 1_000,
  evaluatedAt: 1_000,
  eventHorizon: 1,
  liveness: NO_LIVENESS,
  resolution: sampleResolution(),
  fingerprint: null,
  previousState: null,
  end: null,
  view: sampleView(),
  actionId: null,
  ...change,
});

const sampleEnvelope = (change: Partial<Envelope> = {}): Envelope => ({
  spoolName: "spool-1",
  agentType: "agent",
  eventName: "Stop",
  tmuxSocket: "/tmp/sock",
  tmuxServerPid: 1,
  paneId: "%1",
  parentPid: 2,
  eventTime: 1_000.125,
  payload: { session_id: "s1" },
  payloadProblem: null,
  ...change,
});

export const samplePending = (
  change: Partial<PendingEvent> = {},
  envelope: Partial<Envelope> = {},
): PendingEvent => ({
  targetId: "t1",
  server: null,
  envelope: sampleEnvelope(envelope),
  ingestedAt: 1_000,
  ...change,
});
