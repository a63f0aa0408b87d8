// The plugin file as each generation of opencode loads it. The loaders are played: that of 1.18.33 and older ones as their sources
// have it, that of OpenCode 2 by its documents, with events in the shape and order that others recorded with 2.0.16.
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { envelopeOf, toldBy } from "../testkit/events.ts";
import { EVENT_SCRIPT, memoryFiles } from "../testkit/memoryFiles.ts";
import { usePluginSpool } from "../testkit/pluginSpool.ts";
import { createOpencodeIntegration, opencodePluginSource } from "./integration.ts";
import { normalizeOpencode } from "./normalize.ts";

type Fields = Record<string, unknown>;
type Create = (context: unknown) => Promise<Fields>;

const spool = usePluginSpool();

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isCreate = (value: unknown): value is Create => typeof value === "function";
const callable = (value: unknown): Create => {
  if (!isCreate(value)) throw new TypeError("Plugin export is not a function");
  return value;
};

/** `version`: of the package that opencode keeps beside its plugins; null where there is none. */
const loadFile = async (version: string | null = null): Promise<Fields> => {
  if (version !== null) {
    const folder = join(spool.root, "node_modules", "@opencode-ai", "plugin");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.json"), JSON.stringify({ version }));
  }
  return spool.load(opencodePluginSource(spool.eventScript), "plugin/agtmux.mjs");
};

// opencode 1.

/** Up to 1.18.28: each export is called, one that is there twice only once. */
const byEveryExport = (module: Fields, context: Fields): Promise<Fields[]> =>
  Promise.all(Array.from(new Set(Object.values(module)), (entry) => callable(entry)(context)));

/** From 1.18.29 on: `server` of a default object, else each export. */
const byServer = async (module: Fields, context: Fields): Promise<Fields[]> => {
  const { default: one } = module;
  if (!isFields(one)) return byEveryExport(module, context);
  if (typeof one["id"] !== "string") throw new TypeError("Path plugin must export id");
  return [await callable(one["server"])(context)];
};

describe("opencode 1", () => {
  it.each([
    ["1.1.51", "1.1.51", byEveryExport],
    ["1.18.28", "1.18.28", byEveryExport],
    ["1.18.33", "1.18.33", byServer],
    ["1.19.0 without its package", null, byServer],
  ])("of version %s takes the plugin once and is told of by its events", async (_name, version, load) => {
    const all = await load(await loadFile(version), { directory: "/home/dev/project" });
    expect(all).toHaveLength(1);
    for (const hooks of all)
      await callable(hooks["event"])({
        event: { type: "session.status", properties: { sessionID: "s", status: { type: "busy" } } },
      });
    const [told] = await spool.untilWritten(1);
    expect(told).toMatchObject({ event: "session.status", payload: { directory: "/home/dev/project" } });
  });

  it("with the beginnings of the other loader in it is heard once", async () => {
    const module = await loadFile("1.18.33");
    const [hooks = {}] = await byServer(module, { directory: "/p" });
    const host = secondHost();
    await bySetup(module, host.context("/p"));
    await callable(hooks["event"])({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } });
    host.tell("session.execution.succeeded", { sessionID: "ses_1" });
    await host.quiet();
    expect((await spool.written()).map(({ event }) => event)).toEqual(["session.idle"]);
    expect(await bySetup(module, { agent: {} })).toBeUndefined();
  });
});

// OpenCode 2.

/** It wants an id and `setup` in a default object, and no function. */
const bySetup = async (module: Fields, context: Fields): Promise<unknown> => {
  const { default: one } = module;
  if (!isFields(one) || typeof one["id"] !== "string")
    throw new TypeError(
      "Plugin must export a default definition with an id and an effect or setup function.",
    );
  return callable(one["setup"])(context);
};

