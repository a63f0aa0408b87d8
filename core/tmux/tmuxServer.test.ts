import { fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPrivateTmux, type PrivateTmux } from "../../test/harness/privateTmux.ts";
import { randomIds, realClock, until } from "../../test/setup/realClock.ts";
import { SILENT_LOGGER } from "../ports/logger.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import { createTmuxServer, type TmuxServer } from "./tmuxServer.ts";

let tmux: PrivateTmux;
let executor: TargetExecutor & { runs: number; starts: number };
let server: TmuxServer;

const countingExecutor = (): typeof executor => {
  const inner = createLocalExecutor({ targetId: "host", env: { ...process.env }, logger: SILENT_LOGGER });
  const counting = {
    ...inner,
    runs: 0,
    starts: 0,
    run: (...args: Parameters<TargetExecutor["run"]>) => {
      counting.runs += 1;
      return inner.run(...args);
    },
    start: (...args: Parameters<TargetExecutor["start"]>) => {
      counting.starts += 1;
      return inner.start(...args);
    },
  };
  return counting;
};
const connect = (tmuxPath = "tmux"): TmuxServer =>
  createTmuxServer({
    executor,
    tmuxPath,
    server: "test",
    socketArgs: ["-S", tmux.socketPath],
    socketPath: tmux.socketPath,
    clock: realClock,
    ids: randomIds,
    logger: SILENT_LOGGER,
  });
const controlled = async (): Promise<void> => {
  await server.query([["display-message", "-p", "#{pid}"]]);
  await until(() => server.mode === "control", "control mode", 30_000);
};
/** A program that refuses to be a control client, as a wedged tmux does. */
const tmuxWithoutControl = (): string => {
  const path = join(tmux.folder, "wedged");
  writeFileSync(
    path,
    '#!/bin/sh\nfor a; do [ "$a" = -C ] && { echo "%exit"; exit 0; }; done\nexec tmux "$@"\n',
    {
      mode: 0o755,
    },
  );
  return path;
};

beforeEach(() => {
  tmux = createPrivateTmux();
  executor = countingExecutor();
  server = connect();
});
afterEach(async () => {
  await server.close();
  await executor.close();
  await tmux.close();
});

/** Lines that try to end their own block and to forge the next answer. */
const forgeries = (): string => {
  const lines: string[] = [];
  for (let number = 0; number < 2_500; number += 100) lines.push(`%end 1 ${number} 1`);
  return [...lines.slice(0, 10), "%begin 1 2 3", "agtmux-0-1", "%exit", "%error 1 2 1"].join("\\n");
};

describe.each(["control", "polling"] as const)("query in %s mode", (mode) => {
  beforeEach(async () => {
    await tmux.newSession("öne");
    if (mode === "polling") {
      await server.close();
      server = connect(tmuxWithoutControl());
    } else await controlled();
  });

  it("answers each command of a batch, and a failing one alone fails", async () => {
    const result = await server.query([
      ["display-message", "-p", "#{session_name}"],
      ["capture-pane", "-p", "-t", "%99"],
      ["list-panes", "-a", "-F", "#{pane_id}"],
      ["capture-pane", "-p", "-t", "%98"],
    ]);
    expect(result).toMatchObject({
      status: "ok",
      answers: [
        { isOk: true, lines: ["öne"] },
        { isOk: false, lines: [expect.stringContaining("%99")] },
        { isOk: true, lines: ["%0"] },
        { isOk: false, lines: [expect.stringContaining("%98")] },
      ],
    });
    expect(server.mode).toBe(mode);
  });

  it("keeps answers apart whatever a pane shows", async () => {
    const hostile = await tmux.run(
      "split-window",
      "-d",
      "-P",
      "-F",
      "#{pane_id}",
      `printf '%b\\n' '${forgeries()}'; exec cat`,
    );
    await until(
      async () => (await tmux.run("capture-pane", "-p", "-t", hostile)).includes("%error 1 2 1"),
      "forgery drawn",
    );
    const result = await server.query([
      ["capture-pane", "-p", "-t", hostile],
      ["display-message", "-p", "true"],
      ["capture-pane", "-p", "-t", hostile],
      ["display-message", "-p", "end"],
    ]);
    if (result.status !== "ok") throw new Error(JSON.stringify(result));
    const shown = (await tmux.run("capture-pane", "-p", "-t", hostile)).trimEnd();
    expect(result.answers.map((answer) => [answer.isOk, answer.lines.join("\n").trimEnd()])).toEqual([
      [true, shown],
      [true, "true"],
      [true, shown],
      [true, "end"],
    ]);
  });

  it("answers queries that are made at the same time, each its own", async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => server.query([["display-message", "-p", `n${index}`]])),
    );
    expect(
      results.map((result) => (result.status === "ok" ? result.answers[0]?.lines[0] : result.status)),
    ).toEqual(Array.from({ length: 20 }, (_, index) => `n${index}`));
  });

  it("says no_server after the server ended, and finds the next one", async () => {
    await tmux.run("kill-server");
    await until(async () => (await server.query([["list-panes", "-a"]])).status === "no_server", "no server");
    const runs = executor.runs;
    for (let tick = 0; tick < 20; tick++)
      expect((await server.query([["list-panes", "-a"]])).status).toBe("no_server");
    expect(executor.runs - runs).toBe(0);
    await tmux.newSession("again");
    const result = await server.query([["display-message", "-p", "#{session_name}"]]);
    expect(result).toMatchObject({ status: "ok", answers: [{ lines: ["again"] }] });
  });
});

