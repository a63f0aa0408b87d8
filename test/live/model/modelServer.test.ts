// The scripted model in each protocol, as its agents speak it: what a prompt asks for comes back in the agent's own shape.
import { mkdtempSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { until } from "../../setup/realClock.ts";
import { appendTo, readExchanges } from "./modelLog.ts";
import { startModelServer } from "./modelServer.ts";

const logPath = join(mkdtempSync(join(tmpdir(), "agtmux-model-")), "log.jsonl");
let server: Awaited<ReturnType<typeof startModelServer>>;
let url = "";
beforeAll(async () => {
  server = await startModelServer({ port: 0, log: appendTo(logPath), thinkMs: 0 });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const post = (path: string, body: unknown, signal?: AbortSignal): Promise<Response> =>
  fetch(url + path, { method: "POST", body: JSON.stringify(body), ...(signal ? { signal } : {}) });
/** What stands at a path such as `1.delta.text`; undefined: nothing does. */
const pick = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], value);
const json = (text: unknown): unknown => JSON.parse(String(text));
/** What stands at the path in any of the events, joined. */
const joined = (events: readonly unknown[], path: string): string =>
  events.map((event) => z.string().catch("").parse(pick(event, path))).join("");
const doneItem = (events: readonly unknown[]): unknown =>
  pick(
    events.find((event) => pick(event, "type") === "response.output_item.done"),
    "item",
  );
/** The data of the events of a stream. */
const events = async (path: string, body: unknown): Promise<unknown[]> => {
  const text = await (await post(path, body)).text();
  return [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, data = ""]) =>
    data === "[DONE]" ? [] : [json(data)],
  );
};
const schema = (...names: string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
});

const anthropicBody = (content: unknown) => ({
  model: "m",
  stream: true,
  system: "Primary working directory: /home/p",
  messages: [{ role: "user", content }],
  tools: [
    { name: "Bash", input_schema: schema("command", "description") },
    { name: "Write", input_schema: schema("file_path", "content") },
  ],
});

describe("Messages (Claude Code)", () => {
  it("says what it is told to, ignoring what the agent added to the prompt", async () => {
    const got = await events(
      "/v1/messages",
      anthropicBody("SAY hello there <system-reminder>SAY no</system-reminder>"),
    );
    expect(joined(got, "delta.text")).toBe("hello there");
    expect(pick(got.at(-2), "delta.stop_reason")).toBe("end_turn");
  });

  it("runs a command by the agent's own tool, and hands its result back as the final text", async () => {
    const got = await events("/v1/messages", anthropicBody("RUN touch a.txt"));
    expect(pick(got, "1.content_block")).toMatchObject({ type: "tool_use", name: "Bash" });
    expect(json(pick(got, "2.delta.partial_json"))).toEqual({
      command: "touch a.txt",
      description: "Live command",
    });
    const result = [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "made it" }] }];
    const next = await events("/v1/messages", anthropicBody(result));
    expect(joined(next, "delta.text")).toBe("DONE made it");
  });

  it("goes by what the person wrote while a tool ran", async () => {
    const both = [
      { type: "tool_result", content: "x" },
      { type: "text", text: "SAY second" },
    ];
    const got = await events("/v1/messages", anthropicBody(both));
    expect(joined(got, "delta.text")).toBe("second");
  });

  it("writes into the folder that the agent works in", async () => {
    const got = await events("/v1/messages", anthropicBody("WRITE b.txt"));
    expect(json(pick(got, "2.delta.partial_json"))).toMatchObject({ file_path: "/home/p/b.txt" });
  });

  it("fails as its provider does", async () => {
    const response = await post("/v1/messages", anthropicBody("FAIL 429"));
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({
      error: { type: "rate_limit_error", message: "live failure 429" },
    });
  });

  it("answers a request for a title without looking at the prompt", async () => {
    const body = { ...anthropicBody("RUN touch a.txt"), stream: false, tools: [] };
    expect(await (await post("/v1/messages", body)).json()).toMatchObject({
      content: [{ type: "text", text: "Live session" }],
    });
  });
});

