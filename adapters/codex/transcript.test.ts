import { expect, it } from "vitest";
import { logText, readEntries } from "../testkit/transcripts.ts";
import { createCodexAdapter } from "./index.ts";

const SESSION = "01a1fc88-aba4-7151-ac19-55fbbb0c7489";
const ROLLOUT = `/home/dev/.codex/sessions/2026/11/21/rollout-2026-11-21T05-16-17-${SESSION}.jsonl`;
const named = { transcriptPath: ROLLOUT, agentSessionId: SESSION };
const adapter = createCodexAdapter();
const line = (type: string, payload: unknown) => ({ timestamp: "2026-11-21T05:16:20Z", type, payload });
const event = (type: string, fields = {}) => line("event_msg", { type, ...fields });
const item = (type: string, fields = {}) => line("response_item", { type, ...fields });
const says = (role: string, type: string, text: string) =>
  item("message", { role, content: [{ type, text }] });
const INSTRUCTIONS = says("user", "input_text", "<environment_context>cwd</environment_context>");
const read = (...lines: unknown[]) => readEntries(adapter, { [ROLLOUT]: logText(lines) }, named);

it("shows prompts, answers, calls and how turns ended", async () => {
  const shown = await read(
    line("session_meta", { id: SESSION }),
    INSTRUCTIONS,
    says("user", "input_text", "hi"),
    event("user_message", { message: "hi" }),
    item("reasoning", { summary: [] }),
    item("function_call", { name: "shell", arguments: '{"command":["bash","-lc","ls"]}' }),
    item("function_call_output", { output: "a" }),
    item("custom_tool_call", { name: "apply_patch", input: "*** Begin Patch\n*** Add File: a" }),
    item("function_call", { name: "odd", arguments: "not json" }),
    says("assistant", "output_text", "done"),
    event("agent_message", { message: "done" }),
    event("task_complete", { error: { message: "unexpected status 401" } }),
    event("turn_aborted", { reason: "interrupted" }),
  );
  expect(shown).toEqual([
    "user: hi",
    "tool: shell bash -lc ls",
    "tool: apply_patch *** Begin Patch *** Add File: a",
    "tool: odd not json",
    "agent: done",
    "note: unexpected status 401",
    "note: interrupted",
  ]);
});

it("takes the model's own items where there are no events, without what nobody typed", async () => {
  const shown = await read(
    INSTRUCTIONS,
    says("user", "input_text", "# AGENTS.md instructions for x"),
    says("user", "input_text", "hi"),
    says("assistant", "output_text", "done"),
  );
  expect(shown).toEqual(["user: hi", "agent: done"]);
});

it("is nothing for another session's rollout and for one that says nothing", async () => {
  const files = { [ROLLOUT]: logText([event("user_message", { message: "hi" })]) };
  expect(await readEntries(adapter, files, { ...named, agentSessionId: "other" })).toBeNull();
  expect(await readEntries(adapter, files, {})).toBeNull();
  expect(await read(event("token_count"))).toBeNull();
});
