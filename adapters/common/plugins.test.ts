import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { FORWARDED_EVENTS, extensionSource } from "../piFamily/integration.ts";
import { usePluginSpool } from "../testkit/pluginSpool.ts";
import { opencodePluginSource } from "../opencode/integration.ts";

type Handler = (event: unknown, context?: unknown) => unknown;

const spool = usePluginSpool();
const { load, written, untilWritten } = spool;

describe("the writer in a plugin", () => {
  const loadExtension = async () => {
    const module = await load(
      extensionSource("omp", [...FORWARDED_EVENTS], spool.eventScript, ".omp"),
      "agtmux.mjs",
    );
    const handlers = new Map<string, Handler>();
    const create = module["default"];
    if (typeof create !== "function") throw new Error("no extension");
    create({ on: (name: string, handler: Handler) => handlers.set(name, handler) });
    return (name: string, event: unknown, context: unknown = { hasUI: true, cwd: "/home/dev" }) =>
      handlers.get(name)?.(event, context);
  };

  it("writes the format of the event script, for the owner only, in order, complete or not at all", async () => {
    const tell = await loadExtension();
    for (let index = 0; index < 50; index += 1) tell("turn_start", { turnIndex: index });
    tell("turn_end", { message: { stopReason: "stop" } });
    const events = await untilWritten(51);
    expect(events.at(-1)?.event).toBe("turn_end");
    expect(events[0]?.header).toBe(
      `agtmux-event 1\nagent=omp\nevent=turn_start\ntmux=/tmp/sock,77,0\npane=%5\nppid=${process.pid}`,
    );
    const { mode } = await stat(join(spool.root, "spool", "new", events[0]?.name ?? ""));
    expect(mode & 0o777).toBe(0o600);
    expect(await readdir(join(spool.root, "spool", "tmp"))).toEqual([]);
  });

  it("returns nothing and never throws, whatever it is given, also without a spool", async () => {
    const tell = await loadExtension();
    await rm(join(spool.root, "spool"), { recursive: true });
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("no");
        },
      },
    );
    for (const event of [undefined, null, 1, "x", cyclic, hostile])
      expect(tell("tool_execution_start", event, hostile)).toBeUndefined();
    await tell("session_shutdown", {});
    expect(await readdir(spool.root)).toEqual(["agtmux.mjs"]);
  });

  it("forges no header line and cuts what is long", async () => {
    vi.stubEnv("TMUX", "/tmp/sock\npane=%9,77,0");
    const tell = await loadExtension();
    tell("before_agent_start", { prompt: "x".repeat(100_000) });
    const [event] = await untilWritten(1);
    expect(event?.header).toContain("\ntmux=\npane=%5\n");
    expect(event?.payload["prompt"]).toHaveLength(4_000);
    expect(event?.payload["isCut"]).toBe(true);
  });

  it("hands on the whole text of what a person is asked, or says that it had to cut it", async () => {
    const tell = await loadExtension();
    const ask = (toolCallId: string, args: unknown) => {
      tell("tool_execution_start", { toolName: "bash", toolCallId, args });
      tell("tool_approval_requested", { toolName: "bash", toolCallId });
    };
    ask("long", { command: "x".repeat(65_000) });
    ask("longer", { command: "x".repeat(80_000) });
    ask("many", { command: "x", list: Array<string>(41).fill("x") });
    ask("deep", { a: { b: { c: { d: { e: { f: 1 } } } } } });
    ask("huge", Object.fromEntries(Array.from({ length: 20 }, (_, at) => [at, "x".repeat(60_000)])));
    tell("ui_prompt_start", { kind: "select", title: `Allow command: ${"x".repeat(65_000)}?` });
    const events = (await untilWritten(11)).filter(({ event }) => event !== "tool_execution_start");
    expect(events.map(({ payload }) => payload["isCut"] ?? false)).toEqual([
      false,
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(events[0]?.payload["input"]).toEqual({ command: "x".repeat(65_000) });
    expect(JSON.stringify(events[4]?.payload).length).toBeLessThan(100_000);
  });

  it("names a held tool with a dialog, without what it is given", async () => {
    const tell = await loadExtension();
    const args = { command: "make", env: { TOKEN: "secret" }, stdin: "secret" };
    tell("tool_execution_start", { toolName: "bash", toolCallId: "c", args });
    tell("ui_prompt_start", { kind: "select", title: "Allow?" });
    const events = await untilWritten(2);
    expect(events[0]?.payload["subject"]).toBe("make");
    expect(events[1]?.payload["calls"]).toEqual([{ toolName: "bash" }]);
    expect(JSON.stringify(events)).not.toContain("secret");
  });

  it("tells with a dialog what an edit that it holds up would write, and leaves it out where it is cut", async () => {
    const tell = await loadExtension();
    const edit = { path: "a.ts", edits: [{ oldText: "one", newText: "two" }] };
    tell("tool_execution_start", { toolName: "edit", toolCallId: "c", args: edit });
    tell("tool_execution_start", {
      toolName: "write",
      toolCallId: "d",
      args: { content: "x".repeat(80_000) },
    });
    tell("ui_prompt_start", { kind: "select", title: "Allow?" });
    const [, , asked] = await untilWritten(3);
    expect(asked?.payload["calls"]).toEqual([{ toolName: "edit", input: edit }, { toolName: "write" }]);
    expect(asked?.payload["isCut"]).toBeUndefined();
  });

  it("has written everything when the agent is told that its exit may go on", async () => {
    const tell = await loadExtension();
    for (let index = 0; index < 20; index += 1) tell("turn_start", {});
    await tell("session_shutdown", { reason: "quit" });
    expect(await written()).toHaveLength(21);
  });

  it("adds the tool's input, how the last answer ended, and who speaks", async () => {
    Reflect.deleteProperty(globalThis, Symbol.for("agtmux.omp"));
    const tell = await loadExtension();
    tell("tool_execution_start", { toolName: "bash", toolCallId: "c", args: { command: "ls" } });
    tell("tool_approval_requested", { toolName: "bash", toolCallId: "c" });
    tell("turn_end", { message: { stopReason: "error", errorMessage: "401", content: ["secret"] } });
    tell("agent_settled", {});
    const events = await untilWritten(4);
    expect(events.map(({ payload }) => payload["input"])).toEqual([
      undefined,
      { command: "ls" },
      undefined,
      undefined,
    ]);
    expect(events[3]?.payload["message"]).toEqual({ stopReason: "error", errorMessage: "401" });
    expect(JSON.stringify(events)).not.toContain("secret");
    const again = await load(extensionSource("omp", ["agent_start"], spool.eventScript, null), "again.mjs");
    const create = again["default"];
    if (typeof create !== "function") throw new Error("no extension");
    const sessionManager = { getSessionId: () => "sub" };
    create({ on: (_name: string, handler: Handler) => handler({}, { hasUI: false, sessionManager }) });
    const all = await untilWritten(5);
    expect(all.flatMap(({ payload }) => payload["agent_id"] ?? [])).toEqual(["sub"]);
  });
});