describe("Responses (Codex)", () => {
  const body = (input: unknown) => ({
    model: "m",
    stream: true,
    input,
    tools: [
      {
        type: "function",
        name: "exec_command",
        parameters: schema("cmd", "sandbox_permissions", "justification"),
      },
      {
        type: "namespace",
        name: "ui",
        tools: [{ type: "function", name: "request_user_input", parameters: schema("questions") }],
      },
    ],
  });
  const user = (text: string) => ({ role: "user", content: [{ type: "input_text", text }] });

  it("asks for a command outside of the sandbox where the prompt says so", async () => {
    const got = await events("/v1/responses", body([user("RUN touch a.txt !!")]));
    const item = doneItem(got);
    expect(item).toMatchObject({ type: "function_call", name: "exec_command" });
    expect(json(pick(item, "arguments"))).toMatchObject({
      cmd: "touch a.txt",
      sandbox_permissions: "require_escalated",
    });
  });

  it("passes over messages that the agent wrote in the person's name, and names a tool's group", async () => {
    const got = await events(
      "/v1/responses",
      body([user("ASK"), user("<environment_context>SAY no</environment_context>")]),
    );
    const item = doneItem(got);
    expect(item).toMatchObject({ name: "request_user_input", namespace: "ui" });
  });

  it("ends a turn after a tool's output", async () => {
    const got = await events(
      "/v1/responses",
      body([user("RUN x"), { type: "function_call_output", output: "fine" }]),
    );
    expect(got.at(-1)).toMatchObject({ type: "response.completed" });
    expect(pick(got.at(-1), "response.output.0.content.0.text")).toBe("DONE fine");
  });
});

describe("Chat Completions (opencode, Copilot, pi, oh-my-pi)", () => {
  const body = (messages: unknown) => ({
    model: "m",
    stream: true,
    messages,
    tools: [{ type: "function", function: { name: "question", parameters: schema("questions") } }],
  });

  it("asks the person by the agent's own tool, past reminders behind the prompt", async () => {
    const messages = [
      { role: "user", content: "ASK multi" },
      { role: "system", content: "SAY no" },
    ];
    const got = await events("/v1/chat/completions", body(messages));
    const call = pick(got, "1.choices.0.delta.tool_calls.0.function");
    expect(pick(call, "name")).toBe("question");
    expect(pick(json(pick(call, "arguments")), "questions")).toMatchObject([
      { multiple: true, options: [{ label: "Red" }, { label: "Blue" }] },
    ]);
  });

  it("says so where the agent has no such tool", async () => {
    const got = await events("/v1/chat/completions", body([{ role: "user", content: "PLAN" }]));
    expect(joined(got, "choices.0.delta.content")).toBe("(no tool for PLAN; tools: question)");
  });

  it("drops the connection in the middle of an answer", async () => {
    await expect(events("/v1/chat/completions", body([{ role: "user", content: "CUT" }]))).rejects.toThrow();
  });
});

describe("generateContent (Gemini CLI)", () => {
  it("streams text, calls tools, and gives its routers the JSON they ask for", async () => {
    const declared = {
      functionDeclarations: [{ name: "run_shell_command", parametersJsonSchema: schema("command") }],
    };
    const body = (text: string) => ({ contents: [{ role: "user", parts: [{ text }] }], tools: [declared] });
    const path = "/v1beta/models/g:streamGenerateContent";
    const part = "candidates.0.content.parts.0";
    expect(joined(await events(path, body("SAY hi")), `${part}.text`)).toBe("hi");
    const [called] = await events(path, body("RUN ls"));
    expect(pick(called, `${part}.functionCall`)).toMatchObject({ args: { command: "ls" } });
    const route = { contents: [], generationConfig: { responseMimeType: "application/json" } };
    const answer = await (await post("/v1beta/models/g:generateContent", route)).json();
    expect(json(pick(answer, `${part}.text`))).toMatchObject({ next_speaker: "user" });
  });
});

describe("the log", () => {
  it("knows a request that is open, one that was answered and one that the agent dropped", async () => {
    const stop = new AbortController();
    const slow = post("/v1/messages", anthropicBody("SLOW 30 n1"), stop.signal);
    await slow;
    const own = () => readExchanges(logPath).find(({ prompt }) => prompt.includes("SLOW 30 n1"));
    expect(own()).toMatchObject({ dialect: "anthropic", does: "text", ended: null });
    stop.abort();
    await until(() => own()?.ended?.how === "left", "the dropped request has an end");
    await events("/v1/messages", anthropicBody("SAY done n2"));
    const answered = () => readExchanges(logPath).find(({ prompt }) => prompt.includes("SAY done n2"));
    await until(() => answered()?.ended?.how === "finished", "the answered request has an end");
  });
});
