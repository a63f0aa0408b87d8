// A remote side that floods: a login shell, an answer, a tmux or a program of a real target behind a real sshd that
// writes without end. The channel ends with a reason, the target says so, and everything else goes on.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { actionGuardsSchema } from "../../core/model/snapshot.ts";
import type { TargetView } from "../../core/model/view.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";
import { openRemoteTargets, type RemoteTargetsHarness } from "../ssh/remoteTargetsHarness.ts";
import { createSshServer, type SshServer } from "../ssh/sshServer.ts";
import type { Transport } from "../ssh/targetHarness.ts";

const FLOOD = fileURLToPath(new URL("fixtures/flood.mjs", import.meta.url));
const LIMIT_MS = 30_000;
/** What a test itself may take, with the daemon in its process. */
const MAX_GROWTH = 250 * 1024 * 1024;
/** Nothing stands still for longer: the whole product is in this process, beside the flood's sshd on two cores. */
const MAX_PAUSE_MS = 1_500;

/** What does not depend on the transport is shown over one, and over both by `npm run faults:ssh`. */
const EITHER: readonly Transport[] =
  process.env["AGTMUX_SSH_CUTS"] === undefined ? ["ssh2"] : ["ssh2", "openssh"];

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/**
 * What a login shell of the kind does, or what its tmux does; `$flood` is the program that writes without an end, `later` waits
 * until the target is connected.
 */
const LOGIN_SHELLS: Readonly<Record<string, string>> = {
  "a banner without end": "exec $flood zeros stdout",
  "a banner of lines without end": "exec $flood lines stdout",
  "errors without end": "exec $flood zeros stderr",
  "the rest of the line of our own mark": "exec $flood mark stdout",
  "the rest of the line of our own mark as errors": "exec $flood mark stderr",
  "what nobody asked for, later": '{ later; $flood zeros stdout; } & exec /bin/sh "$@"',
  "lines that nobody asked for, later": '{ later; $flood lines stdout; } & exec /bin/sh "$@"',
  "errors that nobody asked for, later": '{ later; $flood zeros stderr; } & exec /bin/sh "$@"',
  "lines of errors that nobody asked for, later": '{ later; $flood lines stderr; } & exec /bin/sh "$@"',
};
const whenListing = (what: string): string => `case " $* " in *list-panes*) ${what};; esac`;
const TMUXES: Readonly<Record<string, string>> = {
  "a listing without end": whenListing("exec $flood lines stdout"),
  "a listing that is one line without end": whenListing("exec $flood zeros stdout"),
  "something left behind that writes what nobody asked for": whenListing(
    "{ sleep 0.3; $flood lines stdout; } &",
  ),
};

let folder: string;
let server: SshServer;
let near: PrivateTmux;
let remote: PrivateTmux;
let remoteTargets: RemoteTargetsHarness;

/** A program of the remote side that does `what` while the file `on` is there. */
const program = (name: string, what: string, rest: string): string => {
  const path = join(folder, name);
  const lines = [
    "#!/bin/sh",
    `flood='${process.execPath} ${FLOOD}'`,
    `on=${join(folder, "on")} connected=${join(folder, "connected")}`,
    'later() { until [ -e "$connected" ]; do [ -e "$on" ] || exit; sleep 0.1; done; }',
    `if [ -e "$on" ]; then ${what}`,
    "fi",
    rest,
  ];
  writeFileSync(path, `${lines.join("\n")}\n`);
  chmodSync(path, 0o755);
  return path;
};
const set = (name: "on" | "connected", isSo: boolean): void => {
  if (isSo) writeFileSync(join(folder, name), "");
  else rmSync(join(folder, name), { force: true });
};
const turn = (isOn: boolean): void => set("on", isOn);
/** What comes later comes now, once. */
const floodWhenConnected = async (): Promise<void> => {
  await remoteTargets.untilHealth("vm1", "ok", LIMIT_MS);
  set("connected", true);
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-flood-"));
  [near, remote] = [createPrivateTmux(), createPrivateTmux()];
  await Promise.all([near.newSession("here"), remote.newSession("there")]);
});
afterEach(async () => {
  turn(false);
  await remoteTargets.daemon.close();
  await until(() => server.remoteProcesses().length === 0, "nothing of ours runs over there", LIMIT_MS);
  await server.close();
  await Promise.all([near.close(), remote.close()]);
  rmSync(folder, { recursive: true });
});

const open = async (options: {
  transport: Transport;
  loginShell?: string;
  tmuxPath?: string;
}): Promise<void> => {
  server = await createSshServer(options.loginShell === undefined ? {} : { loginShell: options.loginShell });
  remoteTargets = await openRemoteTargets({ server, sockets: [near.socketPath] });
  await remoteTargets.add({
    name: "vm1",
    alias: "vm1",
    transport: options.transport,
    socketPath: remote.socketPath,
    ...(options.tmuxPath === undefined ? {} : { tmuxPath: options.tmuxPath }),
  });
};

