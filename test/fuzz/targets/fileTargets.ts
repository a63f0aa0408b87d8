// The files of agents: state files, logs of sessions, breadcrumbs, settings that decide about confirmation. They belong to
// others and are read while they are written.
import * as fc from "fast-check";
import { createAdapterRegistry } from "../../../adapters/index.ts";
import { somePane } from "../../../adapters/testkit/pane.ts";
import type { AgentAdapter, StateFileRequest } from "../../../core/ports/agentAdapter.ts";
import type { TranscriptEntry } from "../../../core/ports/agentFiles.ts";
import { hold, holdLine, holdText } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedJson } from "../mutateJson.ts";
import { hostileText, mutatedText } from "../mutateText.ts";
import { stubFiles } from "../stubs.ts";
import { checkReading } from "./tmuxTargets.ts";

const STARTED = Date.parse("2026-11-21T05:16:00Z");
const AT = "2026-11-21T05:16:20.123Z";
const HOME = "/home/dev";
const CWD = `${HOME}/project`;
const SESSION = "04410b52-d984-4402-87ca-299d79f6c462";

interface FileSeeds {
  /** Lines of the session's log. */
  log: readonly unknown[];
  /** Files of one JSON value, by a part of their path. */
  documents: Readonly<Record<string, unknown>>;
  transcriptPath: string;
  /** Where the files are of a session that no pane shows. */
  paneId?: string;
  /** Of the pane, where it tells whose session it is. */
  title?: string;
}

const qwenLine = (type: string, message: unknown, more: object = {}): unknown => ({
  uuid: "b",
  parentUuid: "a",
  sessionId: SESSION,
  timestamp: AT,
  type,
  cwd: CWD,
  version: "0.24.4",
  ...(message === undefined ? {} : { message }),
  ...more,
});

const piMessage = (message: unknown, id = "b"): unknown => ({
  type: "message",
  id,
  parentId: "a",
  timestamp: AT,
  message,
});
const piSeeds = (folder: string): FileSeeds => ({
  transcriptPath: `${HOME}/${folder}/agent/sessions/--home-dev-project--/2026_s.jsonl`,
  log: [
    { type: "session", version: 3, id: SESSION, timestamp: AT, cwd: CWD },
    piMessage({ role: "user", content: "hi" }, "a"),
    piMessage({ role: "user", content: [{ type: "text", text: "hi" }] }),
    piMessage({
      role: "assistant",
      stopReason: "toolUse",
      content: [
        { type: "text", text: "I look." },
        { type: "toolCall", id: "c", name: "bash", arguments: { command: "ls" } },
        {
          type: "toolCall",
          id: "d",
          name: "ask",
          arguments: { questions: [{ question: "Which?", options: [{ label: "Red" }] }] },
        },
      ],
    }),
    piMessage({ role: "toolResult", toolCallId: "c", content: [] }),
    piMessage({ role: "assistant", stopReason: "error", errorMessage: "401 no" }),
    piMessage({ role: "assistant", stopReason: "aborted", content: [] }),
  ],
  documents: {
    "skill-active-state.json": {
      version: 1,
      active: true,
      skill: "team",
      phase: "critic",
      updated_at: AT,
      session_id: SESSION,
      active_skills: [{ skill: "team", phase: "running", active: true, updated_at: AT }],
    },
  },
});

const codexLine = (type: string, payload: unknown): unknown => ({ timestamp: AT, type, payload });
const copilotLine = (type: string, data: unknown): unknown => ({ type, data, id: "e", timestamp: AT });
const claudeLine = (type: string, content: unknown, more = {}): unknown => ({
  type,
  timestamp: AT,
  message: { role: type, content },
  ...more,
});
const HOOKS = {
  hooks: { PermissionRequest: [{ hooks: [{ type: "command", command: "/usr/bin/approve" }] }] },
};

