// A second private tmux plays the person's terminal: its pane runs the planned command, so a real client attaches, and
// what is typed there must arrive in exactly the pane that was asked for.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { somePane } from "../../adapters/testkit/pane.ts";
import type { Pane } from "../model/runtime.ts";
import { actionGuardsSchema, type ActionSnapshot, type AttachPlan } from "../model/action.ts";
import { callsOn } from "../../test/harness/tmuxCalls.ts";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import { buildAttachPlan } from "./attach.ts";
import { createGate } from "./prepare.ts";
import { partOf } from "../../test/fakes/partOf.ts";
import { DEFAULT_TIMING } from "../model/config.ts";

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

interface Server {
  socket: string;
  run(...args: string[]): string;
}

let folder: string;
let inner: Server;
let terminal: Server;
let terminals: number;
let children: ChildProcess[];

const server = (name: string): Server => {
  const socket = join(folder, name);
  return {
    socket,
    run: (...args) => {
      const done = spawnSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
      if (done.status !== 0) throw new Error(`tmux ${args.join(" ")}: ${done.stderr}`);
      return done.stdout.trimEnd();
    },
  };
};

const executor = createLocalExecutor({ targetId: "host", env: process.env });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-attach-"));
  inner = server("inner");
  terminal = server("terminal");
  terminals = 0;
  children = [];
});
afterEach(async () => {
  for (const child of children) {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }
  for (const one of [terminal, inner]) spawnSync("tmux", ["-S", one.socket, "kill-server"]);
  rmSync(folder, { recursive: true, force: true });
});

/** Two windows of two panes each, all running `cat`; the first pane of the first window is shown. */
const createSession = (name: string): { sessionId: string; panes: [string, string, string, string] } => {
  const size = ["-x", "80", "-y", "24"];
  const [sessionId = "", a = ""] = inner
    .run("new-session", "-d", ...size, "-P", "-F", "#{session_id} #{pane_id}", "-s", name, "exec cat")
    .split(" ");
  const split = (of: string): string =>
    inner.run("split-window", "-d", "-t", of, "-P", "-F", "#{pane_id}", "exec cat");
  const b = split(a);
  const c = inner.run("new-window", "-d", "-t", `${sessionId}:`, "-P", "-F", "#{pane_id}", "exec cat");
  return { sessionId, panes: [a, b, c, split(c)] };
};

/** Another session of the same group. */
const createSibling = (sessionId: string): string =>
  inner.run("new-session", "-d", "-P", "-F", "#{session_id}", "-t", sessionId, "-s", "sibling");

const paneOf = (paneId: string, sessionId: string): Pane =>
  somePane(paneId, {
    targetId: "t1",
    server: "inner",
    sessionId,
    windowId: inner.run("display-message", "-p", "-t", paneId, "#{window_id}"),
    isActive: false,
  });

/** Through the real gate, because nothing else makes a verified action. */
const plan = (pane: Pane, insideTmux: string | null = null, mayFocus = false): Promise<AttachPlan> => {
  const snapshots = new Map<string, ActionSnapshot>();
  const gate = createGate({
    store: partOf({
      insertSnapshot: (snapshot) => snapshots.set(snapshot.snapshotId, snapshot),
      getSnapshot: (id) => snapshots.get(id) ?? null,
    }),
    clock: partOf({ now: () => 0 }),
    ids: { next: () => "snap", nonce: () => "nonce" },
    lookup: {
      subjects: () => [
        {
          key: { targetId: "t1", server: "inner", paneId: pane.paneId },
          paneRef: "pane:host:inner/any/@0/%0",
          target: "host",
          server: "inner",
          links: [{ sessionName: "any", windowIndex: 0 }],
          windowId: pane.windowId,
          paneId: pane.paneId,
          paneIndex: 0,
          runtimeId: "r1",
        },
      ],
      current: () => ({
        runtimeId: "r1",
        stateVersion: 1,
        state: "idle",
        fingerprint: null,
        confirmedAt: 0,
        processAlive: true,
      }),
    },
    timing: () => ({ ...DEFAULT_TIMING, snapshot_ttl_ms: 5_000 }),
  });
  return buildAttachPlan({
    action: gate.verify(gate.prepare("runtime:r1", actionGuardsSchema.parse({}), "test")),
    pane,
    server: {
      server: "inner",
      socketPath: inner.socket,
      pid: Number(inner.run("display-message", "-p", "#{pid}")),
      startedAt: 0,
    },
    kind: "local",
    tmux: callsOn(executor, inner.socket),
    toTerminal: (argv) => [...argv],
    insideTmux,
    mayFocus,
    maySwitch: false,
  });
};