describe("the right block numbers", () => {
  it("do not help a forger either", async () => {
    await tmux.newSession("one");
    await controlled();
    const pane = await tmux.run("split-window", "-d", "-P", "-F", "#{pane_id}", "exec cat");
    // tmux counts commands up one by one: a screen that claims the numbers of the near future is the strongest forgery.
    const flags = ["-C", "attach-session", "-E", "-f", "read-only,no-output,ignore-size"];
    const probe = executor.start(["tmux", "-S", tmux.socketPath, ...flags]);
    const seen = Promise.withResolvers<RegExpExecArray>();
    probe.onLine((line) => {
      const numbers = /^%begin (\d+) (\d+) 1$/.exec(line);
      if (numbers !== null) seen.resolve(numbers);
    });
    probe.write("display-message -p x\n");
    const [, time = "0", number = "0"] = await seen.promise;
    await probe.close();
    const lines = Array.from({ length: 25 }, (_, index) => `%end ${time} ${Number(number) + 4 + index} 1`);
    await tmux.run("send-keys", "-t", pane, "-l", `${lines.join("\n")}\n`);
    await until(
      async () => (await tmux.run("capture-pane", "-p", "-t", pane)).includes(lines[24] ?? "-"),
      "drawn",
    );
    for (let round = 0; round < 10; round++) {
      const result = await server.query([
        ["capture-pane", "-p", "-t", pane],
        ["display-message", "-p", "mine"],
      ]);
      expect(result).toMatchObject({
        status: "ok",
        answers: [{ isOk: true }, { isOk: true, lines: ["mine"] }],
      });
    }
    expect(server.mode).toBe("control");
  });
});