/** In the forms that the adapters' tests and recordings have. */
const SEEDS: Readonly<Record<string, FileSeeds>> = {
  claude: {
    transcriptPath: `${HOME}/.claude/projects/-home-dev-project/${SESSION}.jsonl`,
    log: [
      claudeLine("user", "fix the bug"),
      claudeLine("user", [{ type: "text", text: "[Request interrupted by user for tool use]" }]),
      claudeLine("assistant", [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "t1", name: "Bash", input: { command: "ls  -la\n" } },
      ]),
      claudeLine("user", "The session so far", { isCompactSummary: true }),
      claudeLine("assistant", "sub-agent", { isSidechain: true }),
    ],
    documents: {
      "/.claude/sessions/": {
        pid: 4242,
        sessionId: SESSION,
        cwd: CWD,
        startedAt: STARTED + 900,
        procStart: "1234567",
        kind: "interactive",
        tmux: "dev:@2.%5",
        status: "waiting",
        waitingFor: "permission prompt",
        updatedAt: STARTED + 5_000,
      },
      settings: HOOKS,
    },
  },
  codex: {
    transcriptPath: `${HOME}/.codex/sessions/2026/11/21/rollout-2026-11-21T05-16-17-${SESSION}.jsonl`,
    log: [
      codexLine("session_meta", { id: SESSION }),
      codexLine("event_msg", { type: "task_started" }),
      codexLine("event_msg", { type: "user_message", message: "hi" }),
      codexLine("response_item", {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "x" }],
      }),
      codexLine("response_item", {
        type: "function_call",
        name: "shell",
        arguments: '{"command":["bash","-lc","ls"]}',
      }),
      codexLine("response_item", { type: "custom_tool_call", name: "apply_patch", input: "*** Begin Patch" }),
      codexLine("event_msg", {
        type: "task_complete",
        error: { message: "unexpected status 401 Unauthorized: x" },
      }),
      codexLine("event_msg", { type: "task_complete", error: "429" }),
      codexLine("event_msg", { type: "turn_aborted", reason: "interrupted" }),
    ],
    documents: { "hooks.json": HOOKS },
  },
  copilot: {
    transcriptPath: `${HOME}/.copilot/session-state/${SESSION}/events.jsonl`,
    log: [
      copilotLine("user.message", { content: "hi" }),
      copilotLine("assistant.turn_start", { turnId: "0" }),
      copilotLine("assistant.message", { content: "I look." }),
      copilotLine("tool.execution_start", {
        toolCallId: "c1",
        toolName: "bash",
        arguments: { command: "ls" },
      }),
      copilotLine("permission.requested", {
        requestId: "r1",
        permissionRequest: { kind: "shell", fullCommandText: "make", intention: "Build" },
      }),
      copilotLine("permission.completed", { requestId: "r1", result: { kind: "approved" } }),
      copilotLine("session.error", { statusCode: 500, message: "no" }),
      copilotLine("abort", { reason: "user_abort" }),
      copilotLine("assistant.turn_end", {}),
    ],
    documents: {
      "open-sessions-state.json": { [SESSION]: { working: false, refreshedAt: AT } },
      "inuse.": 1,
    },
  },
  opencode: {
    transcriptPath: "",
    paneId: "bg-ses_1",
    // It has no log.
    log: [{}],
    documents: {
      "ses_1.json": {
        sessionID: "ses_1",
        pid: 4242,
        port: 4096,
        directory: CWD,
        title: "hi",
        isBusy: true,
        asks: "permission",
        beganAt: STARTED,
      },
    },
  },
  gemini: {
    transcriptPath: `${HOME}/.gemini/tmp/project/chats/session-2026-11-22T23-13-04410b52.jsonl`,
    log: [
      { sessionId: SESSION, projectHash: "75a2", startTime: AT, kind: "main" },
      {
        $set: {
          messages: [{ id: "a", timestamp: AT, type: "user", content: [{ text: "<session_context>" }] }],
        },
      },
      { id: "b", timestamp: AT, type: "user", content: [{ text: "hi" }] },
      {
        id: "c",
        timestamp: AT,
        type: "gemini",
        content: "I look.",
        toolCalls: [{ id: "t", name: "run_shell_command", args: { command: "ls" } }],
      },
      { id: "d", timestamp: AT, type: "info", content: "Request cancelled." },
      { $set: { lastUpdated: AT } },
    ],
    documents: {},
  },
  cline: {
    transcriptPath: "",
    title: "> hi",
    // It has no log.
    log: [{}],
    documents: {
      ".messages.json": {
        version: 1,
        messages: [
          {
            role: "user",
            content: [{ type: "text", text: '<user_input mode="act">hi</user_input>' }],
            ts: STARTED,
          },
          {
            role: "assistant",
            content: [
              { type: "text", text: "I look." },
              { type: "tool_use", id: "c1", name: "run_commands", input: { commands: ["ls"] } },
            ],
            ts: STARTED,
          },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "x" }], ts: STARTED },
          {
            role: "assistant",
            content: [{ type: "text", text: "400 no" }],
            ts: STARTED,
            metadata: { displayRole: "error" },
          },
        ],
      },
      ".json": { pid: 4242, status: "idle", cwd: CWD },
    },
  },
  qwen: {
    transcriptPath: `${HOME}/.qwen/projects/-home-dev-project/chats/${SESSION}.jsonl`,
    log: [
      qwenLine("user", { role: "user", parts: [{ text: "hi" }] }, { provenance: "real_user" }),
      qwenLine("system", undefined, { subtype: "ui_telemetry", systemPayload: { uiEvent: {} } }),
      qwenLine("assistant", {
        role: "model",
        parts: [
          { text: "I look." },
          { functionCall: { id: "c", name: "run_shell_command", args: { command: "ls" } } },
        ],
      }),
      qwenLine("tool_result", {
        role: "user",
        parts: [{ functionResponse: { id: "c", name: "run_shell_command", response: { output: "x" } } }],
      }),
    ],
    documents: {},
  },
  gjc: piSeeds(".gjc"),
  omp: piSeeds(".omp"),
  pi: piSeeds(".pi"),
  arcane: piSeeds(".arcane"),
};

