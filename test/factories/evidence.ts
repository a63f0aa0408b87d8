// Small factories for evidence: every field has a quiet default, a test names only what it is about.
import {
  type Evidence,
  type EvidenceSource,
  type Signal,
  ROOT_AGENT,
  type Liveness,
} from "../../core/model/evidence.ts";
import { requestView, type PromptRequest, type RequestView } from "../../core/model/request.ts";
import type { Confidence, Status } from "../../core/model/state.ts";

export const RUNNING: Status = { state: "running", reasonCode: "thinking" };
export const TOOL: Status = { state: "running", reasonCode: "tool" };
export const IDLE: Status = { state: "idle", reasonCode: "fresh" };
export const INTERRUPTED: Status = { state: "idle", reasonCode: "interrupted" };
export const COMPLETED: Status = { state: "completed", reasonCode: "turn_ended" };
export const API_ERROR: Status = { state: "error", reasonCode: "api_error" };
export const APPROVAL: Status = { state: "waiting_approval", reasonCode: "permission_tool" };
export const QUESTION: Status = { state: "waiting_input", reasonCode: "question" };

export const someRequest = (body = "rm -rf build"): PromptRequest => ({
  kind: "command",
  title: "Bash",
  body,
  isWhole: true,
  toolName: "Bash",
  options: [],
  expiresAt: null,
});

export const someRequestView = (body?: string): RequestView => requestView(someRequest(body));

/** Evidence at `at`, ingested at once; the id says what it is. */
export const evidenceAt = (at: number, signal: Signal, more: Partial<Evidence> = {}): Evidence => ({
  eventId: `ev-${at}-${signal.kind}`,
  runtimeId: "rt",
  source: "hook",
  eventType: "test",
  sourceSeq: null,
  eventTime: at,
  ingestedAt: at,
  dedupeKey: more.eventId ?? `ev-${at}-${signal.kind}`,
  signal,
  ...more,
});

export interface ActivityOptions {
  agentId?: string;
  boundary?: boolean;
  closes?: string[];
  names?: { toolUseId: string; requestKey: string } | null;
}

export const activity = (
  at: number,
  status: Status | null,
  options: ActivityOptions = {},
  more: Partial<Evidence> = {},
): Evidence =>
  evidenceAt(
    at,
    {
      kind: "activity",
      agentId: ROOT_AGENT,
      status,
      confidence: "high",
      boundary: false,
      closes: [],
      names: null,
      ...options,
    },
    more,
  );

export const boundary = (at: number, status: Status | null, agentId = ROOT_AGENT): Evidence =>
  activity(at, status, { boundary: true, agentId });

export const asks = (
  at: number,
  requestKey: string | null,
  options: { status?: Status; agentId?: string; needsConfirmation?: boolean; body?: string } = {},
): Evidence =>
  evidenceAt(at, {
    kind: "request",
    agentId: options.agentId ?? ROOT_AGENT,
    requestKey,
    status: options.status ?? APPROVAL,
    confidence: "high",
    request: someRequest(options.body),
    needsConfirmation: options.needsConfirmation ?? false,
    dialogGraceMs: 1_000,
  });

/** A reading that has held from `since` to `at`; sustained when that is at least half a second. */
export const shows = (
  at: number,
  status: Status,
  options: {
    since?: number;
    source?: EvidenceSource;
    lastDialogSeenAt?: number | null;
    onset?: "seen" | "unknown";
    request?: PromptRequest;
    confidence?: Confidence;
  } = {},
): Evidence => {
  const since = options.since ?? at;
  return evidenceAt(
    at,
    {
      kind: "observation",
      status,
      confidence: options.confidence ?? "medium",
      matched: status.reasonCode,
      request: options.request ?? null,
      since,
      reads: at - since >= 500 ? 2 : 1,
      lastDialogSeenAt: options.lastDialogSeenAt ?? null,
      onset: options.onset ?? "seen",
      steady: false,
    },
    {
      source: options.source ?? "poller",
      eventId: `ev-${at}-${options.source ?? "poller"}`,
      dedupeKey: `ev-${at}-${options.source ?? "poller"}`,
    },
  );
};

/** Everything verified at `at`. */
export const livenessAt = (at: number, more: Partial<Liveness> = {}): Liveness => ({
  processVerifiedAt: at,
  keepAliveAt: null,
  observedAt: { poller: null, transcript: null },
  screenReadable: true,
  unrecognisedSince: null,
  view: null,
  unrecognisedReadAt: null,
  undecidedAt: null,
  dialogLeft: null,
  targetHealth: "ok",
  isSuspended: false,
  ...more,
});
