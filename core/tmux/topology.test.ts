import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPrivateTmux, type PrivateTmux } from "../../test/harness/privateTmux.ts";
import { callsOn } from "../../test/harness/tmuxCalls.ts";
import { randomIds, realClock, until } from "../../test/setup/realClock.ts";
import { type Pane, paneSchema } from "../model/runtime.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import { captureScreens, MAX_SCREEN_COLUMNS, listTopology, probeTopology, readListing } from "./topology.ts";
import { createTmuxServer, type TmuxServer } from "./tmuxServer.ts";

let tmux: PrivateTmux;
let executor: TargetExecutor;
let server: TmuxServer;

beforeEach(() => {
  tmux = createPrivateTmux();
  executor = createLocalExecutor({ targetId: "host", env: { ...process.env } });
  server = createTmuxServer({
    executor,
    calls: callsOn(executor, tmux.socketPath),
    clock: realClock,
    makeNonce: () => randomIds.nonce(),
    logger: SILENT_LOGGER,
  });
});
afterEach(async () => {
  await server.close();
  await executor.close();
  await tmux.close();
});

const list = async (): Promise<{ panes: Pane[]; problem: string | null; pid: number }> => {
  const result = await listTopology(server, randomIds.nonce);
  if (result.status !== "ok") throw new Error(JSON.stringify(result));
  for (const pane of result.panes) paneSchema.parse(pane);
  return { panes: result.panes, problem: result.problem, pid: result.instance.pid };
};
const fingerprint = async (): Promise<string> => {
  const result = await probeTopology(server);
  if (result.status !== "ok") throw new Error(JSON.stringify(result));
  return result.fingerprint;
};

const pickNow = async (paneId: string) => (await list()).panes.find((pane) => pane.paneId === paneId);
const alsoIn = (pane: Pane | undefined): string[] =>
  (pane?.alsoIn ?? []).map((session) => session.sessionName);

it("knows no server by a pid or a start that no system has", () => {
  for (const about of [`42 ${"1".repeat(400)} /s`, `${"4".repeat(30)} 1795238680 /s`, "42 x /s"])
    expect(
      readListing(
        {
          status: "ok",
          at: 1,
          answers: [
            { isOk: true, lines: [about] },
            { isOk: true, lines: [] },
          ],
        },
        "default",
      ).status,
    ).toBe("error");
});

