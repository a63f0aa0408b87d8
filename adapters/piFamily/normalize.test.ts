import { describe, expect, it } from "vitest";
import type { Envelope } from "../../core/model/envelope.ts";
import { envelopeOf } from "../testkit/events.ts";
import { fixtureFolder, loadRecording } from "../testkit/recordings.ts";
import { createGjcAdapter } from "../gjc/index.ts";
import { createOmpAdapter } from "../omp/index.ts";
import { createPiAdapter } from "../pi/index.ts";

const adapters = { gjc: createGjcAdapter(), omp: createOmpAdapter(), pi: createPiAdapter() };
type Agent = keyof typeof adapters;
const normalize = (agent: Agent, name: string, payload: Envelope["payload"]) =>
  adapters[agent].normalize(envelopeOf(agent, name, payload, { eventTime: 1_000 }), {
    confirmRequests: false,
  });
const statuses = (agent: Agent, frame: string): string[] => {
  return loadRecording(fixtureFolder(agent), frame)
    .events.flatMap(({ name, payload }) => normalize(agent, name, payload).signals)
    .flatMap((signal) =>
      signal.kind === "request" || signal.kind === "activity"
        ? signal.status === null
          ? []
          : [`${signal.status.state}/${signal.status.reasonCode}`]
        : [signal.kind],
    );
};

describe("recorded turns of the pi family", () => {
  it.each<[Agent, string, string]>([
    ["omp", "completed", "completed/turn_ended"],
    ["omp", "interrupted", "idle/interrupted"],
    ["omp", "error_400", "error/api_error"],
    ["omp", "running", "running/thinking"],
    ["omp", "tool_running", "running/tool"],
    ["omp", "waiting_approval", "waiting_approval/permission_tool"],
    ["omp", "waiting_input_question", "waiting_input/question"],
    ["omp", "idle_fresh", "idle/fresh"],
    ["pi", "completed", "completed/turn_ended"],
    ["pi", "error_400", "error/api_error"],
    ["pi", "tool_running", "running/tool"],
    ["pi", "waiting_approval_extension", "waiting_approval/permission_tool"],
  ])("%s: the events of %s end in %s", (agent, frame, expected) => {
    expect(statuses(agent, frame).findLast((status) => status !== "settled")).toBe(expected);
  });
});

