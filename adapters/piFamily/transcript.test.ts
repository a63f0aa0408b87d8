import { describe, expect, it } from "vitest";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { createOmpAdapter } from "../omp/index.ts";
import { createPiAdapter } from "../pi/index.ts";
import { recordedLog } from "../testkit/recordedLog.ts";
import { readEntries, TRANSCRIPT_HOME } from "../testkit/transcripts.ts";

const HEADER = { type: "session", version: 3, id: "s", cwd: "/home/dev/project" };
const text = (lines: readonly unknown[]): string =>
  `${lines.map((line) => JSON.stringify(line)).join("\n")}\n{"type":"mess`;
const message = (fields: Record<string, unknown>, more = {}) => ({
  type: "message",
  timestamp: "2026-11-21T05:16:20Z",
  message: fields,
  ...more,
});
const read = (adapter: AgentAdapter, lines: readonly unknown[]) => {
  const path = `${TRANSCRIPT_HOME}/.${adapter.agentType}/agent/sessions/--home-dev-project--/1_s.jsonl`;
  return readEntries(adapter, { [path]: text(lines) }, { transcriptPath: path });
};

describe.each([
  ["pi", createPiAdapter()],
  ["omp", createOmpAdapter()],
])("%s's session file", (_name, adapter) => {
  it("is shown as prompts, answers, calls and how they ended", async () => {
    const shown = await read(adapter, [
      HEADER,
      message({ role: "user", content: "hi" }),
      message({
        role: "assistant",
        stopReason: "toolUse",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "I look." },
          { type: "toolCall", id: "c", name: "bash", arguments: { command: "ls" } },
        ],
      }),
      message({ role: "toolResult", toolCallId: "c", content: [{ type: "text", text: "a" }] }),
      message({ role: "assistant", stopReason: "error", errorMessage: "400: no", content: [] }),
      message({ role: "user", content: [{ type: "text", text: "again" }] }),
      message({ role: "assistant", stopReason: "aborted", content: [{ type: "text", text: "par" }] }),
    ]);
    expect(shown).toEqual([
      "user: hi",
      "agent: I look.",
      "tool: bash ls",
      "note: 400: no",
      "user: again",
      "agent: par",
      "note: interrupted",
    ]);
  });

  it("is shown along the branch that is open now", async () => {
    const shown = await read(adapter, [
      HEADER,
      message({ role: "user", content: "one" }, { id: "a", parentId: null }),
      message({ role: "user", content: "given up" }, { id: "b", parentId: "a" }),
      { type: "model_change", id: "c", parentId: "a" },
      message({ role: "user", content: "two" }, { id: "d", parentId: "c" }),
    ]);
    expect(shown).toEqual(["user: one", "user: two"]);
  });

  it("with entries that name each other in a circle ends", async () => {
    const shown = await read(adapter, [
      HEADER,
      message({ role: "user", content: "one" }, { id: "a", parentId: "b" }),
      message({ role: "user", content: "two" }, { id: "b", parentId: "a" }),
    ]);
    expect(shown?.length).toBeLessThan(6);
  });

  it("is nothing elsewhere than in the agent's folder, and without its header", async () => {
    const files = { "/tmp/x.jsonl": text([HEADER, message({ role: "user", content: "hi" })]) };
    expect(await readEntries(adapter, files, { transcriptPath: "/tmp/x.jsonl" })).toBeNull();
    expect(await read(adapter, [message({ role: "user", content: "hi" })])).toBeNull();
  });
});

it.each([
  ["omp", createOmpAdapter()],
  ["pi", createPiAdapter()],
])("a recorded session of %s is shown from its first prompt to its last answer", async (name, adapter) => {
  const path = `${TRANSCRIPT_HOME}/.${name}/agent/sessions/-project/1_s.jsonl`;
  expect(
    await readEntries(adapter, { [path]: recordedLog(`${name}.jsonl`) }, { transcriptPath: path }),
  ).toEqual([
    "user: SAY hello from the lab",
    "agent: hello from the lab",
    "user: RUN echo hi",
    "tool: bash echo hi",
    expect.stringMatching(/^agent: DONE hi/),
    "user: SLOW 30",
    "agent: word1 word2 word3",
    "note: interrupted",
    "user: FAIL 400",
    expect.stringMatching(/^note: 400.*lab failure 400/),
    "user: WRITE made.txt",
    "tool: write made.txt",
    expect.stringMatching(/^agent: DONE /),
    "user: SAY done",
    "agent: done",
  ]);
});
