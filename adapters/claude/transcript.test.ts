import { expect, it } from "vitest";
import { logText, readEntries, TRANSCRIPT_HOME } from "../testkit/transcripts.ts";
import { createClaudeAdapter } from "./index.ts";

const SESSION = "04410b52-d984-4402-87ca-299d79f6c462";
const LOG = `${TRANSCRIPT_HOME}/.claude/projects/-home-dev-my-project/${SESSION}.jsonl`;
const adapter = createClaudeAdapter();
const user = (content: unknown, more = {}) => ({
  type: "user",
  timestamp: "2026-11-21T05:16:20.123Z",
  message: { role: "user", content },
  ...more,
});
const agent = (...content: unknown[]) => ({ type: "assistant", message: { role: "assistant", content } });
const LINES = [
  { type: "summary", summary: "older", leafUuid: "x" },
  user("what the program says by itself", { isMeta: true }),
  user("fix the \u001b[31mbug\u001b[0m\nplease"),
  agent({ type: "thinking", thinking: "secret thoughts" }, { type: "text", text: "I look." }),
  agent({ type: "tool_use", id: "t1", name: "Bash", input: { command: "ls  -la\n", description: "list" } }),
  user([{ type: "tool_result", tool_use_id: "t1", content: "a file" }]),
  agent({ type: "text", text: "And then." }, { type: "tool_use", name: "TodoWrite", input: {} }),
  { ...agent({ type: "text", text: "sub-agent" }), isSidechain: true },
  user([{ type: "text", text: "[Request interrupted by user for tool use]" }]),
  user("The session so far", { isCompactSummary: true }),
  { type: "system", subtype: "turn_duration", durationMs: 5 },
  { type: "assistant", message: { role: "assistant", content: 7 } },
  { type: "user", message: "odd" },
];
const SHOWN = [
  "user: fix the [31mbug[0m\nplease",
  "agent: I look.",
  "tool: Bash ls -la",
  "agent: And then.",
  "tool: TodoWrite",
  "note: interrupted",
  "note: The session so far",
];
const sessionFile = (more = {}) => ({
  [`${TRANSCRIPT_HOME}/.claude/sessions/42.json`]: JSON.stringify({
    pid: 42,
    sessionId: SESSION,
    cwd: "/home/dev/my.project",
    startedAt: Date.parse("2026-11-21T05:16:01Z"),
    ...more,
  }),
});
const files = { [LOG]: logText(LINES) };

it("shows prompts, answers, calls in one line and what interrupted them, and nothing of the rest", async () => {
  const named = { transcriptPath: LOG, agentSessionId: SESSION };
  expect(await readEntries(adapter, files, named)).toEqual(SHOWN);
});

it("finds the log by the process's own session file where no event named it", async () => {
  expect(await readEntries(adapter, { ...files, ...sessionFile() })).toEqual(SHOWN);
});

it.each([
  ["another session's", {}, { transcriptPath: LOG, agentSessionId: "83b1d8fc-7fe8-4f86-95c7-b666b401394a" }],
  ["found through a file of another process", sessionFile({ pid: 43 }), {}],
  ["found through a file that a former process of this pid left", sessionFile({ startedAt: 5 }), {}],
  ["named by a session that is no name", sessionFile({ sessionId: "../../../etc/passwd" }), {}],
  ["not named at all", {}, {}],
])("is nothing where the log is %s", async (_what, more, request) => {
  expect(await readEntries(adapter, { ...files, ...more }, request)).toBeNull();
});

it("is nothing where no line of the log is known", async () => {
  const strange = { [LOG]: logText([{ type: "new", what: "ever" }]) };
  expect(await readEntries(adapter, strange, { transcriptPath: LOG, agentSessionId: SESSION })).toBeNull();
});