const shellQuote = (argument: string): string => `'${argument.replaceAll("'", String.raw`'\''`)}'`;
const script = (argv: readonly string[]): string => {
  const path = join(folder, `run-${(terminals += 1)}.sh`);
  writeFileSync(path, `${argv.map(shellQuote).join(" ")}\necho "exit=$?"\nexec cat\n`);
  return path;
};

/** A terminal window of the person that runs `argv`; returns its pane in the terminal's tmux. */
const openTerminal = (argv: readonly string[]): string => {
  const command = `sh ${shellQuote(script(argv))}`;
  const size = ["-x", "100", "-y", "40"];
  return terminal.run("new-session", "-d", ...size, "-P", "-F", "#{pane_id}", command);
};
const ttyOf = (terminalPane: string): string =>
  terminal.run("display-message", "-p", "-t", terminalPane, "#{pane_tty}");

/** Where the client in that terminal is: session, window, pane; empty when none is attached there. */
const whereIs = (terminalPane: string): string =>
  inner
    .run("list-clients", "-F", "#{client_tty} #{session_id} #{window_id} #{pane_id}")
    .split("\n")
    .find((line) => line.startsWith(`${ttyOf(terminalPane)} `))
    ?.split(" ")
    .slice(1)
    .join(" ") ?? "";

const awaitPlace = async (terminalPane: string, sessionId: string, pane: Pane): Promise<void> => {
  const place = `${sessionId} ${pane.windowId} ${pane.paneId}`;
  await vi.waitFor(() => expect(whereIs(terminalPane)).toBe(place), { timeout: 10_000, interval: 30 });
};
const attachTo = async (target: string): Promise<string> => {
  const opened = openTerminal(["tmux", "-S", inner.socket, "attach-session", "-t", target]);
  await vi.waitFor(() => expect(whereIs(opened)).not.toBe(""), { timeout: 10_000, interval: 30 });
  return opened;
};

/** What is typed into the terminal arrives in this pane and is drawn in the terminal. */
const expectTypingReaches = async (terminalPane: string, paneId: string): Promise<void> => {
  const word = `typed-for-${paneId.slice(1)}-here`;
  terminal.run("send-keys", "-t", terminalPane, "-l", word);
  const shows = (): void => {
    expect(inner.run("capture-pane", "-p", "-t", paneId)).toContain(word);
    expect(terminal.run("capture-pane", "-p", "-t", terminalPane)).toContain(word);
  };
  await vi.waitFor(shows, { timeout: 10_000, interval: 30 });
};

describe.skipIf(!hasTmux)("a new terminal", () => {
  test("shows exactly the pane, whatever its session is called and whatever was current", async () => {
    createSession("another");
    const { sessionId, panes } = createSession("a b'\"#{pid};$HOME\\");
    for (const paneId of [panes[3], panes[2], panes[1], panes[0]]) {
      const pane = paneOf(paneId, sessionId);
      const made = await plan(pane);
      expect(made).toMatchObject({ mode: "attach", snapshotId: "snap" });
      const opened = openTerminal(made.argv);
      await awaitPlace(opened, sessionId, pane);
      await expectTypingReaches(opened, paneId);
    }
  });

  test("in a group attaches to the given member and leaves a client of another member where it is", async () => {
    const { sessionId, panes } = createSession("main");
    const sibling = createSibling(sessionId);
    const someone = await attachTo(sibling);
    const before = whereIs(someone);
    const pane = paneOf(panes[3], sessionId);
    const opened = openTerminal((await plan(pane)).argv);
    await awaitPlace(opened, sessionId, pane);
    await expectTypingReaches(opened, panes[3]);
    expect(whereIs(someone)).toBe(before);
  });

  test("shows the pane also when another pane of its window is zoomed", async () => {
    const { sessionId, panes } = createSession("main");
    inner.run("resize-pane", "-Z", "-t", panes[2]);
    const pane = paneOf(panes[3], sessionId);
    const opened = openTerminal((await plan(pane)).argv);
    await awaitPlace(opened, sessionId, pane);
    await expectTypingReaches(opened, panes[3]);
  });

  test("does nothing when the pane has gone or moved elsewhere meanwhile", async () => {
    const { sessionId, panes } = createSession("main");
    const someone = await attachTo(sessionId);
    const before = whereIs(someone);
    const plans = [await plan(paneOf(panes[3], sessionId)), await plan(paneOf(panes[1], sessionId))];
    inner.run("kill-pane", "-t", panes[3]);
    inner.run("break-pane", "-d", "-s", panes[1]);
    for (const { argv } of plans) {
      const opened = openTerminal(argv);
      const failed = (): void => expect(terminal.run("capture-pane", "-p", "-t", opened)).toContain("exit=1");
      await vi.waitFor(failed, { timeout: 10_000, interval: 30 });
      expect(whereIs(opened)).toBe("");
    }
    expect(whereIs(someone)).toBe(before);
  });
});

