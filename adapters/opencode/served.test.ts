import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import type { StateFileRequest } from "../../core/ports/agentAdapter.ts";
import { memoryFiles } from "../testkit/memoryFiles.ts";
import { usePluginSpool } from "../testkit/pluginSpool.ts";
import { createOpencodeIntegration, opencodePluginSource } from "./integration.ts";
import { opencodeBackground, readOpencodeNote } from "./served.ts";

const ID = "ses_ddc480516ffeU2xGXq8ZeGLVCG";
const CONFIG = "/home/dev/.config/opencode";
const PATH = `${CONFIG}/agtmux/sessions/${ID}.json`;
const spool = usePluginSpool();
const { argv } = process;
const folder = (): string => join(spool.root, "agtmux", "sessions");
type Tell = (type: string, properties: object) => Promise<void>;

/** The plugin in a process that was started with these words. */
const startIn = (...words: string[]): Promise<Tell> => startAt(new URL("http://127.0.0.1:4097/"), words);

const startAt = async (serverUrl: URL | undefined, words: readonly string[]): Promise<Tell> => {
  process.argv = ["bun", "index.js", ...words];
  const module = await spool.load(opencodePluginSource(spool.eventScript), "plugin/agtmux.mjs");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as opencode calls it
  const create = module["AgtmuxPlugin"] as (
    context: object,
  ) => Promise<{ event: (it: object) => Promise<void> }>;
  const hooks = await create({ directory: "/home/dev/shop", serverUrl });
  return (type, properties) => hooks.event({ event: { type, properties } });
};
const noteOf = async (id = ID): Promise<string> => readFile(join(folder(), `${id}.json`), "utf8");
const untilNoted = (part: object): Promise<void> =>
  vi.waitFor(async () => expect(JSON.parse(await noteOf())).toMatchObject(part));

const read = async (text: string, mtimeMs = Date.now()) => {
  const files = memoryFiles({ [PATH]: text }, { mtimeMs });
  return opencodeBackground.read({ files, configDir: CONFIG, name: `${ID}.json` });
};
const processOf = (args: string, startedAt = 0): ProcessInfo => ({
  pid: process.pid,
  ppid: 1,
  comm: "opencode",
  args,
  startedAt,
});

afterEach(() => {
  process.argv = argv;
});

describe("a server of opencode", () => {
  it("notes each of its sessions at work, and what it is asked", async () => {
    const tell = await startIn("--print-logs", "serve", "--port", "4097");
    await tell("session.status", { sessionID: ID, status: { type: "busy" } });
    await tell("session.updated", { info: { id: ID, title: "Make the file" } });
    await untilNoted({ isBusy: true, asks: null, title: "Make the file" });
    expect(await read(await noteOf())).toMatchObject({
      id: ID,
      sessionId: ID,
      title: "Make the file",
      cwd: "/home/dev/shop",
      isAtWork: true,
    });
    await tell("permission.asked", { id: "per_1", sessionID: ID, permission: "bash" });
    await untilNoted({ asks: "permission" });
    await tell("permission.replied", { sessionID: ID, requestID: "per_1", reply: "once" });
    await untilNoted({ asks: null, isBusy: true });
    await tell("session.idle", { sessionID: ID });
    await untilNoted({ isBusy: false });
    expect(await readdir(folder())).toEqual([`${ID}.json`]);
  });

  it("notes what a sub-agent asks for the session that began it, which alone is one", async () => {
    const tell = await startIn("serve");
    await tell("session.created", { sessionID: "ses_child", info: { id: "ses_child", parentID: ID } });
    await tell("session.status", { sessionID: "ses_child", status: { type: "busy" } });
    await tell("question.asked", { id: "q_1", sessionID: "ses_child" });
    await untilNoted({ asks: "question" });
    expect(await readdir(folder())).toEqual([`${ID}.json`]);
  });

  it("notes none that only rested here, and none whose name is no name", async () => {
    const tell = await startIn("web");
    await tell("session.updated", { info: { id: ID, title: "An old one" } });
    for (const sessionID of ["../../plugin/agtmux", "a/b", "", 7])
      await tell("session.status", { sessionID, status: { type: "busy" } });
    await spool.untilWritten(4);
    await expect(readdir(folder())).rejects.toThrow("ENOENT");
  });

  it("is none where it runs in a terminal: nothing is noted", async () => {
    const tell = await startIn("/home/dev/shop");
    await tell("session.status", { sessionID: ID, status: { type: "busy" } });
    await spool.untilWritten(1);
    await expect(readdir(folder())).rejects.toThrow("ENOENT");
  });

  it("that does not say where it listens tells its events all the same", async () => {
    const tell = await startAt(undefined, ["serve"]);
    await tell("session.status", { sessionID: ID, status: { type: "busy" } });
    await spool.untilWritten(1);
    await expect(readdir(folder())).rejects.toThrow("ENOENT");
  });

  it("whose plugin was uninstalled removes a note instead of writing it", async () => {
    const tell = await startIn("serve");
    await tell("session.status", { sessionID: ID, status: { type: "busy" } });
    await untilNoted({ isBusy: true });
    await rm(join(spool.root, "plugin", "agtmux.mjs"));
    await tell("session.idle", { sessionID: ID });
    await vi.waitFor(async () => expect(await readdir(folder())).toEqual([]));
  });

  it("removes what servers left behind that are gone, and nothing else", async () => {
    await mkdir(folder(), { recursive: true });
    for (const [name, pid] of [
      ["ses_gone", 2 ** 22 + 7],
      ["ses_other", process.ppid],
    ] as const)
      await writeFile(join(folder(), `${name}.json`), JSON.stringify({ pid }));
    await writeFile(join(folder(), "half.json"), "{");
    const tell = await startIn("serve");
    await tell("session.status", { sessionID: ID, status: { type: "busy" } });
    await untilNoted({ isBusy: true });
    expect((await readdir(folder())).toSorted()).toEqual(["half.json", `${ID}.json`, "ses_other.json"]);
  });
});