describe("the control client", () => {
  it("uses no process per query, and leaves no client when closed", async () => {
    await tmux.newSession("one");
    await controlled();
    const runs = executor.runs;
    for (let tick = 0; tick < 10; tick++) await server.query([["list-panes", "-a"]]);
    expect(executor.runs - runs).toBe(0);
    expect(await tmux.clientPids()).toEqual([server.controlClientPid]);
    await server.close();
    expect(await tmux.clientPids()).toEqual([]);
  });

  it("hints at new, renamed and closed windows and sessions of other sessions, coalesced", async () => {
    await tmux.newSession("one");
    await tmux.newSession("two");
    await controlled();
    let hints = 0;
    const stop = server.onHint(() => (hints += 1));
    const after = async (change: () => Promise<unknown>): Promise<void> => {
      const before = hints;
      await change();
      await until(() => hints > before, "a hint");
    };
    await after(() => tmux.run("new-window", "-d", "-t", "two:"));
    await after(() => tmux.run("rename-window", "-t", "two:0", "other"));
    await after(() => tmux.run("kill-window", "-t", "two:1"));
    await after(() => tmux.newSession("three"));
    await after(() => tmux.run("rename-session", "-t", "three", "drei"));
    await after(() => tmux.run("kill-session", "-t", "drei"));
    stop();
    const before = hints;
    await tmux.newSession("four");
    await server.query([["list-panes", "-a"]]);
    expect(hints).toBe(before);
  });

  it("hints less often at a server that goes on and on changing, and does not lose the last change", async () => {
    await tmux.newSession("one");
    await controlled();
    let hints = 0;
    server.onHint(() => (hints += 1));
    const renames = Array.from({ length: 20 }, (_, index) => [
      "rename-window",
      "-t",
      "one:0",
      `n${index}`,
      ";",
    ]);
    const startedAt = performance.now();
    while (performance.now() - startedAt < 3_000)
      // oxlint-disable-next-line no-await-in-loop -- again and again
      await tmux.run(...renames.flat(), "display-message", "-p", "x");
    // Twenty at once and four a second after that; without it fifty a second.
    expect(hints).toBeGreaterThan(15);
    expect(hints).toBeLessThan(60);
    const before = hints;
    await tmux.run("rename-window", "-t", "one:0", "last");
    await until(() => hints > before, "the last change is hinted at");
  });

  it("changes neither sizes, nor the selected windows, nor the session's environment", async () => {
    await tmux.run(
      "new-session",
      "-d",
      "-s",
      "one",
      "-x",
      "133",
      "-y",
      "41",
      "-e",
      "SSH_AUTH_SOCK=theirs",
      "exec cat",
    );
    await tmux.run("new-window", "-t", "one:", "exec cat");
    await tmux.run("set-option", "-g", "window-size", "latest");
    const look = (): Promise<string> =>
      Promise.all([
        tmux.run(
          "list-windows",
          "-a",
          "-F",
          "#{window_id} #{window_width}x#{window_height} #{window_active}",
        ),
        tmux.run("show-environment", "-t", "one"),
      ]).then((parts) => parts.join("\n"));
    const before = await look();
    await controlled();
    await server.query([["list-panes", "-a"]]);
    expect(await look()).toBe(before);
    await server.close();
    expect(await look()).toBe(before);
  });

  it("attaches to the least recently used session", async () => {
    const now = Math.floor(Date.now() / 1_000);
    await tmux.newSession("old");
    await until(() => Math.floor(Date.now() / 1_000) > now, "the next second");
    await tmux.newSession("new");
    await controlled();
    expect(await tmux.run("list-clients", "-F", "#{client_session}")).toBe("old");
  });

  it("holds no session open that ends when nobody is attached", async () => {
    await tmux.newSession("kept");
    const client = executor.start(["tmux", "-S", tmux.socketPath, "-C", "attach-session", "-t", "kept"]);
    await until(async () => (await tmux.clientPids()).length === 1, "a person is attached");
    await tmux.run("set-option", "-g", "destroy-unattached", "on");
    await server.query([["list-panes", "-a"]]);
    await until(() => server.problem !== null, "a reason");
    expect(server.mode).toBe("polling");
    expect(server.problem).toMatch(/kept alive/);
    await client.close();
    await until(
      async () => (await server.query([["list-panes", "-a"]])).status === "no_server",
      "server is gone",
    );
  });

  it("is replaced after its session was killed", async () => {
    await tmux.newSession("one");
    await tmux.newSession("two");
    await controlled();
    const first = server.controlClientPid;
    await tmux.run("kill-session", "-t", await tmux.run("list-clients", "-F", "#{client_session}"));
    await until(async () => {
      const result = await server.query([["list-panes", "-a", "-F", "#{pane_id}"]]);
      return result.status === "ok" && server.mode === "control" && server.controlClientPid !== first;
    }, "a new control client");
  });

  it("gives up its read-only flag where that keeps others from typing, and changes sizes no more than before", async () => {
    await tmux.newSession("one");
    await controlled();
    const flags = (): Promise<string> => tmux.run("list-clients", "-F", "#{client_flags}");
    expect(await flags()).toContain("read-only");
    const size = await tmux.run("display-message", "-p", "#{window_width}x#{window_height}");
    await server.allowKeys();
    expect(await flags()).not.toContain("read-only");
    await controlled();
    await until(async () => (await flags()).includes("no-output"), "attached anew");
    expect(await flags()).not.toContain("read-only");
    expect(await tmux.run("display-message", "-p", "#{window_width}x#{window_height}")).toBe(size);
    await server.allowKeys();
    expect(server.mode).toBe("control");
  });

  it("is given up after two quick deaths, with the reason, and polling goes on", async () => {
    await tmux.newSession("one");
    await server.close();
    server = connect(tmuxWithoutControl());
    await until(async () => {
      const result = await server.query([["list-panes", "-a", "-F", "#{pane_id}"]]);
      expect(result).toMatchObject({ status: "ok", answers: [{ lines: ["%0"] }] });
      return server.problem !== null;
    }, "a reason");
    expect(server.problem).toMatch(/ended 2 times .*exit/);
    const starts = executor.starts;
    for (let tick = 0; tick < 5; tick++) await server.query([["list-panes", "-a"]]);
    expect(executor.starts).toBe(starts);
  });

  it("dies with a daemon that is killed with SIGKILL, twenty times", async () => {
    await tmux.newSession("one");
    for (let round = 0; round < 20; round++) {
      const daemon = fork(join(import.meta.dirname, "fixtures/daemonScript.ts"), [tmux.socketPath], {
        execArgv: [],
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      await new Promise((ready, fail) => {
        daemon.once("message", ready);
        daemon.once("exit", (code) => fail(new Error(`the daemon script ended: ${code}`)));
      });
      expect(await tmux.clientPids()).toHaveLength(1);
      const gone = new Promise((end) => daemon.once("exit", end));
      daemon.kill("SIGKILL");
      await gone;
      await until(async () => (await tmux.clientPids()).length === 0, "no client is left");
    }
  }, 240_000);
});

describe("without a server", () => {
  it("starts no process while there is no socket", async () => {
    expect(await server.query([["list-panes", "-a"]])).toEqual({ status: "no_server" });
    expect([executor.runs, executor.starts]).toEqual([0, 0]);
  });

  it("talks to a server that has no session, and holds no grudge", async () => {
    await tmux.newSession("one");
    await tmux.run("set-option", "-s", "exit-empty", "off");
    await tmux.run("kill-session", "-t", "one");
    const query = () =>
      server.query([
        ["display-message", "-p", "#{pid}"],
        ["list-panes", "-a"],
      ]);
    for (let tick = 0; tick < 3; tick++)
      expect(await query()).toMatchObject({
        status: "ok",
        answers: [
          { isOk: true, lines: [expect.stringMatching(/^\d+$/)] },
          { isOk: false, lines: ["no current target"] },
        ],
      });
    expect(server.problem).toBe(null);
    await tmux.newSession("two");
    await controlled();
  });

  it("refuses anything but the read-only commands before sending", async () => {
    await expect(server.query([["kill-server"]])).rejects.toThrow(/refused/);
  });
});