const textOrNull = (...usual: string[]): fc.Arbitrary<string | null> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<string | null>(...usual) },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: hostileText },
    { weight: 1, arbitrary: mutatedText(usual, 2) },
  );

const checkEntries = (entries: readonly TranscriptEntry[] | null): void => {
  for (const { role, text, at } of entries ?? []) {
    hold(["user", "agent", "tool", "note"].includes(role), `the role ${role}`);
    holdText(text, 20_000, "an entry");
    hold(text !== "" && (at === null || Number.isFinite(at)), "an empty entry, or one at no time");
  }
};

interface FileCase {
  lines: readonly string[];
  brokenLog: string;
  isBroken: boolean;
  documents: readonly string[];
  agentSessionId: string | null;
  transcriptPath: string | null;
  cwd: string | null;
  tty: string;
  crumb: string;
}

const caseOf = (seeds: FileSeeds): fc.Arbitrary<FileCase> => {
  const log = seeds.log.map((line) => JSON.stringify(line)).join("\n");
  return fc.record({
    lines: fc.array(mutatedJson(seeds.log, 3), { maxLength: 8 }),
    brokenLog: mutatedText([log], 4),
    isBroken: fc.boolean(),
    documents: fc.tuple(...Object.values(seeds.documents).map((value) => mutatedJson([value], 3))),
    agentSessionId: textOrNull(SESSION),
    transcriptPath: textOrNull(seeds.transcriptPath),
    cwd: textOrNull(CWD),
    tty: fc.constantFrom("/dev/pts/3", "", "../../x", "/dev/../etc"),
    crumb: mutatedText([`${CWD}\n${seeds.transcriptPath}\n`], 2),
  });
};

const requestOf = ({ configFolder }: AgentAdapter, seeds: FileSeeds, from: FileCase): StateFileRequest => {
  const parts = Object.keys(seeds.documents);
  const lines = [JSON.stringify(seeds.log[0]), ...from.lines];
  const readText = (path: string): string | null => {
    hold(!path.includes("\0") || path.length > 0, "a path");
    if (path.endsWith(".jsonl")) return from.isBroken ? from.brokenLog : lines.join("\n");
    if (path.includes("terminal-sessions")) return from.crumb;
    const index = parts.findIndex((part) => path.includes(part));
    return index === -1 ? null : (from.documents[index] ?? null);
  };
  return {
    files: stubFiles({ readText, list: () => [SESSION], readLink: () => CWD, mtimeMs: STARTED + 1_000 }),
    configDir: `${HOME}/${configFolder?.usual}`,
    process: { pid: 4242, ppid: 1, comm: "agent", args: "agent", startedAt: STARTED },
    pane: somePane(seeds.paneId ?? "%5", { tty: from.tty, title: seeds.title ?? "" }),
    agentSessionId: from.agentSessionId,
    transcriptPath: from.transcriptPath,
    cwd: from.cwd,
  };
};

const fileTarget = (adapter: AgentAdapter): FuzzTarget[] => {
  if (!("readStateFiles" in adapter || "readTranscript" in adapter || "readProgress" in adapter)) return [];
  return [
    defineTarget({
      name: `files/${adapter.agentType}`,
      weight: 2,
      covers: [`files of ${adapter.agentType}`],
      open: () => {
        const seeds = SEEDS[adapter.agentType];
        if (seeds === undefined) throw new Error(`there are no seeds for the files of ${adapter.agentType}`);
        return {
          arbitrary: caseOf(seeds),
          check: async (from) => {
            const request = requestOf(adapter, seeds, from);
            checkReading((await adapter.readStateFiles?.(request)) ?? null);
            checkEntries((await adapter.readTranscript?.(request)) ?? null);
            holdLine((await adapter.readProgress?.(request)) ?? null, 1_000, "a progress line");
            const sessionTitle = (await adapter.readSessionTitle?.(request)) ?? null;
            hold(sessionTitle === null || sessionTitle !== "", "an empty name of a session");
            const isUnsure = (await adapter.needsConfirmation?.(request)) ?? false;
            hold(typeof isUnsure === "boolean", "no yes or no");
          },
        };
      },
    }),
  ];
};

export const fileTargets = (): FuzzTarget[] => createAdapterRegistry().list().flatMap(fileTarget);