describe("the time-out of a question", () => {
  it.each([
    ["ask.timeout: 45\n", 45],
    ["theme: x\nask:\n  notify: on\n  timeout: 20\nretry:\n  timeout: 9\n", 20],
    ["ask:\n  notify: on\nretry:\n  timeout: 9\n", undefined],
    ["ask.timeout: 0\n", undefined],
    ["", undefined],
  ])("is read from %j", async (config, expected) => {
    vi.stubEnv("HOME", spool.root);
    await mkdir(join(spool.root, ".omp", "agent"), { recursive: true });
    await writeFile(join(spool.root, ".omp", "agent", "config.yml"), config);
    const module = await load(
      extensionSource("omp", [...FORWARDED_EVENTS], spool.eventScript, ".omp"),
      "agtmux.mjs",
    );
    const handlers = new Map<string, Handler>();
    const create = module["default"];
    if (typeof create !== "function") throw new Error("no extension");
    create({ on: (name: string, handler: Handler) => handlers.set(name, handler) });
    handlers.get("agent_start")?.({});
    await vi.waitFor(async () => {
      handlers.get("tool_execution_start")?.({ toolName: "ask", toolCallId: "c", args: {} });
      await handlers.get("session_shutdown")?.({});
      const asked = (await written()).filter(({ event }) => event === "tool_execution_start");
      expect(asked.at(-1)?.payload["askTimeoutSeconds"]).toBe(expected);
    });
  });
});

