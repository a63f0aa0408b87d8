// A target behind a real sshd whose remote side floods, and what this process takes meanwhile.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { TargetView } from "../../core/model/view.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";
import { openRemoteTargets, type RemoteTargetsHarness } from "../ssh/remoteTargetsHarness.ts";
import { createSshServer, type SshServer } from "../ssh/sshServer.ts";
import type { Transport } from "../ssh/targetHarness.ts";
import { measureSlowness } from "../setup/machine.ts";

const FLOOD = fileURLToPath(new URL("fixtures/flood.mjs", import.meta.url));
export const LIMIT_MS = 30_000;
/** What a test itself may take, with the daemon in its process. */
const MAX_GROWTH = 250 * 1024 * 1024;
/** Nothing stands still for longer: the whole product is in this process, beside the flood's sshd on two cores. */
const MAX_PAUSE_MS = 1_500 * measureSlowness();
/** So that nobody waits for the next look at this machine's tmux. */
const TIMING = { topology_interval_ms: 200 };

/** What does not depend on the transport is shown over one, and over both by `npm run faults:ssh`. */
export const EITHER: readonly Transport[] =
  process.env["AGTMUX_SSH_CUTS"] === undefined ? ["ssh2"] : ["ssh2", "openssh"];

interface Cost {
  growth: number;
  longestPauseMs: number;
}
/** What this process takes while `work` runs. */
export const watching = async (work: () => Promise<void>): Promise<Cost> => {
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

export const expectHeld = (cost: Cost): void => {
  expect(cost.growth).toBeLessThan(MAX_GROWTH);
  expect(cost.longestPauseMs).toBeLessThan(MAX_PAUSE_MS);
};

export const openFloodHarness = async () => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-flood-"));
  const [near, remote] = [createPrivateTmux(), createPrivateTmux()];
  await Promise.all([near.newSession("here"), remote.newSession("there")]);
  let opened: { server: SshServer; targets: RemoteTargetsHarness } | null = null;
  const targets = (): RemoteTargetsHarness => {
    if (opened === null) throw new Error("there is no target yet");
    return opened.targets;
  };
  const set = (name: "on" | "connected", isSo: boolean): void => {
    if (isSo) writeFileSync(join(folder, name), "");
    else rmSync(join(folder, name), { force: true });
  };
  const turn = (isOn: boolean): void => set("on", isOn);
  /** The daemon still does its work on this machine. */
  const expectLocalLife = async (): Promise<void> => {
    const title = `title ${performance.now()}`;
    await near.run("select-pane", "-t", "%0", "-T", title);
    await until(
      () =>
        targets()
          .rowsOf("host")
          .some((row) => row.title === title),
      "the local title is seen",
      5_000,
    );
  };
  const isTold = ({ health, health_reason }: TargetView): boolean =>
    health !== "ok" && /has no end|keeps writing|nobody asked for|too much/.test(health_reason ?? "");
  return {
    turn,
    get targets() {
      return targets();
    },
    /**
     * A program of the remote side that does `what` while the flood is on, and `rest` then: `$flood` writes without an end, `later`
     * waits for `floodNow`.
     */
    program: (name: string, what: string, rest: string): string => {
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
    },
    open: async ({
      transport,
      loginShell,
      tmuxPath,
    }: {
      transport: Transport;
      loginShell?: string;
      tmuxPath?: string;
    }): Promise<void> => {
      const server = await createSshServer(loginShell === undefined ? {} : { loginShell });
      const made = await openRemoteTargets({ server, sockets: [near.socketPath], timing: TIMING });
      opened = { server, targets: made };
      await made.add({
        name: "vm1",
        alias: "vm1",
        transport,
        socketPath: remote.socketPath,
        ...(tmuxPath === undefined ? {} : { tmuxPath }),
      });
    },
    /** What comes later comes now, once the target is connected. */
    floodNow: async (): Promise<void> => {
      await targets().untilHealth("vm1", "ok", LIMIT_MS);
      set("connected", true);
    },
    /** The target says that it is flooded; what comes later does not come again. */
    untilTold: async (): Promise<void> => {
      const target = () => targets().target("vm1");
      const told = until(() => [target()].some((one) => one !== undefined && isTold(one)), "", LIMIT_MS);
      await told.catch((cause: unknown) => {
        throw new Error(`it does not say that it is flooded: ${JSON.stringify(target())}`, { cause });
      });
      set("connected", false);
    },
    /** It is not tried again and again, and costs next to nothing in between. */
    expectRest: async (): Promise<void> => {
      const before = process.cpuUsage();
      const startedAt = performance.now();
      for (let round = 0; round < 3; round += 1) {
        await expectLocalLife();
        await new Promise((done) => setTimeout(done, 300));
      }
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1_000 / (performance.now() - startedAt)).toBeLessThan(0.5);
    },
    /** Connects again once the flood is over. */
    mend: async (): Promise<void> => {
      turn(false);
      // The first attempt may still meet the flood: the health that is awaited afterwards is what counts.
      const again = targets().daemon.daemon.service.targetConnect({ name: "vm1" });
      await again.catch((error: unknown) => error);
      await targets().untilHealth("vm1", "ok", LIMIT_MS);
    },
    close: async (): Promise<void> => {
      turn(false);
      if (opened !== null) {
        const { server } = opened;
        await opened.targets.daemon.close();
        await until(() => server.remoteProcesses().length === 0, "nothing of ours runs over there", LIMIT_MS);
        await server.close();
      }
      await Promise.all([near.close(), remote.close()]);
      rmSync(folder, { recursive: true });
    },
  };
};

export type FloodHarness = Awaited<ReturnType<typeof openFloodHarness>>;