describe("a note", () => {
  const NOTE = {
    sessionID: ID,
    pid: process.pid,
    port: 4097,
    directory: "/home/dev/shop",
    title: "",
    isBusy: true,
    beganAt: 1,
    changedAt: 2,
    asks: null,
  };
  const text = (fields: object = {}): string => JSON.stringify({ ...NOTE, ...fields });

  it("counts for the server that wrote it alone", async () => {
    const found = await read(text(), 60_000);
    expect(found?.isOf(processOf("opencode serve --port 4097", 50_000))).toBe(true);
    expect(found?.isOf(processOf("node /usr/lib/node_modules/opencode-ai/bin/opencode web", 50_000))).toBe(
      true,
    );
    expect(found?.isOf(processOf("opencode serve", 90_000))).toBe(false);
    expect(found?.isOf(processOf("opencode", 50_000))).toBe(false);
    expect(found?.isOf(processOf("vim serve", 50_000))).toBe(false);
  });

  it("of a session that has rested for an hour is none", async () => {
    expect(await read(text({ isBusy: false }), Date.now() - 3_500_000)).toMatchObject({ isAtWork: false });
    expect(await read(text({ isBusy: false }), Date.now() - 3_700_000)).toBeNull();
    expect(await read(text(), Date.now() - 3_700_000)).toMatchObject({ isAtWork: true });
  });

  it.each([
    ["another session's", { sessionID: "ses_other" }, null],
    ["not as our plugin writes it", { port: "4097; rm -rf ~" }, "error"],
    ["half written", null, "error"],
  ])("that is %s is not believed", async (_what, fields, expected) => {
    const reading = read(fields === null ? text().slice(0, 40) : text(fields));
    await (expected === null ? expect(reading).resolves.toBeNull() : expect(reading).rejects.toThrow());
  });

  it("says how the session is opened, on this machine alone and in plain words", async () => {
    const files = memoryFiles({ [PATH]: text() });
    const attach = (configDir: string | null, id = ID) => opencodeBackground.attach({ id, files, configDir });
    expect(await attach(CONFIG)).toEqual(["opencode", "attach", "http://127.0.0.1:4097", "-s", ID]);
    expect(await attach(null)).toBeNull();
    expect(await attach(CONFIG, "ses_unknown")).toBeNull();
  });

  it("says of a session without a pane that it works, or asks; how its turn ended it does not say", async () => {
    const stateOf = async (fields: object, paneId = `bg-${ID}`) => {
      const request = {
        files: memoryFiles({ [PATH]: text(fields) }),
        configDir: CONFIG,
        process: processOf("opencode serve"),
        pane: { paneId },
      };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest of it is not asked
      const reading = await readOpencodeNote(request as StateFileRequest);
      return reading?.status.state ?? null;
    };
    expect(await stateOf({})).toBe("running");
    expect(await stateOf({ asks: "permission" })).toBe("waiting_approval");
    expect(await stateOf({ asks: "question" })).toBe("waiting_input");
    expect(await stateOf({ isBusy: false })).toBeNull();
    expect(await stateOf({}, "%1")).toBeNull();
    expect(await stateOf({ pid: 1 })).toBeNull();
    expect(await stateOf({ asks: "anything" })).toBeNull();
  });

  it.each([
    ["at rest goes", { isBusy: false }, [{ path: PATH, after: null }]],
    ["at work, which may change at any moment, does not go", {}, []],
  ])("of a session %s when the plugin is uninstalled", async (_what, fields, changes) => {
    const files = {
      ...memoryFiles({ [PATH]: text(fields) }),
      list: () => Promise.resolve([`${ID}.json`, "mine.txt"]),
    };
    const request = { files, homeDir: "/home/dev", configDir: CONFIG, eventScript: spool.eventScript };
    expect(await createOpencodeIntegration().planUninstall(request)).toMatchObject(changes);
  });
});

describe("a terminal of opencode", () => {
  it.each([
    [`opencode attach http://127.0.0.1:4097 -s ${ID}`, ID, false],
    [`node /x/bin/opencode attach http://127.0.0.1:4097 --session ${ID}`, ID, false],
    ["opencode attach http://127.0.0.1:4097", null, false],
    [`opencode -s ${ID}`, null, true],
    ["opencode", null, true],
  ])("%s shows what its command line names", (args, shown, isApart) => {
    expect(opencodeBackground.shownBy(processOf(args))).toBe(shown);
    expect(opencodeBackground.isApart?.(processOf(args))).toBe(isApart);
  });
});
