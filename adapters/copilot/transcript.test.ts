import { expect, it } from "vitest";
import { logText, readEntries, TRANSCRIPT_HOME } from "../testkit/transcripts.ts";
import { createCopilotAdapter } from "./index.ts";

const SESSION = "eef7fd97-cbe1-46a2-9377-81807ee4c851";
const ROOT = `${TRANSCRIPT_HOME}/.copilot`;
const LOG = `${ROOT}/session-state/${SESSION}/events.jsonl`;
const adapter = createCopilotAdapter();
const line = (type: string, data = {}, more = {}) => ({
  type,
  data,
  timestamp: "2026-11-21T05:25:00.000Z",
  ...more,
});
const TEXT = logText([
  line("session.start"),
  line("user.message", { content: "build it" }),
  line("assistant.turn_start", { turnId: "0" }),
  line("assistant.message", { content: "" }),
  line("tool.execution_start", { toolCallId: "c1", toolName: "bash", arguments: { command: "make" } }),
  line("tool.execution_complete", { toolCallId: "c1" }),
  line("assistant.message", { content: "sub" }, { agentId: "sub" }),
  line("assistant.message", { content: "done" }),
  line("session.error", { message: "400 bad" }),
  line("abort", { reason: "user_abort" }),
]);
const SHOWN = ["user: build it", "tool: bash make", "agent: done", "note: 400 bad", "note: interrupted"];

it("shows prompts, answers, calls, errors and interrupts of the session that the hooks named", async () => {
  expect(await readEntries(adapter, { [LOG]: TEXT }, { agentSessionId: SESSION })).toEqual(SHOWN);
});

it("finds the session by the lock that bears the process's id, and no other", async () => {
  const open = { [`${ROOT}/open-sessions-state.json`]: JSON.stringify({ [SESSION]: { working: false } }) };
  const lock = { [`${ROOT}/session-state/${SESSION}/inuse.42.lock`]: "" };
  expect(await readEntries(adapter, { [LOG]: TEXT, ...open, ...lock })).toEqual(SHOWN);
  expect(await readEntries(adapter, { [LOG]: TEXT, ...open })).toBeNull();
});

it("names a tool whose arguments are nested deeper than can be shown", async () => {
  const depth = 20_000;
  const nested = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  const call = JSON.stringify(
    line("tool.execution_start", { toolCallId: "c1", toolName: "bash", arguments: 0 }),
  );
  const log = `\n${call.replace('"arguments":0', `"arguments":${nested}`)}\n`;
  expect(await readEntries(adapter, { [LOG]: log }, { agentSessionId: SESSION })).toEqual(["tool: bash"]);
});

it("is nothing where the log holds nothing that is known", async () => {
  const files = { [LOG]: logText([line("something.new")]) };
  expect(await readEntries(adapter, files, { agentSessionId: SESSION })).toBeNull();
});