describe("opencode's plugin", () => {
  const loadPlugin = async () => {
    const module = await load(opencodePluginSource(spool.eventScript), "opencode.mjs");
    const create = module["AgtmuxPlugin"];
    if (typeof create !== "function") throw new Error("no plugin");
    const hooks: Record<string, Handler> = await create({ directory: "/home/dev/project" });
    return {
      hooks,
      tell: (type: string, properties: unknown) => hooks["event"]?.({ event: { type, properties } }),
    };
  };
  const idleOf = (sessionID: string) => ({ sessionID, status: { type: "idle" } });

  it("tells a child session by its parent, also one that it met only later", async () => {
    const { tell } = await loadPlugin();
    tell("session.updated", { info: { id: "child", parentID: "root" } });
    tell("permission.asked", { id: "per_1", sessionID: "child", permission: "bash" });
    tell("session.idle", { sessionID: "root" });
    const events = await untilWritten(2);
    expect(events.map(({ payload }) => payload["parentID"])).toEqual(["root", null]);
  });

  it("says with the end of a turn how it went wrong, and forgets it with the next prompt", async () => {
    const { tell, hooks } = await loadPlugin();
    tell("session.error", { sessionID: "s", error: { name: "MessageAbortedError", data: {} } });
    tell("session.status", idleOf("s"));
    tell("session.idle", { sessionID: "s" });
    hooks["chat.message"]?.({ sessionID: "s" });
    tell("permission.replied", { sessionID: "s", requestID: "p", reply: "reject" });
    tell("session.status", { sessionID: "s", status: { type: "busy" } });
    tell("session.idle", { sessionID: "s" });
    tell("question.rejected", { sessionID: "q", requestID: "r" });
    tell("session.idle", { sessionID: "q" });
    const events = await untilWritten(9);
    const names = (index: number) => events[index]?.payload;
    expect(names(1)).toMatchObject({ error: { name: "MessageAbortedError" }, isOtherBusy: false });
    expect(names(2)).toMatchObject({ error: { name: "MessageAbortedError" } });
    expect(names(6)).toMatchObject({ isRejected: true });
    expect(names(8)).toMatchObject({ isRejected: true });
  });

  it("says when another root session goes on working", async () => {
    const { tell } = await loadPlugin();
    tell("session.status", { sessionID: "a", status: { type: "busy" } });
    tell("session.idle", { sessionID: "b" });
    expect((await untilWritten(2))[1]?.payload["isOtherBusy"]).toBe(true);
  });

  it("adds what the call that asks is given, but to an edit, which its difference tells", async () => {
    const { tell, hooks } = await loadPlugin();
    hooks["tool.execute.before"]?.({ tool: "bash", callID: "c" }, { args: { command: "ls", workdir: "/x" } });
    hooks["tool.execute.before"]?.({ tool: "edit", callID: "d" }, { args: { oldString: "a" } });
    const metadata = { filepath: "a", diff: "x".repeat(60_000) };
    tell("permission.asked", { id: "p", metadata: { command: "ls" }, tool: { callID: "c" } });
    tell("permission.asked", { id: "q", metadata, tool: { callID: "d" } });
    hooks["tool.execute.after"]?.({ callID: "c" });
    tell("permission.asked", { id: "r", metadata: {}, tool: { callID: "c" } });
    const asked = (await untilWritten(6)).filter(({ event }) => event === "permission.asked");
    expect(asked.map(({ payload }) => payload["args"])).toEqual([
      { command: "ls", workdir: "/x" },
      undefined,
      undefined,
    ]);
    expect(asked[1]?.payload["metadata"]).toEqual(metadata);
  });

  it("tells the prompt, what a tool works on, and the last words of the turn", async () => {
    const { tell, hooks } = await loadPlugin();
    const part = (text: string, more = {}) => ({ part: { sessionID: "s", type: "text", text, ...more } });
    await hooks["chat.message"]?.(
      { sessionID: "s" },
      {
        parts: [
          { type: "text", text: "fix it" },
          { type: "text", text: "file", synthetic: true },
          { type: "file" },
        ],
      },
    );
    await hooks["tool.execute.before"]?.(
      { sessionID: "s", tool: "bash", callID: "c" },
      { args: { command: "x".repeat(400) } },
    );
    await tell("message.part.updated", part("Do", { time: { start: 1 } }));
    await tell("message.part.updated", part("Done.", { time: { start: 1, end: 2 } }));
    await tell("session.idle", { sessionID: "s" });
    await vi.waitFor(async () => expect(await written()).toHaveLength(3));
    const events = await written();
    expect(events.map(({ payload }) => payload["prompt"] ?? payload["subject"] ?? payload["said"])).toEqual([
      "fix it",
      "x".repeat(300),
      "Done.",
    ]);
  });

  it("never throws and keeps what nobody is asked about to itself", async () => {
    const { tell, hooks } = await loadPlugin();
    for (const properties of [undefined, null, 1, { sessionID: {} }])
      await tell("session.status", properties);
    await hooks["event"]?.(undefined);
    await hooks["tool.execute.before"]?.(undefined);
    await hooks["tool.execute.before"]?.({ tool: "write", callID: "c" }, { args: { content: "secret" } });
    await hooks["tool.execute.after"]?.({ tool: "read", callID: "c" }, { output: "secret" });
    await vi.waitFor(async () =>
      expect((await written()).map(({ event }) => event)).toContain("tool.execute.after"),
    );
    expect(JSON.stringify(await written())).not.toContain("secret");
  });
});