const insideOf = (sessionId: string): string =>
  `${inner.socket},${inner.run("display-message", "-p", "#{pid}")},${sessionId.slice(1)}`;

describe.skipIf(!hasTmux)("a caller inside the same server", () => {
  test("is switched in place; neither a bystander nor a control client is moved", async () => {
    const home = createSession("home");
    const { sessionId, panes } = createSession("work");
    const bystander = await attachTo(createSession("else").sessionId);
    const caller = await attachTo(home.sessionId);
    // Attached last and to the caller's session: the one that tmux itself would take for current.
    const control = spawn("tmux", [
      "-S",
      inner.socket,
      "-C",
      "attach-session",
      "-t",
      home.sessionId,
      "-f",
      "no-output",
    ]);
    children.push(control);
    const clientCount = (): number => inner.run("list-clients").split("\n").length;
    await vi.waitFor(() => expect(clientCount()).toBe(3), { timeout: 10_000, interval: 30 });
    const before = whereIs(bystander);

    const pane = paneOf(panes[3], sessionId);
    const made = await plan(pane, insideOf(home.sessionId));
    expect(made.mode).toBe("switch_client");
    // Run as the caller would: in a pane of the server, with its environment.
    inner.run("respawn-pane", "-k", "-t", home.panes[0], `sh ${shellQuote(script(made.argv))}`);
    await awaitPlace(caller, sessionId, pane);
    await expectTypingReaches(caller, panes[3]);
    expect(whereIs(bystander)).toBe(before);
    expect(inner.run("list-clients", "-F", "#{client_control_mode} #{session_id}").split("\n")).toContain(
      `1 ${home.sessionId}`,
    );
  });

  test("without any terminal is told so", async () => {
    const { sessionId, panes } = createSession("work");
    await expect(plan(paneOf(panes[1], sessionId), insideOf(sessionId))).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
    });
  });

  test.each([
    ["another server's socket", (pid: string) => `${folder}/terminal,${pid},0`],
    ["another life of the server", () => `${folder}/inner,1,0`],
    ["nonsense", () => "not,a,tmux"],
  ])("is not assumed from %s", async (_title, insideTmux) => {
    const { sessionId, panes } = createSession("work");
    const text = insideTmux(inner.run("display-message", "-p", "#{pid}"));
    expect((await plan(paneOf(panes[1], sessionId), text)).mode).toBe("attach");
  });
});

/** As iTerm2 does it: a control client on a terminal of its own. */
const attachNatively = async (target: string): Promise<string> => {
  const opened = openTerminal(["tmux", "-S", inner.socket, "-CC", "attach-session", "-t", target]);
  await vi.waitFor(() => expect(whereIs(opened)).not.toBe(""), { timeout: 10_000, interval: 30 });
  return opened;
};
const runPlan = ({ argv: [file = "", ...args] }: AttachPlan): number | null => spawnSync(file, args).status;

