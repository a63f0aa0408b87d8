// Connections that break at any moment while events come in: each event is stored once, and nothing is left of any of them,
// on neither side. `npm run faults:ssh` does the same 200 times.
import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { framesOf } from "../chain/chainHarness.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { createPlayer, type Player } from "../player/player.ts";
import { until } from "../setup/realClock.ts";
import { countOwn, openRemoteTargets, type RemoteTargetsHarness } from "./remoteTargetsHarness.ts";
import { createProxy, type Proxy } from "./proxy.ts";
import { createSshServer, type SshServer } from "./sshServer.ts";

const CUTS = Number(process.env["AGTMUX_SSH_CUTS"] ?? 8);
const LIMIT_MS = 30_000;
const EVENT_EVERY_MS = 60;
/** Moments of the next break after the attempt began: from before the login to well after the first look. */
const BREAK_AFTER_MS = [900, 0, 40, 400, 120, 1_500, 250, 600, 80, 330, 20, 700];

const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It went with its connection.
  }
};

describe.each(["openssh", "ssh2"] as const)(
  "a target over %s whose connection breaks again and again",
  (transport) => {
    let server: SshServer;
    let proxy: Proxy;
    let remote: PrivateTmux;
    let remoteTargets: RemoteTargetsHarness;
    let player: Player;

    beforeEach(async () => {
      server = await createSshServer();
      proxy = await createProxy(server.port);
      await server.addHost("proxied", [`Port ${proxy.port}`]);
      await appendFile(server.knownHosts, server.hostKeyLine.replace(`:${server.port} `, `:${proxy.port} `));
      remote = createPrivateTmux();
      player = await createPlayer({
        tmux: { socketArgs: remote.socketArgs },
        home: server.remoteHome,
        recordingsDir: framesOf("claude"),
        agent: "claude",
      });
      remoteTargets = await openRemoteTargets({ server, sockets: [join(remote.folder, "none")] });
    });
    afterEach(async () => {
      await remoteTargets.daemon.close();
      await player.close();
      await proxy.close();
      await server.close();
      await remote.close();
    });

    /** Drops an event as the hook does. */
    const spoolOf = (name: string): string => join(server.remoteHome, ".agtmux", "spool", name);
    const createLoad = async () => {
      for (const name of ["tmp", "new"]) mkdirSync(spoolOf(name), { recursive: true });
      const place = `${remote.socketPath},${await remote.serverPid()},0`;
      const dropped: string[] = [];
      const over = new AbortController();
      const drop = (): void => {
        const prompt = `event ${dropped.length}`;
        const name = `${1_000_000 + dropped.length}-0`;
        const header = `agtmux-event 1\nagent=claude\nevent=UserPromptSubmit\ntmux=${place}\npane=${player.paneId}\nppid=${player.pid}\n\n`;
        writeFileSync(
          join(spoolOf("tmp"), name),
          header + JSON.stringify({ session_id: player.sessionId, prompt }),
        );
        renameSync(join(spoolOf("tmp"), name), join(spoolOf("new"), name));
        dropped.push(prompt);
      };
      const work = (async () => {
        while (!over.signal.aborted) {
          drop();
          await wait(EVENT_EVERY_MS);
        }
      })();
      return {
        dropped,
        stop: async () => {
          over.abort();
          await work;
        },
      };
    };
    const breakOff = async (index: number): Promise<void> => {
      if (index % 3 !== 2) proxy.cut();
      // The server's own process dies: its end of the connection closes in good order.
      else for (const pid of server.sessionPids()) kill(pid);
    };
    const connect = () => remoteTargets.daemon.daemon.service.targetConnect({ name: "vm1" });
    const untilConnected = () =>
      until(
        () =>
          connect().then(
            ({ health }) => health === "ok",
            () => false,
          ),
        "vm1 is connected",
        LIMIT_MS,
      );
    const untilSeen = () =>
      until(
        () => remoteTargets.target("vm1")?.servers.some(({ status }) => status === "ok") === true,
        "it is watched",
        LIMIT_MS,
      );
    const countRemote = async () => ({
      processes: server.remoteProcesses().length,
      sessions: server.connectionPids().length,
      clients: (await remote.clientPids()).length,
    });
    const countHere = () => ({
      ...countOwn(),
      connections: proxy.connections,
      controlSockets: readdirSync(remoteTargets.daemon.paths.home).includes("cm")
        ? readdirSync(remoteTargets.daemon.paths.controlDir).length
        : 0,
    });

    it(
      `loses no event, stores none twice and leaves nothing over ${CUTS} breaks`,
      { timeout: 60_000 + CUTS * 5_000 },
      async () => {
        const before = countHere();
        await remoteTargets.add({ name: "vm1", alias: "proxied", transport, socketPath: remote.socketPath });
        await remoteTargets.untilHealth("vm1", "ok", LIMIT_MS);
        await untilSeen();
        const [remoteOnce, hereOnce] = [await countRemote(), countHere()];
        const load = await createLoad();
        try {
          for (let index = 0; index < CUTS; index += 1) {
            await wait(BREAK_AFTER_MS[index % BREAK_AFTER_MS.length]);
            await breakOff(index);
            // The attempt goes on while the next break comes.
            void connect().catch(() => {});
          }
        } finally {
          await load.stop();
        }
        await untilConnected();
        await until(() => readdirSync(spoolOf("new")).length === 0, "the spool is empty", LIMIT_MS);
        expect(remoteTargets.storedPrompts()).toEqual(load.dropped);
        await remoteTargets.daemon.until(player.paneId, (row) => row.state === "running", LIMIT_MS);

        await untilSeen();
        // Something short-lived may have been counted with the first one.
        const counts = async () => ({ ...(await countRemote()), ...countHere() });
        const most = { ...remoteOnce, ...hereOnce };
        const isSettled = async (): Promise<boolean> => {
          const now = Object.values(await counts());
          return Object.values(most).every((count, index) => (now[index] ?? Infinity) <= count);
        };
        await until(isSettled, "as much is left as one connection takes", LIMIT_MS).catch(async () => {
          expect(await counts()).toEqual(most);
        });

        await remoteTargets.daemon.daemon.service.targetRemove({ name: "vm1", isConfirmed: true });
        const nothing = { processes: 0, sessions: 0, clients: 0 };
        const isEmpty = async (): Promise<boolean> =>
          JSON.stringify([await countRemote(), countHere()]) === JSON.stringify([nothing, before]);
        await until(isEmpty, "nothing is left", LIMIT_MS).catch(async () => {
          expect([await countRemote(), countHere()]).toEqual([nothing, before]);
        });
      },
    );
  },
);
