// A sample adapter of contract version 1.0, as somebody outside of this repository would have written it.
//
// THIS FILE MUST NEVER BE EDITED. It stands for every adapter that was written against 1.0: when it no longer compiles or no
// longer passes the contract suite, the contract was broken, and the contract has to change back (or its version up), not
// this file. It imports nothing but types, and uses only what 1.0 had when it was frozen.
import type { Envelope } from "../../core/model/envelope.ts";
import type { Signal } from "../../core/model/evidence.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import type {
  AgentAdapter,
  IdentifyMatch,
  IntegrationChange,
  IntegrationRequest,
  NormalizeContext,
  NormalizedEvent,
  Reading,
  Screen,
  StateFileRequest,
} from "../../core/ports/agentAdapter.ts";

const SETTINGS = "/.frozen/hooks.json";
const ENTRY = '{"hook":"agtmux"}\n';

const sign = (process: ProcessInfo): boolean => process.comm === "frozen" && !process.args.includes(" serve");

const turn = (boundary: boolean, status: Extract<Signal, { kind: "activity" }>["status"]): Signal => ({
  kind: "activity",
  agentId: "",
  status,
  confidence: "high",
  boundary,
  closes: [],
  names: null,
});

const ask = (command: string, context: NormalizeContext): Signal => ({
  kind: "request",
  agentId: "",
  requestKey: command,
  status: { state: "waiting_approval", reasonCode: "permission_tool" },
  confidence: "high",
  request: {
    kind: "command",
    title: "Run this command?",
    body: command,
    toolName: "shell",
    options: [
      { label: "Yes", keys: ["y"] },
      { label: "No", keys: null },
    ],
    expiresAt: null,
  },
  needsConfirmation: context.confirmRequests,
  dialogGraceMs: 500,
});

const nothing: NormalizedEvent = { signals: [], sessionId: null, eventId: null, isExit: false };

const normalize = (envelope: Envelope, context: NormalizeContext): NormalizedEvent => {
  const session = envelope.payload?.["session"];
  const command = envelope.payload?.["command"];
  const known: NormalizedEvent = { ...nothing, sessionId: typeof session === "string" ? session : null };
  switch (envelope.eventName ?? "") {
    case "prompt":
      return { ...known, signals: [turn(true, { state: "running", reasonCode: "thinking" })] };
    case "ask":
      return {
        ...known,
        signals: [ask(typeof command === "string" ? command.slice(0, 200) : "", context)],
      };
    case "answered":
      return typeof command === "string"
        ? {
            ...known,
            signals: [
              {
                kind: "activity",
                agentId: "",
                status: { state: "running", reasonCode: "tool" },
                confidence: "high",
                boundary: false,
                closes: [command.slice(0, 200)],
                names: null,
              },
            ],
          }
        : known;
    case "done":
      return { ...known, signals: [turn(true, { state: "completed", reasonCode: "turn_ended" })] };
    case "resting":
      return { ...known, signals: [{ kind: "settled" }] };
    case "bye":
      return { ...known, signals: [turn(true, { state: "idle", reasonCode: "fresh" })], isExit: true };
    default:
      return known;
  }
};

const readScreen = (screen: Screen): Reading | null => {
  const last = screen.lines.findLast((line) => line.trim() !== "")?.trim() ?? "";
  if (last === "frozen works")
    return {
      status: { state: "running", reasonCode: "thinking" },
      confidence: "medium",
      matched: last,
      request: null,
      isSteady: true,
    };
  if (last === "frozen asks")
    return {
      status: { state: "waiting_input", reasonCode: "question" },
      confidence: "medium",
      matched: last,
      request: {
        kind: "question",
        title: "What next?",
        body: null,
        toolName: null,
        options: [],
        expiresAt: null,
      },
      isSteady: false,
    };
  if (last === "frozen rests")
    return {
      status: { state: "idle", reasonCode: "fresh" },
      confidence: "high",
      matched: last,
      request: null,
      isSteady: false,
    };
  return null;
};

const readStateFiles = async (request: StateFileRequest): Promise<Reading | null> => {
  const text = await request.files.readText(`${request.homeDir}/.frozen/${request.process.pid}.state`, 1_000);
  if (text?.trim() !== "idle") return null;
  return {
    status: { state: "idle", reasonCode: "fresh" },
    confidence: "high",
    matched: "idle",
    request: null,
    isSteady: false,
  };
};

const plan = async (request: IntegrationRequest, after: string | null): Promise<IntegrationChange[]> => {
  const path = `${request.homeDir}${SETTINGS}`;
  return [{ path, before: await request.files.readText(path), after }];
};

/** Every member that 1.0 had, and none that came later. */
export const createFrozenAdapter = (): AgentAdapter => ({
  contractVersion: "1.0",
  agentType: "frozen",
  displayName: "Frozen",
  version: "1.0.0",
  recordedVersions: ["1.0"],
  capabilities: {
    event_driven: true,
    polling_required: true,
    supports_waiting_approval: true,
    supports_waiting_input: true,
    supports_completed: true,
    verified: true,
  },
  announcesExit: true,
  eventsMayNameOtherPanes: false,
  identify: (processes): IdentifyMatch | null => {
    const process = processes.find(sign);
    return process === undefined ? null : { process, confidence: "high", sign: "process name" };
  },
  normalize,
  readScreen,
  readStateFiles,
  needsConfirmation: async () => false,
  integration: {
    planInstall: (request) => plan(request, ENTRY),
    planUninstall: (request) => plan(request, null),
    inspect: async (request) => {
      const text = await request.files.readText(`${request.homeDir}${SETTINGS}`);
      return { installed: text === ENTRY, missing: text === ENTRY ? [] : ["prompt"], problems: [] };
    },
    testEvent: { eventName: "prompt", payload: { session: "test" } },
  },
});