describe.skipIf(!hasTmux)("a terminal that shows the session already", () => {
  test("is made to show the pane, and nobody else is moved", async () => {
    const { sessionId, panes } = createSession("main");
    const sibling = createSibling(sessionId);
    const someone = await attachTo(sibling);
    const here = await attachTo(sessionId);
    const before = whereIs(someone);
    const pane = {
      ...paneOf(panes[3], sessionId),
      alsoIn: [{ sessionId: sibling, sessionName: "sibling", windowIndex: 0 }],
    };
    const made = await plan(pane, null, true);
    expect(made).toMatchObject({
      mode: "focus_client",
      existingClient: { tty: ttyOf(here), isNative: false },
    });
    expect(runPlan(made)).toBe(0);
    await awaitPlace(here, sessionId, pane);
    await expectTypingReaches(here, panes[3]);
    expect(whereIs(someone)).toBe(before);
  });

  test("may show it through another session of the group, which keeps its terminal", async () => {
    const { sessionId, panes } = createSession("main");
    const sibling = createSibling(sessionId);
    const someone = await attachTo(sibling);
    const pane = {
      ...paneOf(panes[2], sessionId),
      alsoIn: [{ sessionId: sibling, sessionName: "sibling", windowIndex: 0 }],
    };
    const made = await plan(pane, null, true);
    expect([made.existingClient?.tty, runPlan(made)]).toEqual([ttyOf(someone), 0]);
    await awaitPlace(someone, sibling, pane);
  });

  test("may show it through a window that is linked into its session", async () => {
    const { sessionId, panes } = createSession("main");
    const other = createSession("other");
    const pane = {
      ...paneOf(panes[2], sessionId),
      alsoIn: [{ sessionId: other.sessionId, sessionName: "other", windowIndex: 9 }],
    };
    inner.run("link-window", "-d", "-s", `${sessionId}:${pane.windowId}`, "-t", `${other.sessionId}:9`);
    const someone = await attachTo(other.sessionId);
    const made = await plan(pane, null, true);
    expect([made.existingClient?.tty, runPlan(made)]).toEqual([ttyOf(someone), 0]);
    await awaitPlace(someone, other.sessionId, pane);
    await expectTypingReaches(someone, panes[2]);
  });

  test.each([
    ["was not asked for", async (session: string) => void (await attachTo(session)), false],
    ["shows another session", async () => void (await attachTo(createSession("else").sessionId)), true],
    [
      "may only look",
      async (session: string) => {
        const opened = openTerminal(["tmux", "-S", inner.socket, "attach-session", "-r", "-t", session]);
        await vi.waitFor(() => expect(whereIs(opened)).not.toBe(""), { timeout: 10_000, interval: 30 });
      },
      true,
    ],
    [
      "is a control client without a terminal",
      async (session: string) => {
        const flags = ["-C", "attach-session", "-t", session, "-f", "read-only,no-output,ignore-size"];
        children.push(spawn("tmux", ["-S", inner.socket, ...flags]));
        await vi.waitFor(() => expect(inner.run("list-clients")).not.toBe(""), { timeout: 10_000 });
      },
      true,
    ],
  ])("is not used when it %s", async (_why, arrange, mayFocus) => {
    const { sessionId, panes } = createSession("main");
    await arrange(sessionId);
    expect(await plan(paneOf(panes[1], sessionId), null, mayFocus)).toMatchObject({
      mode: "attach",
      existingClient: null,
    });
  });

  test("does nothing when the pane has gone meanwhile", async () => {
    const { sessionId, panes } = createSession("main");
    const here = await attachTo(sessionId);
    const before = whereIs(here);
    const made = await plan(paneOf(panes[3], sessionId), null, true);
    inner.run("kill-pane", "-t", panes[3]);
    expect(runPlan(made)).not.toBe(0);
    expect(whereIs(here)).toBe(before);
  });
});

describe.skipIf(!hasTmux)("a terminal in tmux's control mode, as iTerm2", () => {
  test("gets the pane selected and never a second client beside it", async () => {
    const { sessionId, panes } = createSession("main");
    await attachTo(sessionId);
    const native = await attachNatively(sessionId);
    for (const mayFocus of [false, true]) {
      const pane = paneOf(panes[mayFocus ? 3 : 1], sessionId);
      const made = await plan(pane, null, mayFocus);
      expect(made).toMatchObject({
        mode: "focus_client",
        existingClient: { tty: ttyOf(native), isNative: true },
      });
      expect(made.argv).not.toContain("attach-session");
      expect(runPlan(made)).toBe(0);
      expect(whereIs(native)).toBe(`${sessionId} ${pane.windowId} ${pane.paneId}`);
    }
    expect(inner.run("list-clients").split("\n")).toHaveLength(2);
  });

  test("goes to another window of its session from inside, and says what to do about another session", async () => {
    const { sessionId, panes } = createSession("main");
    const other = createSession("other");
    await attachTo(other.sessionId);
    const native = await attachNatively(sessionId);
    const pane = paneOf(panes[3], sessionId);
    const made = await plan(pane, insideOf(sessionId));
    expect([made.mode, made.existingClient?.tty, runPlan(made)]).toEqual(["focus_client", ttyOf(native), 0]);
    expect(whereIs(native)).toBe(`${sessionId} ${pane.windowId} ${pane.paneId}`);
    const elsewhere = plan(paneOf(other.panes[0], other.sessionId), insideOf(sessionId));
    await expect(elsewhere).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      remedy: expect.stringContaining("list of tmux sessions"),
    });
  });

  test("leaves a pane of another session to a terminal of its own", async () => {
    await attachNatively(createSession("main").sessionId);
    const { sessionId, panes } = createSession("other");
    expect((await plan(paneOf(panes[1], sessionId), null, true)).mode).toBe("attach");
  });
});

test.skipIf(!hasTmux)("a pane that is not the snapshot's is refused", async () => {
  const { sessionId, panes } = createSession("work");
  const pane = paneOf(panes[1], sessionId);
  await expect(plan(pane).then(() => plan({ ...pane, server: "elsewhere" }))).rejects.toThrow(
    /is not the pane of snapshot/,
  );
});