describe("listTopology", () => {
  it("describes a pane and the life of its server", async () => {
    const before = Date.now();
    await tmux.newSession("work", "printf '\\033]2;the title\\033\\\\a\\nbc'; exec cat");
    await until(async () => (await list()).panes[0]?.title === "the title", "title set");
    const result = await listTopology(server, randomIds.nonce);
    if (result.status !== "ok") throw new Error(result.status);
    expect(result.instance).toEqual({
      server: "test",
      socketPath: tmux.socketPath,
      pid: Number(await tmux.run("display-message", "-p", "#{pid}")),
      startedAt: expect.any(Number),
    });
    expect(Math.abs(result.instance.startedAt - before)).toBeLessThan(2_000);
    expect(result.problem).toBe(null);
    expect(result.panes).toEqual([
      {
        targetId: "host",
        server: "test",
        paneId: "%0",
        sessionId: "$0",
        sessionName: "work",
        alsoIn: [],
        windowId: "@0",
        windowIndex: 0,
        windowName: expect.any(String),
        paneIndex: 0,
        panePid: Number(await tmux.run("display-message", "-p", "-t", "%0", "#{pane_pid}")),
        tty: expect.stringMatching(/^\/dev\//),
        title: "the title",
        isActive: true,
        isDead: false,
        deadStatus: null,
        isAlternate: false,
        inMode: false,
        width: 100,
        height: 30,
        cursorX: 2,
        cursorY: 1,
        historySize: 0,
        windowActivity: expect.any(Number),
        updatedAt: expect.any(Number),
      },
    ]);
  });

  it("tells a dead pane, its status, the alternate screen and copy mode", async () => {
    await tmux.newSession("one");
    await tmux.run("set-option", "-g", "remain-on-exit", "on");
    const dead = await tmux.run("split-window", "-d", "-P", "-F", "#{pane_id}", "exit 7");
    const full = await tmux.run(
      "split-window",
      "-d",
      "-P",
      "-F",
      "#{pane_id}",
      "printf '\\033[?1049h'; exec cat",
    );
    await tmux.run("copy-mode", "-t", "%0");
    await until(
      async () => (await pickNow(dead))?.isDead === true && (await pickNow(full))?.isAlternate === true,
      "drawn",
    );
    expect(await pickNow(dead)).toMatchObject({ isDead: true, deadStatus: 7 });
    expect(await pickNow(full)).toMatchObject({ isDead: false, isAlternate: true, inMode: false });
    expect(await pickNow("%0")).toMatchObject({ inMode: true, isAlternate: false });
  });

  it.each([
    ["tabs and quotes", "a\tb 'c' \"d\" `e` $(f) \\g; h"],
    ["emoji and wide letters", "🚀 한글 é 👩‍💻"],
    ["formats", "#{pane_pid} #(touch /tmp/x) #[fg=red] %1 %%"],
    ["newlines", "a\nb\n%9 $9 @9 0 0 1 1"],
    ["escape sequences", "\u001b[31mred\u0007\u009b1m \u202ereversed"],
    ["marks of another query", "<00000000000000000000000000000000>%7<x>"],
  ])("keeps rows apart with %s in names and titles", async (_, text) => {
    await tmux.newSession("one");
    await tmux.newSession("two");
    // Through formats as tmux's own commands expand them, and through the escape sequence of a program.
    const literal = text.replaceAll("#", "##");
    // tmux 3.7 takes no control characters in names; what it takes must be kept apart.
    const unlessRefused = async (...args: readonly string[]): Promise<void> => {
      await tmux.run(...args).catch((error: Error) => {
        if (!/invalid (?:session|window) name/.test(error.message)) throw error;
      });
    };
    await unlessRefused("rename-session", "-t", "one", literal);
    await unlessRefused("rename-window", "-t", "%0", literal);
    await tmux.run("select-pane", "-t", "%0", "-T", literal);
    const escaped = text.replace(/'/g, `'\\''`);
    await tmux.run(
      "split-window",
      "-d",
      "-t",
      "%1",
      `printf '\\033]2;%s\\007\\033k%s\\033\\\\up' '${escaped}' '${escaped}'; exec cat`,
    );
    await until(async () => (await tmux.run("capture-pane", "-p", "-t", "%2")).includes("up"), "printed");
    const { panes, problem } = await list();
    expect(problem).toBe(null);
    expect(panes.map((pane) => pane.paneId).toSorted()).toEqual(["%0", "%1", "%2"]);
    const pick = (paneId: string) => panes.find((pane) => pane.paneId === paneId);
    for (const pane of panes)
      expect([pane.sessionName, pane.windowName, pane.title].join("")).not.toMatch(/[\p{Cc}\u202e]/u);
    if (text.startsWith("🚀"))
      expect(pick("%0")).toMatchObject({ sessionName: text, windowName: text, title: text });
    // And a program cannot make the title contain `#(`.
    if (text.startsWith("#{")) expect([text, text.replace("#(", "_(")]).toContain(pick("%2")?.title);
  });

  it("shows a pane of grouped sessions and linked windows once", async () => {
    await tmux.newSession("solo");
    await tmux.newSession("base");
    await tmux.run("new-session", "-d", "-s", "view", "-t", "base");
    await tmux.run("new-session", "-d", "-s", "view2", "-t", "base");
    await tmux.newSession("other");
    await tmux.run("link-window", "-s", "base:0", "-t", "other:7");
    const { panes } = await list();
    expect(
      panes.map((pane) => `${pane.sessionName} ${pane.windowIndex} ${alsoIn(pane).join()}`).toSorted(),
    ).toEqual(["other 0 ", "other 7 base,view,view2", "solo 0 "]);
    await tmux.run("unlink-window", "-t", "other:7");
    const grouped = (await list()).panes.find((pane) => pane.paneId === "%1");
    expect([grouped?.sessionName, alsoIn(grouped)]).toEqual(["base", ["view", "view2"]]);
  });

  it("takes no server and a server without sessions as normal", async () => {
    expect(await listTopology(server, randomIds.nonce)).toEqual({ status: "no_server" });
    await tmux.newSession("one");
    await tmux.run("set-option", "-s", "exit-empty", "off");
    await tmux.run("kill-session", "-t", "one");
    expect(await list()).toMatchObject({ panes: [], problem: null });
    expect(await probeTopology(server)).toMatchObject({ status: "ok" });
  });
});

it("tells when a pane printed last where tmux knows that, and else when something in its window moved", async () => {
  await tmux.newSession("one");
  const prints = "while :; do echo line; sleep 0.2; done";
  const busy = await tmux.run("split-window", "-d", "-P", "-F", "#{pane_id}", prints);
  const quiet = await tmux.run("split-window", "-d", "-P", "-F", "#{pane_id}", "echo once; exec cat");
  const silent = await tmux.run("split-window", "-d", "-P", "-F", "#{pane_id}", "exec cat");
  const activityOf = async (paneId: string): Promise<number> =>
    (await pickNow(paneId))?.windowActivity ?? Number.NaN;
  const before = await activityOf(quiet);
  await until(async () => (await activityOf(busy)) >= before + 2, "the window has moved on");
  const probed = await probeTopology(server);
  if (probed.status !== "ok") throw new Error(JSON.stringify(probed));
  for (const activity of [await activityOf(quiet), probed.windowActivity.get(quiet) ?? 0])
    if (server.tellsPaneOutput) expect(activity).toBeLessThanOrEqual(before);
    else expect(activity).toBeGreaterThanOrEqual(before + 2);
  // One that never printed has its window's.
  expect(await activityOf(silent)).toBeGreaterThanOrEqual(before + 2);
  const version = await tmux.run("display-message", "-p", "#{version}");
  expect(server.tellsPaneOutput).toBe(/^(?:next-)?3\.(?:[89]|\d\d)/.test(version));
});

describe("probeTopology", () => {
  it("changes with every change of panes, windows and names, and not with output", async () => {
    await tmux.newSession("one", "exec cat");
    await tmux.newSession("two", "exec cat");
    await tmux.run("set-option", "-g", "allow-rename", "off");
    await tmux.run("set-option", "-g", "automatic-rename", "off");
    await list();
    const changes: [string, ...string[]][] = [
      ["split-window", "-d", "-t", "%0", "exec cat"],
      ["new-window", "-d", "-t", "two:", "exec cat"],
      ["select-pane", "-t", "%0", "-T", "new title"],
      ["respawn-pane", "-k", "-t", "%0", "exec cat"],
      ["break-pane", "-d", "-s", "%2"],
      ["kill-pane", "-t", "%1"],
      ["new-session", "-d", "-s", "three", "exec cat"],
      ["kill-session", "-t", "three"],
      ["rename-window", "-t", "%0", "renamed"],
      ["rename-session", "-t", "two", "zwei"],
    ];
    const seen = [await fingerprint()];
    expect(await fingerprint()).toBe(seen[0]);
    for (const [name, ...args] of changes) {
      await tmux.run(name, ...args);
      const now = await fingerprint();
      expect([name, now === seen.at(-1)]).toEqual([name, false]);
      seen.push(now);
    }
    await tmux.run("send-keys", "-t", "%0", "-l", "some text that is echoed");
    await until(async () => (await tmux.run("capture-pane", "-p", "-t", "%0")).includes("echoed"), "echo");
    expect(await fingerprint()).toBe(seen.at(-1));
  });
});

describe("captureScreens", () => {
  it("reads the visible screens, clean and bounded, and leaves out panes that are gone", async () => {
    await tmux.run(
      "new-session",
      "-d",
      "-s",
      "wide",
      "-x",
      "1200",
      "-y",
      "20",
      "head -c 1100 /dev/zero | tr '\\0' x; echo; printf 'é한 \\033[31mred\\033[0m  \\n\\n'; exec cat",
    );
    await tmux.newSession("long", "seq 1 100; exec cat");
    await until(async () => (await tmux.run("capture-pane", "-p", "-t", "%0")).includes("red"), "drawn");
    await until(async () => (await tmux.run("capture-pane", "-p", "-t", "%1")).includes("100"), "drawn");
    const screens = await captureScreens(server, ["%0", "%77", "%1"]);
    expect([...screens.keys()]).toEqual(["%0", "%1"]);
    expect(screens.get("%0")).toEqual(["x".repeat(MAX_SCREEN_COLUMNS), "é한 red"]);
    expect(screens.get("%1")).toEqual(Array.from({ length: 29 }, (_, index) => `${72 + index}`));
  });

  it("is empty without a server", async () => {
    expect(await captureScreens(server, ["%0"])).toEqual(new Map());
  });
});