/** The background service: each instance of a plugin is told of every event, whichever folder it is for. */
const secondHost = (known: Fields = { ses_1: { id: "ses_1", location: { directory: "/home/dev/one" } } }) => {
  const listeners = new Set<(event: Fields) => void>();
  let count = 0;
  let asked = 0;
  const subscribe = () => {
    const waiting: Fields[] = [];
    let wake: (() => void) | null = null;
    const listener = (event: Fields): void => {
      waiting.push(event);
      wake?.();
    };
    listeners.add(listener);
    return {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          while (waiting.length === 0 && listeners.has(listener))
            await new Promise<void>((resolve) => (wake = resolve));
          const value = waiting.shift();
          return value === undefined ? { done: true, value: undefined } : { done: false, value };
        },
        return: async () => {
          listeners.delete(listener);
          wake?.();
          return { done: true, value: undefined };
        },
      }),
    };
  };
  return {
    context: (directory: string): Fields => ({
      location: { directory },
      event: { subscribe },
      session: {
        get: async ({ sessionID }: { sessionID: string }) => {
          asked += 1;
          if (!Object.hasOwn(known, sessionID)) throw new Error("not found");
          return known[sessionID];
        },
      },
    }),
    tell: (type: string, data: unknown, id = `evt_${(count += 1)}`) => {
      for (const listener of listeners) listener({ id, created: 1, type, data });
    },
    listening: () => listeners.size,
    asked: () => asked,
    /** Until nothing more can come. */
    quiet: () => new Promise((resolve) => setTimeout(resolve, 60)),
  };
};

const started = async (known?: Fields, folders: readonly string[] = ["/home/dev/one"]) => {
  const host = secondHost(known);
  const module = await loadFile();
  const cleanups = await Promise.all(folders.map((folder) => bySetup(module, host.context(folder))));
  return { ...host, cleanups };
};

/** What the adapter makes of all that was written, in a few words. */
const told = async () =>
  (await spool.written()).map(({ event = null, payload }) => {
    const all = normalizeOpencode(envelopeOf("opencode", event, payload), { confirmRequests: false });
    return `${event} ${all.signals.map(toldBy).join(" ")}`;
  });

const SESSION = { sessionID: "ses_1" };

