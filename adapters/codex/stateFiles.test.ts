import { describe, expect, it } from "vitest";
import type { StateFileRequest } from "../../core/ports/agentAdapter.ts";
import { memoryFiles } from "../testkit/memoryFiles.ts";
import { readCodexStateFile } from "./stateFiles.ts";

const STARTED = Date.parse("2026-11-21T05:16:00Z");
const SESSION = "01a1fc88-aba4-7151-ac19-55fbbb0c7489";
const ROLLOUT = `/home/dev/.codex/sessions/2026/11/21/rollout-2026-11-21T05-16-17-${SESSION}.jsonl`;

const line = (type: string, fields: Record<string, unknown> = {}, timestamp = "2026-11-21T05:16:20.123Z") =>
  JSON.stringify({ timestamp, type: "event_msg", payload: { type, turn_id: "t", ...fields } });
const STARTED_LINE = line("task_started");
const CALL = JSON.stringify({
  timestamp: "2026-11-21T05:16:21Z",
  type: "response_item",
  payload: { type: "function_call", name: "shell", arguments: '{"say":"\\"type\\":\\"task_complete\\""}' },
});

const read = (lines: readonly string[], more: Partial<StateFileRequest> = {}) => {
  return readCodexStateFile({
    files: memoryFiles({ [ROLLOUT]: `cut off"}\n${lines.join("\n")}\n` }),
    configDir: "/home/dev/.codex",
    process: { pid: 5, ppid: 1, comm: "codex", args: "codex", startedAt: STARTED },
    pane: {} as StateFileRequest["pane"],
    agentSessionId: SESSION,
    transcriptPath: ROLLOUT,
    cwd: "/home/dev/project",
    ...more,
  });
};

describe("Codex's rollout", () => {
  it.each([
    ["finished", line("task_complete", { last_agent_message: "hi" }), "completed", "turn_ended"],
    ["interrupted", line("turn_aborted", { reason: "interrupted" }), "idle", "interrupted"],
    [
      "failed",
      line("task_complete", { error: { message: "unexpected status 401 Unauthorized: x" } }),
      "error",
      "auth_failed",
    ],
    ["failed, told as text", line("task_complete", { error: "stream disconnected" }), "error", "api_error"],
  ])("tells that the last turn %s", async (_how, last, state, reasonCode) => {
    const reading = await read([STARTED_LINE, CALL, last]);
    expect(reading).toMatchObject({ status: { state, reasonCode }, request: null });
  });

  it("says nothing while a turn is open: a dialog that waits leaves no line", async () => {
    expect(await read([line("task_complete"), STARTED_LINE, CALL])).toBeNull();
  });

  it.each([
    ["another session's", {}, { agentSessionId: "01a1fc88-0000-7151-ac19-55fbbb0c7489" }],
    ["of no known session", {}, { agentSessionId: null }],
    ["not named by an event", {}, { transcriptPath: null }],
    ["missing", {}, { transcriptPath: `/gone/rollout-${SESSION}.jsonl` }],
  ])("is not used when it is %s", async (_what, _fields, more) => {
    expect(await read([line("task_complete")], more)).toBeNull();
  });

  it("does not count a turn from before this process", async () => {
    expect(await read([line("task_complete", {}, "2026-11-21T05:15:00Z")])).toBeNull();
    expect(await read([line("task_complete", {}, "yesterday")])).toBeNull();
  });

  it("reads no end into text that a tool or the agent wrote, nor into a half-written line", async () => {
    expect(await read([STARTED_LINE, CALL, line("task_complete").slice(0, -3)])).toBeNull();
    expect(await read([line("turn_aborted", { reason: "replaced" })])).toBeNull();
  });
});
