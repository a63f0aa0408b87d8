// A tmux server that another user put in our way. tmux's folder lies in /tmp, where anybody can make it before its owner comes;
// a client hands its terminal, its folder and its environment to the server that it talks to, and does what that says.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { watchServer } from "../../core/collect/serverWatch.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { createLocalExecutor } from "../../core/targets/executors/localExecutor.ts";
import type { VersionKnowledge } from "../../core/tmux/findTmux.ts";
import { createTmuxServer } from "../../core/tmux/tmuxServer.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { callsOn } from "../harness/tmuxCalls.ts";
import { randomIds, realClock, until } from "../setup/realClock.ts";
import { ATTACKS, makeLoot, startHostileTmux, type Attack, type HostileTmux } from "./hostileTmux.ts";
import { NOBODY, isRoot } from "./otherUser.ts";

let root: string;
let impostor: Server;
let connections: number;
let daemon: TestDaemon | null;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-squat-"));
  connections = 0;
  daemon = null;
  const folder = join(root, `tmux-${process.getuid?.() ?? 0}`);
  mkdirSync(folder, { mode: 0o777 });
  impostor = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => impostor.listen(join(folder, "default"), resolve));
  chmodSync(join(folder, "default"), 0o777);
});
afterEach(async () => {
  await daemon?.close();
  await new Promise((resolve) => impostor.close(resolve));
  rmSync(root, { recursive: true });
});

const watch = async (): Promise<ReturnType<TestDaemon["daemon"]["service"]["targets"]>> => {
  // No sockets named: the user's default server.
  daemon = await startTestDaemon({ sockets: [], env: { TMUX_TMPDIR: root } });
  return daemon.daemon.service.targets();
};

it("is never connected to where others can write to tmux's folder, and the target says so", async () => {
  chmodSync(join(root, `tmux-${process.getuid?.() ?? 0}`), 0o777);
  const [target] = await watch();
  expect(target?.servers[0]).toMatchObject({
    status: "error",
    problem: expect.stringMatching(/unsafe permissions/) as string,
  });
  expect(connections).toBe(0);
});

it.runIf(isRoot)("is never connected to where tmux's folder belongs to somebody else", async () => {
  const folder = join(root, `tmux-${process.getuid?.() ?? 0}`);
  chmodSync(folder, 0o700);
  chownSync(folder, NOBODY, NOBODY);
  const [target] = await watch();
  expect(target?.servers[0]?.status).toBe("error");
  expect(connections).toBe(0);
});

it("is what the test would notice: in a folder of our own it is connected to", async () => {
  chmodSync(join(root, `tmux-${process.getuid?.() ?? 0}`), 0o700);
  await watch();
  expect(connections).toBeGreaterThan(0);
});

