// A daemon with several targets, in whatever trouble, and what can be counted of it on both sides.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Timing } from "../../core/model/config.ts";
import type { PaneView, TargetView } from "../../core/model/view.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { startTestDaemon } from "../harness/daemon.ts";
import { until } from "../setup/realClock.ts";
import type { SshServer } from "./sshServer.ts";
import type { Transport } from "./targetHarness.ts";

export interface RemoteTarget {
  name: string;
  alias: string;
  transport: Transport;
  socketPath: string;
  tmuxPath?: string;
  /** More servers, by name. */
  moreSockets?: Readonly<Record<string, string>>;
}

/** The daemon watches `sockets` of this machine, and the targets as they are added. Its owner closes `daemon`. */
export const openRemoteTargets = async (options: {
  server: SshServer;
  sockets: readonly string[];
  clock?: Clock;
  /** As in config.json. */
  timing?: Partial<Timing>;
}) => {
  const daemon = await startTestDaemon({
    sockets: options.sockets,
    env: { AGTMUX_SSH_CONFIG: options.server.configFile },
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  const configured: unknown[] = [];
  const target = (name: string): TargetView | undefined =>
    daemon.daemon.service.targets().find((one) => one.target === name);
  return {
    daemon,
    target,
    untilHealth: async (name: string, health: TargetView["health"], limitMs = 20_000) => {
      await until(() => target(name)?.health === health, `${name} is ${health}`, limitMs).catch(
        (cause: unknown) => {
          throw new Error(`${name} is ${JSON.stringify(target(name))}`, { cause });
        },
      );
      const found = target(name);
      if (found === undefined) throw new Error(`${name} is gone`);
      return found;
    },
    rowsOf: (name: string): PaneView[] => daemon.rows().filter((row) => row.identity.target === name),
    /** Adds to the targets. */
    add: async (...targets: RemoteTarget[]): Promise<void> => {
      for (const { name, alias, transport, socketPath, tmuxPath, moreSockets = {} } of targets)
        configured.push({
          name,
          ssh_target: alias,
          transport,
          tmux_servers: Object.entries({ remote: socketPath, ...moreSockets }).map(([server, path]) => ({
            name: server,
            socket_path: path,
          })),
          ...(tmuxPath === undefined ? {} : { tmux_path: tmuxPath }),
        });
      await daemon.configure({ targets: configured, timing: options.timing ?? {} });
    },
    /** Prompts of the stored events, in the order in which they were applied. */
    storedPrompts: (): string[] => {
      const db = new Database(daemon.paths.stateDb, { readonly: true });
      try {
        return db
          .prepare<[], string>(
            "SELECT raw_payload FROM events WHERE event_type = 'UserPromptSubmit' ORDER BY event_time, event_row",
          )
          .pluck()
          .all()
          .map((payload) => String((JSON.parse(payload) as { prompt?: unknown }).prompt));
      } finally {
        db.close();
      }
    },
  };
};

export type RemoteTargetsHarness = Awaited<ReturnType<typeof openRemoteTargets>>;

/** What this process holds: children and sockets. */
export const countOwn = (): { children: number; sockets: number } => {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, "latin1").split(" ");
  const sockets = readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(join("/proc/self/fd", fd)).startsWith("socket:");
    } catch {
      return false;
    }
  });
  return { children: children.filter((pid) => pid !== "").length, sockets: sockets.length };
};
