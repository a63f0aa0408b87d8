// What watching an idle machine costs: bytes and packets on the wire, channels, and processes started over there. The far
// side is a PID namespace of its own, so that every process start in it is counted and nothing else is.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { until } from "../test/setup/realClock.ts";
import { createSshHarness, type Transport, untilHealth } from "./sshHarness.ts";

// A box that counts processes like a remote machine: everything that is started in it is in its own PID namespace, whose last
// pid tells exactly how many processes were started. Needs root on Linux; elsewhere there is no such box.

interface RemoteBox {
  /** Runs a line of shell in the box; it must not wait for what it starts. */
  run(line: string): void;
  /** Processes (and threads) started in the box so far, without those that the question itself starts. */
  startedProcesses(): Promise<number>;
  /** Ends everything in it. */
  close(): Promise<void>;
}

const NAMESPACE = ["--pid", "--fork", "--mount-proc", "--kill-child"];
/** The namespace ends with its first process, and this process ends with its input. */
const INIT = 'while IFS= read -r line; do eval "$line"; done';

/** Null where this machine does not allow it. */
const openRemoteBox = (): RemoteBox | null => {
  if (spawnSync("unshare", [...NAMESPACE, "true"]).status !== 0) return null;
  const child = spawn("unshare", [...NAMESPACE, "sh", "-c", INIT], { stdio: ["pipe", "pipe", "inherit"] });
  const gone = new Promise<void>((done) => child.once("exit", () => done()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let asked = 0;
  const run = (line: string): void => {
    child.stdin.write(`${line}\n`);
  };
  return {
    run,
    startedProcesses: async () => {
      // A shell's own `read` gets no more than the first digit of this file.
      run("cat /proc/sys/kernel/ns_last_pid");
      asked += 1;
      const { value } = await lines.next();
      return Number(value) - asked;
    },
    close: async () => {
      child.stdin.end();
      await gone;
    },
  };
};

const PANES = 50;
const AGENTS = 5;
const SETTLE_MS = 20_000;
const HEADER_BYTES = 52;
const FRAME = fileURLToPath(new URL("../test/fixtures/recordings/claude/idle_fresh.ansi", import.meta.url));

/** The kernel's counters of the one connection to a local port. */
const countersOf = (port: number) => {
  const text = execFileSync("ss", ["-tinH", "state", "established", "dport", "=", `:${port}`], {
    encoding: "utf8",
  });
  const sum = (name: string): number =>
    [...text.matchAll(new RegExp(`\\b${name}:(\\d+)`, "g"))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    );
  return {
    payload: sum("bytes_sent") + sum("bytes_received"),
    packets: sum("segs_out") + sum("segs_in"),
  };
};

/** What the far sshd started itself: one for each open channel. */
const countChannels = (remoteHome: string): number => {
  const isRemote = (pid: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`HOME=${remoteHome}\0`);
    } catch {
      return false;
    }
  };
  const parentOf = (pid: string): string =>
    /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? "";
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isRemote(pid) && !isRemote(parentOf(pid)))
    .length;
};

export const benchSshIdle = async (transport: Transport, seconds: number) => {
  const harness = await createSshHarness(transport);
  const { server, remote, proxy } = harness;
  const box = openRemoteBox();
  try {
    copyFileSync("/bin/sleep", join(server.folder, "claude"));
    const tmux = (...words: string[]): string =>
      `tmux -u ${remote.socketArgs.join(" ")} ${words.map((word) => `'${word}'`).join(" ")}`;
    // Like Claude Code, it says in a file of its own what it is doing.
    const session = `{"pid":$$,"sessionId":"s-$$","cwd":"/","kind":"interactive","status":"idle","updatedAt":$(date +%s000)}`;
    const said = `mkdir -p "${server.remoteHome}/.claude/sessions"; echo "${session.replaceAll('"', '\\"')}" >"${server.remoteHome}/.claude/sessions/$$.json"`;
    const agent = `${said}; cat "${FRAME}"; exec "${join(server.folder, "claude")}" 100000`;
    const lines = [
      tmux("new-session", "-d", "-s", "s", "-x", "120", "-y", "40", "sleep 100000"),
      ...Array.from({ length: PANES - 1 }, (_, pane) =>
        tmux("new-window", "-d", "-t", "s:", pane < AGENTS ? agent : "sleep 100000"),
      ),
    ];
    if (box === null) for (const line of lines) execFileSync("sh", ["-c", line]);
    else {
      await server.stop();
      box.run(`/usr/sbin/sshd -D -e -f ${server.folder}/sshd_config </dev/null >${server.folder}/log 2>&1 &`);
      for (const line of lines) box.run(line);
    }
    const countPanes = async (): Promise<number> =>
      (await remote.run("list-panes", "-a").catch(() => "")).split("\n").length;
    await until(async () => (await countPanes()) === PANES, "the far panes are there", 60_000);
    const client = await harness.startDaemon([harness.settingsOf("vm1", harness.slowAlias)]);
    await untilHealth(client, "vm1", "ok");
    await wait(SETTLE_MS);
    const before = countersOf(proxy.port);
    const startsBefore = (await box?.startedProcesses()) ?? null;
    await wait(seconds * 1_000);
    const after = countersOf(proxy.port);
    const startsAfter = (await box?.startedProcesses()) ?? null;
    const { items } = await client.call((api) => api.panes.query({}));
    const packets = after.packets - before.packets;
    const payload = after.payload - before.payload;
    return {
      panes: PANES,
      agents: items.length,
      seconds,
      /** Both directions with 52 bytes of header for each packet, acknowledgements too; per second. */
      wireBytesPerSecond: (payload + packets * HEADER_BYTES) / seconds,
      payloadBytesPerSecond: payload / seconds,
      packetsPerSecond: packets / seconds,
      channels: countChannels(server.remoteHome),
      /** Null: this machine allows no PID namespace. */
      processStartsPerMinute:
        startsBefore === null || startsAfter === null ? null : ((startsAfter - startsBefore) / seconds) * 60,
    };
  } finally {
    await harness.close();
    await box?.close();
  }
};

export type SshIdle = Awaited<ReturnType<typeof benchSshIdle>>;
