// What differs from agent to agent where a player stands in for it: files of its HOME and how it leaves. Facts as recorded.
import { join } from "node:path";
import type { Launch } from "./launch.ts";
import type { Payload } from "../../adapters/testkit/recordings.ts";

/** What every payload names, whatever the agent calls it. */
export interface PlayedSession {
  event: string;
  sessionId: string;
  transcriptPath: string;
  cwd: string;
}

export interface AgentProfile {
  /** How it looks to the process table. */
  launch: Launch;
  /** The recorded payload as this session would have it. */
  payloadOf: (sample: Payload, session: PlayedSession) => Payload;
  /** Settings with hooks, `hooks.<Event>[].hooks[].command`, `hooks.<event>[].bash` or `.command`, in the HOME. */
  hookSettings: string;
  /** The log of a session, in the HOME. */
  transcript: (sessionId: string) => string;
  /** The event that its own process emits when it leaves; null where a background server may do so later. */
  exitEvent: string | null;
  /** Reasons in that event: it left by itself, or by a signal. */
  exitReasons: { exit: string; other: string };
  /** How often it emits that event. */
  exitCount: number;
  /** A signal ends it at once: no event, and the screen and the title stay. */
  diesAtOnce: boolean;
  /** A plugin in its own process instead of hooks; `exitEvent` is the one with which it leaves. */
  plugin?: { kind: "opencode" | "extension"; file: string; exitEvent: string | null };
}

const withSnakeCase: AgentProfile["payloadOf"] = (sample, { event, sessionId, transcriptPath, cwd }) => ({
  ...sample,
  session_id: sessionId,
  transcript_path: transcriptPath,
  cwd,
  hook_event_name: event,
});

const CLAUDE: AgentProfile = {
  launch: "named",
  payloadOf: withSnakeCase,
  hookSettings: join(".claude", "settings.json"),
  transcript: (sessionId) => join(".claude", "projects", `${sessionId}.jsonl`),
  exitEvent: "SessionEnd",
  exitReasons: { exit: "prompt_input_exit", other: "other" },
  exitCount: 1,
  diesAtOnce: false,
};

/** A member of the pi family: an extension in the agent's process, sessions below its own folder. */
const piFamily = (folder: string, launch: Launch): AgentProfile => ({
  payloadOf: (sample, { sessionId, transcriptPath }) => ({
    ...sample,
    session_id: sessionId,
    session_file: transcriptPath,
  }),
  hookSettings: join(folder, "none.json"),
  transcript: (sessionId) => join(folder, "agent", "sessions", "-project", `${sessionId}.jsonl`),
  exitEvent: null,
  exitReasons: CLAUDE.exitReasons,
  exitCount: 0,
  diesAtOnce: false,
  launch,
  plugin: {
    kind: "extension",
    file: join(folder, "agent", "extensions", "agtmux.ts"),
    exitEvent: "session_shutdown",
  },
});

const PROFILES: Readonly<Record<string, AgentProfile>> = {
  claude: CLAUDE,
  opencode: {
    launch: "named",
    payloadOf: (sample) => sample,
    hookSettings: join(".config", "opencode", "none.json"),
    transcript: (sessionId) => join(".local", "share", "opencode", `${sessionId}.none`),
    exitEvent: null,
    exitReasons: CLAUDE.exitReasons,
    exitCount: 0,
    diesAtOnce: false,
    plugin: {
      kind: "opencode",
      file: join(".config", "opencode", "plugin", "agtmux.js"),
      exitEvent: null,
    },
  },
  omp: piFamily(".omp", {
    runtime: "bun",
    script: "@oh-my-pi/pi-coding-agent/dist/cli.js",
  }),
  pi: piFamily(".pi", "renamed"),
  codex: {
    launch: "named",
    payloadOf: withSnakeCase,
    hookSettings: join(".codex", "hooks.json"),
    transcript: (sessionId) =>
      join(".codex", "sessions", "2026", "11", "21", `rollout-2026-11-21T05-16-17-${sessionId}.jsonl`),
    exitEvent: null,
    exitReasons: CLAUDE.exitReasons,
    exitCount: 0,
    diesAtOnce: true,
  },
  copilot: {
    launch: "launcher",
    payloadOf: (sample, { sessionId, transcriptPath, cwd }) => ({
      ...sample,
      sessionId,
      cwd,
      timestamp: Date.now(),
      ...("transcriptPath" in sample ? { transcriptPath } : {}),
    }),
    hookSettings: join(".copilot", "hooks", "agtmux.json"),
    transcript: (sessionId) => join(".copilot", "session-state", sessionId, "events.jsonl"),
    exitEvent: "sessionEnd",
    exitReasons: { exit: "user_exit", other: "user_exit" },
    exitCount: 1,
    diesAtOnce: false,
  },
  // Never recorded: what its documents and its installer say.
  cursor: {
    launch: { runtime: "node", script: "cursor-agent/versions/2026.09.28/index.js" },
    payloadOf: (sample, { event, sessionId }) => ({
      ...sample,
      conversation_id: sessionId,
      hook_event_name: event,
    }),
    hookSettings: join(".cursor", "hooks.json"),
    transcript: (sessionId) => join(".cursor", `${sessionId}.none`),
    exitEvent: null,
    exitReasons: CLAUDE.exitReasons,
    exitCount: 0,
    diesAtOnce: false,
  },
  gemini: {
    launch: "script",
    payloadOf: withSnakeCase,
    hookSettings: join(".gemini", "settings.json"),
    transcript: (sessionId) => join(".gemini", "tmp", "project", "chats", `session-${sessionId}.jsonl`),
    exitEvent: "SessionEnd",
    exitReasons: { exit: "exit", other: "exit" },
    exitCount: 3,
    diesAtOnce: false,
  },
};

/** Agents without a profile of their own are played like Claude Code. */
export const profileOf = (agent: string): AgentProfile => PROFILES[agent] ?? CLAUDE;