describe.runIf(isRoot)("a tmux server of another user that attacks", () => {
  let hostiles: HostileTmux[];
  let real: PrivateTmux;
  beforeEach(() => {
    hostiles = [];
    real = createPrivateTmux();
  });
  afterEach(async () => {
    for (const hostile of hostiles) await hostile.close();
    await real.close();
  });
  const start = async (
    name: string,
    options: { attacks?: readonly Attack[]; drip?: boolean; isGoodFirst?: boolean; path?: string } = {},
  ): Promise<HostileTmux> => {
    const folder = join(root, name);
    mkdirSync(folder);
    const { isGoodFirst = false, path = join(folder, "sock"), ...how } = options;
    const hostile = await startHostileTmux({
      path,
      loot: makeLoot(join(folder, "home")),
      ...how,
      ...(isGoodFirst ? { real: real.socketPath } : {}),
    });
    hostiles.push(hostile);
    return hostile;
  };
  const call = async (path: string, stdin?: string, knowledge?: VersionKnowledge): Promise<string> => {
    const executor = createLocalExecutor({ targetId: "host", env: process.env });
    const words = stdin === undefined ? ["list-panes", "-a"] : ["load-buffer", "-b", "mine", "-"];
    try {
      const ran = await callsOn(executor, path, knowledge === undefined ? {} : { knowledge }).run(words, {
        timeoutMs: 400,
        ...(stdin === undefined ? {} : { stdin }),
      });
      return ran.timedOut ? "no answer" : ran.stdout;
    } catch (error) {
      return (error as Error).message;
    } finally {
      await executor.close();
    }
  };

  it.each(ATTACKS)(
    "gets nothing and does nothing by '%s', whole, drip by drip, and after a good start",
    async (attack) => {
      await real.newSession("theirs");
      const [whole, drip, late] = await Promise.all([
        start("whole", { attacks: [attack] }),
        start("drip", { attacks: [attack], drip: true }),
        start("late", { attacks: [attack], isGoodFirst: true }),
      ]);
      expect(await call(late.path)).toContain("%0");
      late.turn();
      const told = await Promise.all([whole, drip, late].map(({ path }) => call(path)));
      expect(told.map((text) => /not understood|was not given|no answer/.test(text))).toEqual([
        true,
        true,
        true,
      ]);
      expect([whole, drip, late].map((one) => [one.attacks, one.harm()])).toEqual([
        [1, []],
        [1, []],
        [1, []],
      ]);
    },
  );

  it("is given the text that is meant for it, once, and nothing else", async () => {
    const hostile = await start("stdin", { attacks: ["stdin"] });
    expect(await call(hostile.path, "a text")).toBe("no answer");
    expect(hostile.taken).toEqual(["read a text"]);
    const twice = await start("twice", { attacks: ["stdinTwice"] });
    expect(await call(twice.path, "a text")).toContain("was not given");
    // It may be cut off before that arrives.
    expect(twice.taken.filter((one) => one !== "read a text")).toEqual([]);
    expect(twice.taken.length).toBeLessThan(2);
    await real.newSession("theirs");
    const good = await start("good", { isGoodFirst: true });
    const long = "ä long text ".repeat(8_000);
    expect(await call(good.path, long)).toBe("");
    expect(await real.run("show-buffer", "-b", "mine")).toBe(long);
  });

  it("is asked nothing by a tmux that was not tried out before it said the protocol that is known", async () => {
    await real.newSession("theirs");
    const good = await start("good", { isGoodFirst: true });
    expect(await call(good.path, undefined, "untried")).toContain("%0");
    expect([good.connections, good.commands]).toEqual([2, [["list-panes", "-a"]]]);
    const silent = await start("silent", { attacks: ["write"] });
    expect(await call(silent.path, undefined, "untried")).toMatch(
      /only tmux 3\.2a and newer with protocol 8/,
    );
    expect([silent.connections, silent.commands, silent.harm()]).toEqual([1, [], []]);
    expect(await call(good.path, undefined, "older")).toMatch(/only tmux 3\.2a and newer/);
    expect(good.connections).toBe(2);
  });

  it("is believed to be at no other socket than the one that it has: events name their server by that", async () => {
    await real.newSession("theirs");
    const hostile = await start("posing", { isGoodFirst: true });
    const executor = createLocalExecutor({ targetId: "host", env: process.env });
    const tmux = createTmuxServer({
      executor,
      calls: callsOn(executor, hostile.path),
      clock: realClock,
      makeNonce: () => randomIds.nonce(),
      logger: SILENT_LOGGER,
    });
    const watched = watchServer({
      tmux,
      socketPath: hostile.path,
      makeNonce: () => randomIds.nonce(),
      clock: realClock,
    });
    // What answers says that it has the socket of the person's server.
    expect(await watched.list()).toMatchObject({ status: "ok", instance: { socketPath: hostile.path } });
    await watched.close();
    await executor.close();
  });

  it("is not connected to in tmux's own folder, which it made while the daemon runs", async () => {
    const folder = join(root, `tmux-${process.getuid?.() ?? 0}`);
    chmodSync(folder, 0o700);
    rmSync(join(folder, "default"));
    const own = ["-S", join(folder, "default"), "-f", "/dev/null"];
    execFileSync("tmux", [...own, "new-session", "-d", "-x", "80", "-y", "20", "exec cat"]);
    try {
      daemon = await startTestDaemon({ sockets: [], env: { TMUX_TMPDIR: root } });
      await daemon.until("%0", () => true);
      renameSync(folder, join(root, "gone"));
      mkdirSync(folder, { mode: 0o700 });
      const hostile = await start("replaced", { path: join(folder, "default") });
      chownSync(folder, NOBODY, NOBODY);
      const server = () => daemon?.daemon.service.targets()[0]?.servers[0];
      await until(() => server()?.status === "error", "it is refused");
      expect(server()?.problem).toMatch(/unsafe permissions/);
      expect([hostile.connections, hostile.harm()]).toEqual([0, []]);
    } finally {
      execFileSync("tmux", ["-S", join(root, "gone", "default"), "kill-server"]);
    }
  });
});