describe("OpenCode 2", () => {
  it("is told of by a turn with a tool, from the prompt to the last words", async () => {
    const host = await started();
    host.tell("session.created", { ...SESSION, location: { directory: "/home/dev/one" }, agent: "build" });
    host.tell("session.inbox.enqueued", {
      ...SESSION,
      inboxID: "msg_1",
      item: { type: "user", payload: { text: "run the tests, please" }, delivery: "steer" },
    });
    host.tell("session.execution.started", SESSION);
    host.tell("session.inbox.delivered", { ...SESSION, inboxID: "msg_1" });
    host.tell("session.tool.input.started", { ...SESSION, id: "call_1", name: "shell" });
    host.tell("session.tool.called", { ...SESSION, id: "call_1", input: { command: "npm test" } });
    host.tell("session.text.delta", { ...SESSION, delta: "Do" });
    host.tell("session.tool.success", { ...SESSION, id: "call_1", content: [{ text: "secret output" }] });
    host.tell("session.text.ended", { ...SESSION, text: "All tests pass." });
    host.tell("session.execution.succeeded", SESSION);
    await spool.untilWritten(6);
    expect(await told()).toEqual([
      "session.created alive",
      "session.inbox.enqueued running/thinking",
      "session.execution.started running/thinking!",
      "session.tool.called running/tool",
      "session.tool.success running/thinking",
      "session.execution.succeeded completed/turn_ended!",
    ]);
    const events = await spool.written();
    const read = events.map(({ event = null, payload }) =>
      normalizeOpencode(envelopeOf("opencode", event, payload), { confirmRequests: false }),
    );
    expect(read[1]).toMatchObject({
      promptText: "run the tests, please",
      cwd: "/home/dev/one",
      sessionId: "ses_1",
    });
    expect(read[3]?.tool).toEqual({ name: "shell", subject: "npm test", hasEnded: false });
    expect(read[4]?.tool).toMatchObject({ name: "shell", hasEnded: true });
    expect(read[5]?.saidText).toBe("All tests pass.");
    expect(read.every(({ isExit }) => !isExit)).toBe(true);
    expect(JSON.stringify(events)).not.toContain("secret");
    expect(host.asked()).toBe(0);
  });

  it("asks by a permission and a form, which no key answers and none of which is whole", async () => {
    const host = await started();
    host.tell("permission.asked", {
      ...SESSION,
      id: "per_1",
      action: "shell",
      resources: ["touch hello.txt"],
      save: ["touch *"],
      source: { type: "tool", messageID: "m", id: "call_1" },
    });
    host.tell("permission.replied", { ...SESSION, requestID: "per_1", reply: "reject" });
    host.tell("session.execution.interrupted", { ...SESSION, reason: "shutdown" });
    host.tell("permission.asked", { ...SESSION, id: "per_2", action: "edit", resources: ["src/a.ts"] });
    const option = { value: "Tea", label: "Tea", description: "hot" };
    host.tell("form.created", {
      form: {
        id: "frm_1",
        ...SESSION,
        title: "Questions",
        metadata: { kind: "question" },
        fields: [
          { key: "q0", title: "Drink", description: "Tea or coffee?", type: "string", options: [option] },
        ],
      },
    });
    host.tell("form.cancelled", { ...SESSION, id: "frm_1" });
    await spool.untilWritten(6);
    expect(await told()).toEqual([
      "permission.asked asks permission_tool",
      "permission.replied running/thinking",
      "session.execution.interrupted idle/interrupted!",
      "permission.asked asks permission_edit",
      "form.created asks question",
      "form.cancelled running/thinking",
    ]);
    const asked = (await spool.written()).flatMap(({ event = null, payload }) =>
      normalizeOpencode(envelopeOf("opencode", event, payload), { confirmRequests: false }).signals.filter(
        (signal) => signal.kind === "request",
      ),
    );
    expect(asked.map(({ requestKey, confidence }) => `${requestKey} ${confidence}`)).toEqual([
      "per_1 medium",
      "per_2 medium",
      "frm_1 medium",
    ]);
    expect(asked[0]?.request).toMatchObject({
      kind: "command",
      title: "Shell command",
      body: "touch hello.txt",
      toolName: "shell",
    });
    expect(asked[2]?.request).toMatchObject({ title: "Tea or coffee?", options: [{ label: "Tea" }] });
    for (const { request } of asked) {
      expect(request).not.toHaveProperty("isWhole", true);
      expect(request.options.every(({ keys }) => keys === null)).toBe(true);
    }
  });

  it("tells a failure in its own words, a retry, and what goes on after an interruption", async () => {
    const host = await started();
    host.tell("session.retry.scheduled", {
      ...SESSION,
      attempt: 2,
      error: { message: "Connection refused" },
    });
    host.tell("session.execution.interrupted", { ...SESSION, reason: "superseded" });
    host.tell("session.execution.failed", {
      ...SESSION,
      error: { type: "provider.rate-limit", message: "Too many requests", status: 429 },
    });
    host.tell("session.execution.failed", { ...SESSION, error: { type: "other", message: "lab failure" } });
    await spool.untilWritten(4);
    expect(await told()).toEqual([
      "session.retry.scheduled running/retrying",
      "session.execution.interrupted alive",
      "session.execution.failed error/rate_limited!",
      "session.execution.failed error/api_error!",
    ]);
  });

  it("tells each event once, in order, whichever folder's instance sees it", async () => {
    const host = await started(undefined, ["/home/dev/one", "/home/dev/two", "/home/dev/three"]);
    for (let at = 0; at < 20; at += 1) host.tell("session.tool.called", { ...SESSION, id: `call_${at}` });
    const events = await spool.untilWritten(20);
    expect(events.map(({ payload }) => payload["callID"])).toEqual(
      Array.from({ length: 20 }, (_, at) => `call_${at}`),
    );
    expect(host.asked()).toBe(1);
  });

  it("tells a child by the root of its family, and says nothing of a session that nobody knows", async () => {
    const location = { directory: "/home/dev/one" };
    const host = await started({
      ses_1: { id: "ses_1", location },
      ses_2: { data: { id: "ses_2", parentID: "ses_1", location } },
      ses_4: { id: "ses_4", parentID: "ses_gone", location },
    });
    host.tell("session.created", { sessionID: "ses_3", parentID: "ses_2", location });
    for (const sessionID of ["ses_3", "ses_unknown", "ses_4", "global"])
      host.tell("session.execution.succeeded", { sessionID });
    host.tell("form.created", { form: { id: "frm_1", sessionID: "global", fields: [] } });
    await host.quiet();
    const events = await spool.untilWritten(2);
    expect(events.map(({ payload }) => payload["rootID"])).toEqual(["ses_1", "ses_1"]);
    const read = normalizeOpencode(
      envelopeOf("opencode", "session.execution.succeeded", events[1]!.payload),
      {
        confirmRequests: false,
      },
    );
    expect(read.sessionId).toBe("ses_1");
    expect(read.signals.map(toldBy)).toEqual(["alive!"]);
  });

  it("asks again for a session that could not be looked up when the person goes on with it", async () => {
    const known: Fields = {};
    const host = await started(known);
    host.tell("session.execution.started", SESSION);
    host.tell("session.execution.succeeded", SESSION);
    await vi.waitFor(() => expect(host.asked()).toBe(1));
    await host.quiet();
    known["ses_1"] = { id: "ses_1" };
    host.tell("session.inbox.enqueued", { ...SESSION, item: { type: "user", payload: { text: "go on" } } });
    host.tell("session.inbox.enqueued", { ...SESSION, item: { type: "synthetic", payload: { text: "x" } } });
    host.tell("session.execution.started", SESSION);
    expect((await spool.untilWritten(2)).map(({ event }) => event)).toEqual([
      "session.inbox.enqueued",
      "session.execution.started",
    ]);
  });

  it("survives whatever it is told, and stops listening when it is unloaded", async () => {
    const host = await started();
    for (const data of [undefined, null, 1, {}, { sessionID: {} }, { form: null }])
      for (const type of ["session.created", "form.created", "permission.asked", "session.execution.failed"])
        host.tell(type, data);
    host.tell("session.execution.started", SESSION);
    expect((await spool.untilWritten(1))[0]?.event).toBe("session.execution.started");
    for (const cleanup of host.cleanups) await callable(cleanup)(null);
    expect(host.listening()).toBe(0);
    host.tell("session.execution.succeeded", SESSION);
    await host.quiet();
    expect(await spool.written()).toHaveLength(1);
  });
});