describe("events of the pi family", () => {
  it("counts the leaving of a session as an exit only where the process leaves too", () => {
    expect(normalize("omp", "session_shutdown", {}).isExit).toBe(true);
    expect(normalize("pi", "session_shutdown", { reason: "quit" }).isExit).toBe(true);
    for (const reason of ["new", "resume", "fork", "reload"])
      expect(normalize("pi", "session_shutdown", { reason }).isExit, reason).toBe(false);
    expect(normalize("omp", "session_shutdown", { agent_id: "sub" }).isExit).toBe(false);
  });

  it("never ends the parent's turn by a sub-agent's end", () => {
    const message = { stopReason: "stop" };
    expect(normalize("omp", "agent_end", { agent_id: "sub", message }).signals).toMatchObject([
      { agentId: "sub", status: null },
    ]);
    expect(normalize("omp", "session_start", { agent_id: "sub" }).signals).toMatchObject([
      { agentId: "sub", status: null },
    ]);
  });

  it("takes a tool called ask for a question only where the agent has one itself", () => {
    const payload = { toolName: "ask", toolCallId: "c", input: { questions: [{ question: "Which?" }] } };
    expect(normalize("gjc", "tool_execution_start", payload).signals[0]?.kind).toBe("request");
    expect(normalize("pi", "tool_execution_start", payload).signals[0]?.kind).toBe("activity");
  });

  it("carries the agent's own time-out of a question", () => {
    const payload = { toolName: "ask", toolCallId: "c", askTimeoutSeconds: 30 };
    expect(normalize("omp", "tool_execution_start", payload).signals).toMatchObject([
      { request: { expiresAt: 31_000 } },
    ]);
  });

  it.each([1e308, -1, Number.NaN, { toString: 1 }, [[]], "soon"])("takes %j for no time-out", (value) => {
    const payload = { toolName: "ask", toolCallId: "c", askTimeoutSeconds: value };
    expect(normalize("omp", "tool_execution_start", payload).signals).toMatchObject([
      { request: { expiresAt: null } },
    ]);
    expect(normalize("omp", "auto_retry_start", { attempt: value, maxAttempts: value }).signals).toHaveLength(
      1,
    );
  });

  it("waits for the settling of pi and for the retry of gjc before it tells a failure", () => {
    const message = { stopReason: "error", errorMessage: "503 overloaded" };
    expect(normalize("pi", "agent_end", { message }).signals).toMatchObject([{ status: null }]);
    expect(normalize("gjc", "agent_end", { message }).signals).toMatchObject([
      { status: { reasonCode: "retrying" }, boundary: false },
    ]);
    expect(normalize("gjc", "auto_retry_end", { success: false, finalError: "503" }).signals).toMatchObject([
      { status: { state: "error" }, boundary: true },
    ]);
  });

  it("takes a request that the interrupt of a tool cut off for an interrupt", () => {
    const cut = { stopReason: "error", errorMessage: "This operation was aborted" };
    expect(normalize("pi", "agent_settled", { message: cut }).signals).toMatchObject([
      { status: { state: "idle", reasonCode: "interrupted" }, boundary: true },
    ]);
    const late = { stopReason: "error", errorMessage: "The operation was aborted due to timeout" };
    expect(normalize("pi", "agent_settled", { message: late }).signals).toMatchObject([
      { status: { state: "error" } },
    ]);
  });

  const asks = (event: string, payload: Record<string, unknown>) => {
    const [signal] = normalize("omp", event, { cwd: "/p", ...payload }).signals;
    return signal?.kind === "request" ? signal.request : undefined;
  };
  const approves = (toolName: string, input: unknown) =>
    asks("tool_approval_requested", { toolName, toolCallId: "c", input });

  it("tells where a command runs only of the tool that runs it here", () => {
    expect(approves("bash", { command: "ls" })?.runsIn).toBe("/p");
    expect(approves("ssh", { command: "ls" })?.runsIn).toBeUndefined();
  });

  it.each([
    ["bash", { command: "ls" }, { kind: "command", body: "ls", isWhole: true, runsIn: "/p" }],
    ["bash", { command: "ls", i: "look", cwd: "/p", timeout: 1 }, { kind: "command", isWhole: true }],
    ["bash", { command: "ls", env: { PATH: "/evil" } }, { kind: "command", hasMore: true }],
    ["bash", { command: "ls", cwd: "sub" }, { kind: "command", hasMore: true }],
    ["write", { path: "a", content: "x\n" }, { kind: "edit", body: "a", content: "+x", isWhole: true }],
    ["write", { path: "a", content: "x\n", mode: 7 }, { kind: "edit", body: "a", hasMore: true }],
    ["edit", { path: "a", oldText: "x", newText: "y" }, { body: "a", content: "-x\n+y", isWhole: true }],
    [
      "edit",
      {
        path: "a",
        edits: [
          { oldText: "x", newText: "y" },
          { oldText: "z", newText: "" },
        ],
      },
      { body: "a", content: "-x\n+y\n-z", isWhole: true },
    ],
    [
      "edit",
      { input: "[a.txt#2E55]\nPUT 1.=1:\n+x", path: "a.txt", paths: ["a.txt"] },
      { body: "a.txt", content: "PUT 1.=1:\n+x", isWhole: true },
    ],
    [
      "edit",
      { input: "[a.txt#2E55]\nPUT 1.=1:\n+x\n[b.txt]\n+y" },
      { body: "a.txt\nb.txt", content: "[a.txt#2E55]\nPUT 1.=1:\n+x\n[b.txt]\n+y", isWhole: true },
    ],
    ["edit", { path: "a", something: "else" }, { kind: "edit", body: "a", hasMore: true }],
    ["eval", { language: "py", code: "1" }, { body: "Language: python\nCode:\n1", isWhole: true }],
    ["search", { query: "x" }, { kind: "tool", body: "x" }],
  ])("tells what %s asks with %j", (toolName, input, expected) => {
    const request = approves(toolName, input);
    expect(request).toMatchObject({ title: `Allow tool: ${toolName}`, ...expected });
    expect([request?.isWhole, request?.hasMore]).toEqual([
      "isWhole" in expected ? true : undefined,
      "hasMore" in expected ? true : undefined,
    ]);
  });

  it("tells what the extension had to cut as not whole", () => {
    const cut = { toolName: "bash", toolCallId: "c", input: { command: "ls" }, isCut: true };
    expect(asks("tool_approval_requested", cut)).toMatchObject({ body: "ls", hasMore: true });
    expect(asks("tool_approval_requested", cut)?.isWhole).toBeUndefined();
    const questions = [{ question: "Which?", options: [] }];
    const asked = (more: object) =>
      asks("tool_execution_start", { toolName: "ask", input: { questions }, ...more });
    expect([asked({})?.isWhole, asked({ isCut: true })?.isWhole]).toEqual([true, undefined]);
    // As an extension did that was installed before it said so.
    expect(approves("bash", { command: "x".repeat(4_000) })).toMatchObject({ hasMore: true });
  });

  it("tells of an extension's dialog its own words, not what the held tool is given", () => {
    const calls = [{ toolName: "bash", input: { command: "rm -rf ~" } }];
    const title = "Allow command: ls\n  -l?";
    expect(asks("ui_prompt_start", { kind: "select", title, calls })).toMatchObject({
      kind: "other",
      title: "Allow command: ls -l?",
      body: title,
      isWhole: true,
    });
    expect(asks("ui_prompt_start", { kind: "confirm", title })?.isWhole).toBeUndefined();
  });

  it("tells what an edit would write that an extension alone holds up", () => {
    const write = { toolName: "write", input: { path: "a.ts", content: "one\n" } };
    const gate = (calls: unknown[]) => asks("ui_prompt_start", { kind: "select", title: "Allow?", calls });
    expect(gate([write])).toMatchObject({ kind: "other", body: "Allow?", content: "+one", isWhole: true });
    expect(gate([write, { toolName: "bash" }])?.content).toBeUndefined();
    expect(gate([write, { ...write, input: { path: "b.ts", content: "two" } }])?.content).toBeUndefined();
    expect(gate([{ toolName: "write" }])?.content).toBeUndefined();
  });

  it("tells an extension's question from its permission gate", () => {
    const stateOf = (payload: Record<string, unknown>) => {
      const [signal] = normalize("pi", "ui_prompt_start", payload).signals;
      return signal?.kind === "request" ? signal.status.state : null;
    };
    expect(stateOf({ kind: "input", title: "Name of the branch" })).toBe("waiting_input");
    expect(stateOf({ kind: "confirm", title: "Allow command: rm?" })).toBe("waiting_approval");
    expect(stateOf({ kind: "select", title: "rm?", calls: [{ toolName: "bash" }] })).toBe("waiting_approval");
    expect(stateOf({ kind: "select", title: "Which?", calls: [{ toolName: "survey" }] })).toBe(
      "waiting_input",
    );
  });
});
