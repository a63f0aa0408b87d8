import { expect, it } from "vitest";
import { recordedLog } from "../testkit/recordedLog.ts";
import { readEntries, TRANSCRIPT_HOME } from "../testkit/transcripts.ts";
import { createGeminiAdapter } from "./index.ts";

const SESSION = "4b6e8189-3f3a-40cf-925f-814b9d479929";
const LOG = `${TRANSCRIPT_HOME}/.gemini/tmp/project/chats/session-2026-11-22T23-13-4b6e8189.jsonl`;
const NAMED = { agentSessionId: SESSION, transcriptPath: LOG };
const adapter = createGeminiAdapter();
const HEADER = { sessionId: SESSION, kind: "main" };
const text = (...lines: unknown[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

it("shows what was said in a recorded session, each message once, also the turn that was cancelled", async () => {
  expect(await readEntries(adapter, { [LOG]: recordedLog("gemini.jsonl") }, NAMED)).toEqual([
    "user: SAY hello from the lab",
    "agent: hello from the lab",
    "user: RUN echo hi",
    "tool: run_shell_command echo hi",
    expect.stringMatching(/^agent: DONE /),
    "user: SLOW 30",
    "note: Request cancelled.",
    "user: FAIL 400",
    expect.stringMatching(/^note: \[API Error: .*lab failure 400/),
    expect.stringMatching(/^note: This request failed\./),
    "user: WRITE made.txt",
    "tool: write_file made.txt",
    expect.stringMatching(/^agent: DONE /),
    "user: SAY done",
    "agent: done",
  ]);
});

it("shows the history of a resumed session once", async () => {
  const old = { id: "a", type: "user", content: [{ text: "before" }] };
  const log = text(
    HEADER,
    { $set: { messages: [old] } },
    { id: "b", type: "user", content: "now" },
    { $set: { messages: [old] } },
  );
  expect(await readEntries(adapter, { [LOG]: log }, NAMED)).toEqual(["user: before", "user: now"]);
});

it.each([
  ["no event named one", { agentSessionId: SESSION }],
  ["it is another session's", { ...NAMED, agentSessionId: "11111111-3f3a-40cf-925f-814b9d479929" }],
  ["it lies elsewhere", { ...NAMED, transcriptPath: `${TRANSCRIPT_HOME}/x/chats/../y.jsonl` }],
])("shows no log where %s", async (_why, request) => {
  const log = text(HEADER, { id: "b", type: "user", content: "now" });
  expect(await readEntries(adapter, { [LOG]: log }, request)).toBeNull();
});