/** As every version of agtmux marks its file. */
const withMark = (body: string): string =>
  `// agtmux integration, written by agtmux; sha256 ${createHash("sha256").update(body).digest("hex")}\n${body}`;

describe("an installed plugin of an older agtmux", () => {
  it("is replaced by set-up, and one that somebody edited is left alone", async () => {
    const integration = createOpencodeIntegration();
    const path = "/home/dev/.config/opencode/plugin/agtmux.js";
    const planFor = (text: string) =>
      integration.planInstall({
        files: memoryFiles({ [path]: text }),
        homeDir: "/home/dev",
        configDir: "/home/dev/.config/opencode",
        eventScript: EVENT_SCRIPT,
      });
    const [change] = await integration.planInstall({
      files: memoryFiles({}),
      homeDir: "/home/dev",
      configDir: "/home/dev/.config/opencode",
      eventScript: EVENT_SCRIPT,
    });
    const now = change?.after ?? "";
    const older = withMark(opencodePluginSource(EVENT_SCRIPT).split("\nexport default")[0] ?? "");
    expect(await planFor(older)).toEqual([{ path, before: older, after: now }]);
    expect(await planFor(now)).toEqual([]);
    await expect(planFor(`${older}// mine\n`)).rejects.toThrow("was edited after agtmux wrote it");
  });
});
