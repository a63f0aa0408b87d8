// How fast lists answer while targets are in trouble: one healthy, one whose remote side is frozen, one with a changed host key.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createSshServer } from "../test/ssh/sshServer.ts";
import { createSshHarness, untilHealth, type Transport } from "./sshHarness.ts";
import { spreadOf } from "./statistics.ts";

const ASK_EVERY_MS = 50;

export const benchSshLists = async (transport: Transport, seconds: number) => {
  const harness = await createSshHarness(transport);
  const { server, remote } = harness;
  const frozen = await createSshServer();
  const stopped: number[] = [];
  try {
    await remote.newSession("s", "sleep 100000");
    for (let pane = 1; pane < 50; pane += 1) await remote.run("new-window", "-d", "-t", "s:", "sleep 100000");
    const strange = join(server.folder, "strange_hosts");
    await writeFile(
      strange,
      `${server.hostKeyLine.split(" ")[0]} ${frozen.hostKeyLine.split(" ").slice(1).join(" ")}\n`,
    );
    await server.addHost("changed", [`UserKnownHostsFile ${strange}`]);
    await server.addHost("frozen", [
      `Port ${frozen.port}`,
      `UserKnownHostsFile ${frozen.knownHosts}`,
      `IdentityFile ${frozen.userKey}`,
    ]);
    const client = await harness.startDaemon([
      harness.settingsOf("vm1", harness.slowAlias),
      harness.settingsOf("vm2", "frozen"),
      harness.settingsOf("vm3", "changed"),
    ]);
    await Promise.all([untilHealth(client, "vm1", "ok"), untilHealth(client, "vm2", "ok")]);
    /** New connections freeze as well. */
    const freeze = async (): Promise<void> => {
      for (const pid of frozen.sessionPids()) {
        if (stopped.includes(pid)) continue;
        process.kill(pid, "SIGSTOP");
        stopped.push(pid);
      }
    };
    const sample: number[] = [];
    const end = performance.now() + seconds * 1_000;
    while (performance.now() < end) {
      const at = performance.now();
      await client.call((api) => api.panes.query({ all: true }));
      sample.push(performance.now() - at);
      await freeze();
      await wait(ASK_EVERY_MS);
    }
    const targets = await client.call((api) => api.targets.query());
    return {
      /** Milliseconds of one request for all panes over the daemon's socket. */
      list: spreadOf(sample),
      targets: targets.map(({ target, health, health_reason: reason }) => ({ target, health, reason })),
    };
  } finally {
    await harness.close();
    for (const pid of stopped) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // The process ended with its connection.
      }
    }
    await frozen.close();
  }
};

export type SshLists = Awaited<ReturnType<typeof benchSshLists>>;
