import { expect, it } from "vitest";
import { recordedLog } from "../testkit/recordedLog.ts";
import { readEntries, TRANSCRIPT_HOME } from "../testkit/transcripts.ts";
import { createQwenAdapter } from "./index.ts";

const SESSION = "33809b9f-5e7a-4872-9486-242f1baf7226";
const LOG = `${TRANSCRIPT_HOME}/.qwen/projects/-home-dev-project/chats/${SESSION}.jsonl`;
const NAMED = { agentSessionId: SESSION, transcriptPath: LOG };
const adapter = createQwenAdapter();

it("shows what was said in a recorded session, also the turn that was cancelled", async () => {
  expect(await readEntries(adapter, { [LOG]: recordedLog("qwen.jsonl") }, NAMED)).toEqual([
    "user: SAY hello from the lab",
    "agent: hello from the lab",
    "user: RUN echo hi",
    "tool: run_shell_command echo hi",
    expect.stringMatching(/^agent: DONE /),
    "user: SLOW 30",
    expect.stringMatching(/^agent: word1 /),
    "user: FAIL 400",
    "user: WRITE made.txt",
    "tool: write_file /home/dev/project/made.txt",
    expect.stringMatching(/^agent: DONE /),
    "user: SAY done",
    "agent: done",
  ]);
});

it.each([
  ["no event named one", { agentSessionId: SESSION }],
  ["it is another session's", { ...NAMED, agentSessionId: "11111111-3f3a-40cf-925f-814b9d479929" }],
  ["it lies elsewhere", { ...NAMED, transcriptPath: `${TRANSCRIPT_HOME}/x/../${SESSION}.jsonl` }],
])("shows no log where %s", async (_why, request) => {
  expect(await readEntries(adapter, { [LOG]: recordedLog("qwen.jsonl") }, request)).toBeNull();
});