interface Cost {
  growth: number;
  longestPauseMs: number;
}
/** What this process takes while `work` runs. */
const watching = async (work: () => Promise<void>): Promise<Cost> => {
  const before = process.memoryUsage().rss;
  const cost = { growth: 0, longestPauseMs: 0 };
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    cost.longestPauseMs = Math.max(cost.longestPauseMs, now - last);
    cost.growth = Math.max(cost.growth, process.memoryUsage().rss - before);
    last = now;
  }, 20);
  try {
    await work();
  } catch (cause) {
    throw new Error(`it took ${JSON.stringify(cost)}`, { cause });
  } finally {
    clearInterval(timer);
  }
  return cost;
};

/** The daemon still does its work on this machine. */
const expectLocalLife = async (): Promise<void> => {
  const title = `title ${performance.now()}`;
  await near.run("select-pane", "-t", "%0", "-T", title);
  await until(
    () => remoteTargets.rowsOf("host").some((row) => row.title === title),
    "the local title is seen",
    5_000,
  );
};
const untilTold = async (): Promise<TargetView> => {
  const isTold = ({ health, health_reason }: TargetView): boolean =>
    health !== "ok" && /has no end|keeps writing|nobody asked for|too much/.test(health_reason ?? "");
  await until(
    () => {
      const target = remoteTargets.target("vm1");
      return target !== undefined && isTold(target);
    },
    "the target says that it is flooded",
    LIMIT_MS,
  ).catch((cause: unknown) => {
    throw new Error(JSON.stringify(remoteTargets.target("vm1")), { cause });
  });
  const target = remoteTargets.target("vm1");
  if (target === undefined) throw new Error("it is gone");
  return target;
};
const expectHeld = (cost: Cost): void => {
  expect(cost.growth).toBeLessThan(MAX_GROWTH);
  expect(cost.longestPauseMs).toBeLessThan(MAX_PAUSE_MS);
};
/** It is not tried again and again, and costs next to nothing in between. */
const expectRest = async (): Promise<void> => {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  for (let round = 0; round < 2; round += 1) {
    await expectLocalLife();
    await new Promise((done) => setTimeout(done, 300));
  }
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000 / (performance.now() - startedAt)).toBeLessThan(0.5);
};

/** The first attempt may still meet the flood: the health that is awaited afterwards is what counts. */
const connectAgain = (): Promise<unknown> =>
  remoteTargets.daemon.daemon.service.targetConnect({ name: "vm1" }).catch((error: unknown) => error);

const floodLogin = async (transport: Transport, kind: string): Promise<void> => {
  turn(true);
  const loginShell = program("shell", LOGIN_SHELLS[kind] ?? "", 'exec /bin/sh "$@"');
  const cost = await watching(async () => {
    await open({ transport, loginShell });
    if (kind.endsWith("later")) await floodWhenConnected();
    await untilTold();
    set("connected", false);
    await expectRest();
  });
  expectHeld(cost);
  turn(false);
  await connectAgain();
  await remoteTargets.untilHealth("vm1", "ok", LIMIT_MS);
};

describe.each(EITHER)("a target over %s whose login shell writes", (transport) => {
  it.each(Object.keys(LOGIN_SHELLS))("%s", (kind) => floodLogin(transport, kind));
});

it.runIf(EITHER.length === 1)("a target over OpenSSH's own client is held to the same", () =>
  floodLogin("openssh", "what nobody asked for, later"),
);

describe.each(EITHER)("a target over %s whose tmux has", (transport) => {
  it.each(Object.keys(TMUXES))("%s", async (kind) => {
    turn(true);
    const tmuxPath = program("tmux", TMUXES[kind] ?? "", 'exec tmux "$@"');
    const cost = await watching(async () => {
      await open({ transport, tmuxPath });
      await untilTold();
      await expectRest();
    });
    expectHeld(cost);
    turn(false);
    await connectAgain();
    await remoteTargets.untilHealth("vm1", "ok", LIMIT_MS);
  });

  it("an output without end: the one who asked hears it, and the target goes on", async () => {
    const tmuxPath = program(
      "tmux",
      'case " $* " in *" capture-pane "*) exec $flood lines stdout;; esac',
      'exec tmux "$@"',
    );
    const cost = await watching(async () => {
      await open({ transport, tmuxPath });
      await until(() => remoteTargets.rowsOf("vm1").length > 0, "its pane is listed", LIMIT_MS);
      turn(true);
      const [row] = remoteTargets.rowsOf("vm1");
      const asked = remoteTargets.daemon.daemon.service.viewOutput({
        ref: row?.identity.pane_ref ?? "",
        guards: actionGuardsSchema.parse({}),
        surface: "test",
        lines: 100,
        ansi: false,
        source: "screen",
      });
      await expect(asked).rejects.toThrow();
      await expectRest();
    });
    expectHeld(cost);
    expect(remoteTargets.target("vm1")?.health).toBe("ok");
  });
});
