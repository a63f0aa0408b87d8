// Files of the form that Cline 3.0.65 writes, for the end of a turn and for whose session it is.
import { describe, expect, it } from "vitest";
import type { StateFileRequest } from "../../core/ports/agentAdapter.ts";
import { memoryFiles } from "../testkit/memoryFiles.ts";
import { somePane } from "../testkit/pane.ts";
import { readClineStateFiles, readClineTranscript, titleOfPrompt } from "./stateFiles.ts";

const ROOT = "/home/dev/.cline";
const says = (text: string) => ({ role: "user", content: [{ type: "text", text }], ts: 1_000 });
const typed = (text: string) => says(`<user_input mode="act">${text}</user_input>`);
const answer = (text: string, more: object = {}) => ({
  role: "assistant",
  content: [{ type: "text", text }],
  ts: 2_000,
  ...more,
});
const calls = {
  role: "assistant",
  content: [{ type: "tool_use", id: "c1", name: "run_commands", input: { commands: ["ls"] } }],
  ts: 1_500,
};
const result = {
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "c1", content: "x" }],
  ts: 1_600,
};

interface Kept {
  messages: readonly object[];
  status?: string;
  pid?: number;
  cwd?: string;
}

const requestWith = (
  sessions: Readonly<Record<string, Kept>>,
  more: { title?: string; args?: string; mtimeMs?: number } = {},
): StateFileRequest => {
  const texts = Object.entries(sessions).flatMap(([id, { messages, ...facts }]) => [
    [
      `${ROOT}/data/sessions/${id}/${id}.json`,
      JSON.stringify({ pid: 900, status: "idle", cwd: "/home/dev/project", ...facts }),
    ],
    [`${ROOT}/data/sessions/${id}/${id}.messages.json`, JSON.stringify({ version: 1, messages })],
  ]);
  const files = memoryFiles(Object.fromEntries(texts), { mtimeMs: more.mtimeMs ?? 60_000 });
  return {
    files: { ...files, list: () => Promise.resolve(Object.keys(sessions)) },
    configDir: ROOT,
    process: { pid: 50_001, ppid: 50_000, comm: "cline", args: more.args ?? "cline", startedAt: 50_000 },
    pane: somePane("%1", { title: more.title ?? "> fix it" }),
    agentSessionId: null,
    transcriptPath: null,
    cwd: "/home/dev/project",
  };
};
const statusOf = async (...args: Parameters<typeof requestWith>): Promise<string | null> => {
  const reading = await readClineStateFiles(requestWith(...args));
  return reading === null
    ? null
    : `${reading.status.state}/${reading.status.reasonCode} ${reading.confidence}`;
};

const ID = "1795950845378_qwvse";
const OTHER = "1795951985872_774kf";

describe("how a turn of Cline ended", () => {
  it.each([
    ["answered", [typed("fix it"), answer("done")], "completed/turn_ended medium"],
    ["stopped before a word", [typed("old"), answer("done"), typed("fix it")], "idle/interrupted high"],
    ["stopped in a tool", [typed("fix it"), calls, result], "idle/interrupted high"],
    [
      "failed",
      [typed("fix it"), answer("429 Too many requests", { metadata: { displayRole: "error" } })],
      "error/rate_limited high",
    ],
    ["called a tool", [typed("fix it"), calls], null],
  ])("%s", async (_, messages, expected) => {
    expect(await statusOf({ [ID]: { messages } })).toBe(expected);
  });

  it.each(["pending", "completed", "failed", "cancelled"])("is not told while it is %s", async (status) => {
    expect(await statusOf({ [ID]: { messages: [typed("fix it"), answer("done")], status } })).toBeNull();
  });
});

it("tells that a turn of Cline goes on, and nothing while it asks", async () => {
  const asks = { ...calls, content: [{ type: "tool_use", id: "c2", name: "ask_question", input: {} }] };
  const going = { messages: [typed("fix it"), calls, result], status: "running" };
  expect(await statusOf({ [ID]: going })).toBe("running/thinking medium");
  expect(await statusOf({ [ID]: { ...going, messages: [typed("fix it"), asks] } })).toBeNull();
});

describe("whose session it is", () => {
  const messages = [typed("fix it"), answer("done")];
  const known = "completed/turn_ended medium";

  it("is known by its newest prompt, and by folder, process or command line", async () => {
    expect(await statusOf({ [ID]: { messages } }, { title: "> fix that" })).toBeNull();
    expect(await statusOf({ [ID]: { messages, cwd: "/else" } })).toBeNull();
    expect(await statusOf({ [ID]: { messages, cwd: "/else", pid: 50_001 } })).toBe(known);
    expect(await statusOf({ [ID]: { messages, cwd: "/else" } }, { args: `cline --id ${ID}` })).toBe(known);
  });

  it("is nobody's where two may be meant, or where it is older than the process", async () => {
    expect(await statusOf({ [ID]: { messages }, [OTHER]: { messages } })).toBeNull();
    expect(await statusOf({ [ID]: { messages }, [OTHER]: { messages, status: "completed" } })).toBe(known);
    expect(await statusOf({ [ID]: { messages } }, { mtimeMs: 40_000 })).toBeNull();
  });

  it("is nobody's where a file is no JSON, has another form, or a name that is none", async () => {
    expect(await statusOf({ "../../etc": { messages } })).toBeNull();
    expect(await statusOf({ [ID]: { messages: [{ role: "system", content: [] }] } })).toBeNull();
    const request = requestWith({ [ID]: { messages } });
    const readText = (): Promise<string> => Promise.resolve('{"pid":900,"sta');
    expect(await readClineStateFiles({ ...request, files: { ...request.files, readText } })).toBeNull();
  });

  it("gives the title that Cline gives to a pane", () => {
    expect(titleOfPrompt("  fix\tit \nand that")).toBe("> fix it");
    expect(titleOfPrompt("x".repeat(100))).toBe(`> ${"x".repeat(75)}...`);
    expect(titleOfPrompt("x".repeat(78))).toHaveLength(80);
  });
});

it("tells the conversation without what the program put in", async () => {
  const messages = [typed("fix it"), calls, result, answer("done")];
  expect(await readClineTranscript(requestWith({ [ID]: { messages } }))).toMatchObject([
    { role: "user", text: "fix it", at: 1_000 },
    { role: "tool", text: expect.stringMatching(/^run_commands .*ls/) },
    { role: "agent", text: "done" },
  ]);
});
