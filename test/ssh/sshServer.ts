// A real OpenSSH server of a test's own: loopback, free port, own host key, user key and configuration, and a home folder
// for the remote side. It runs as the user of the tests and never looks at the real ~/.ssh.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { appendFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { until } from "../setup/realClock.ts";

const execFileAsync = promisify(execFile);
const SSHD = "/usr/sbin/sshd";
/** Tells the server's pid, and ends it when the input closes: with the tests, however they end. */
const RUN_WHILE_INPUT_OPEN =
  'exec 3<&0; "$@" </dev/null 3<&- & p=$!; echo "$p"; { read -r x <&3; kill -KILL "$p"; } & wait "$p"; exit';

export interface SshServerOptions {
  /** A shell that runs every command as if it were the login shell. */
  loginShell?: string;
  /** Lines for sshd_config. */
  config?: readonly string[];
  /** Lines of the far .bashrc: what a talkative login shell says. */
  bashrc?: string;
  /** Environment that the server gives its sessions. */
  env?: Readonly<Record<string, string>>;
}

export interface SshServer {
  readonly folder: string;
  readonly port: number;
  readonly user: string;
  /** Home of the remote side. */
  readonly remoteHome: string;
  /** Client configuration with the alias `vm1`; more may be appended with `addHost`. */
  readonly configFile: string;
  readonly knownHosts: string;
  readonly userKey: string;
  readonly alias: string;
  readonly hostKeyLine: string;
  /** Another alias; `lines` stand for, or beside, the usual ones. Gives its name. */
  addHost(name: string, lines: readonly string[]): Promise<string>;
  /** Pids of processes that sessions of this server started, wherever they are now. Linux only. */
  remoteProcesses(): number[];
  /** One pid for each connection: the process that everything of it descends from. */
  connectionPids(): number[];
  /** Pids of all the server's own processes that serve connections: one for each, or two where the user is not root. */
  sessionPids(): number[];
  log(): string;
  stop(): Promise<void>;
  /** Stops and removes everything. */
  close(): Promise<void>;
  start(): Promise<void>;
}

const freePort = (): Promise<number> =>
  new Promise((done, fail) => {
    const probe = createServer();
    probe.on("error", fail);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address !== null ? done(address.port) : fail(new Error("no port")),
      );
    });
  });

const makeKey = async (path: string): Promise<string> => {
  await execFileAsync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", path]);
  const [type, key] = (await readFile(`${path}.pub`, "utf8")).split(" ");
  return `${type} ${key}`;
};

const childrenOf = (parents: ReadonlySet<number>): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
          .replace(/^.*\) /s, "")
          .split(" ");
        return parents.has(Number(fields[1]));
      } catch {
        return false;
      }
    });

/** Not what a session runs. Its name is sshd, or since OpenSSH 9.8 that of a part of it, such as sshd-session. */
const isServer = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/comm`, "latin1").startsWith("sshd");
  } catch {
    return false;
  }
};

export const createSshServer = async (options: SshServerOptions = {}): Promise<SshServer> => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-sshd-"));
  // The server insists on its folder when it runs as root, and packages make it only when the service starts.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  const user = userInfo().username;
  const at = (name: string): string => join(folder, name);
  const remoteHome = at("far");
  const mark = `AGTMUX_TEST_SERVER=${folder}`;
  await mkdir(remoteHome);
  if (options.bashrc !== undefined) await writeFile(join(remoteHome, ".bashrc"), options.bashrc);
  const hostKey = await makeKey(at("host_key"));
  await writeFile(at("authorized_keys"), `${await makeKey(at("user_key"))}\n`);
  const port = await freePort();
  const env = Object.entries(options.env ?? {}).map(([name, value]) => `"${name}=${value}"`);
  const config = [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${at("host_key")}`,
    `AuthorizedKeysFile ${at("authorized_keys")}`,
    "PidFile none",
    "StrictModes no",
    "UsePAM no",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "PermitRootLogin yes",
    "LogLevel VERBOSE",
    "MaxStartups 100",
    `SetEnv "HOME=${remoteHome}" "${mark}" ${env.join(" ")}`,
    ...(options.loginShell === undefined
      ? []
      : [`ForceCommand exec ${options.loginShell} -c "$SSH_ORIGINAL_COMMAND"`]),
    ...(options.config ?? []),
  ];
  await writeFile(at("sshd_config"), `${config.join("\n")}\n`);
  const hostKeyLine = `[127.0.0.1]:${port} ${hostKey}`;
  await writeFile(at("known_hosts"), `${hostKeyLine}\n`);
  const defaults = (names: readonly string[]): string[] =>
    [
      ["HostName", "127.0.0.1"],
      ["Port", String(port)],
      ["User", user],
      ["IdentityFile", at("user_key")],
      ["IdentitiesOnly", "yes"],
      ["UserKnownHostsFile", at("known_hosts")],
      ["GlobalKnownHostsFile", "/dev/null"],
    ]
      .filter(([name = ""]) => !names.includes(name.toLowerCase()))
      .map(([name, value]) => `${name} ${value}`);
  const addHost = async (name: string, lines: readonly string[]): Promise<string> => {
    const own = lines.map((line) => (line.split(/\s/)[0] ?? "").toLowerCase());
    await appendFile(at("ssh_config"), `Host ${name}\n  ${[...lines, ...defaults(own)].join("\n  ")}\n`);
    return name;
  };
  await addHost("vm1", []);

  let child: ChildProcess | null = null;
  let listenerPid: number | null = null;
  let log = "";
  const start = async (): Promise<void> => {
    const words = ["leash", SSHD, "-D", "-e", "-f", at("sshd_config")];
    const started = spawn("/bin/sh", ["-c", RUN_WHILE_INPUT_OPEN, ...words], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    started.stdin.on("error", () => {});
    started.stdout.once("data", (chunk: Buffer) => {
      listenerPid = Number(chunk.toString("latin1"));
    });
    let isOver = false;
    started.on("error", () => {
      isOver = true;
    });
    started.on("exit", () => {
      isOver = true;
    });
    started.stderr.on("data", (chunk: Buffer) => {
      log += chunk.toString("utf8");
    });
    child = started;
    const listening = `Server listening on 127.0.0.1 port ${port}`;
    await until(() => isOver || (listenerPid !== null && log.includes(listening)), "sshd listens");
    if (isOver) throw new Error(`sshd did not start: ${log}`);
  };
  const connectionPids = (): number[] => (listenerPid === null ? [] : childrenOf(new Set([listenerPid])));
  const sessionPids = (): number[] => {
    const connections = connectionPids();
    return [...connections, ...childrenOf(new Set(connections)).filter(isServer)];
  };
  const remoteProcesses = (): number[] =>
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${mark}\0`);
        } catch {
          return false;
        }
      });
  const stop = async (): Promise<void> => {
    const stopped = child;
    if (stopped === null) return;
    const sessions = sessionPids();
    child = null;
    const gone = new Promise((done) => stopped.once("exit", done));
    const isRunning = stopped.exitCode === null && stopped.signalCode === null;
    stopped.stdin?.end();
    if (isRunning) await gone;
    listenerPid = null;
    for (const pid of [...sessions, ...childrenOf(new Set(sessions))]) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // Gone already.
      }
    }
    log = "";
  };
  await start();
  return {
    folder,
    port,
    user,
    remoteHome,
    configFile: at("ssh_config"),
    knownHosts: at("known_hosts"),
    userKey: at("user_key"),
    alias: "vm1",
    hostKeyLine,
    addHost,
    remoteProcesses,
    connectionPids,
    sessionPids,
    log: () => log,
    stop,
    start,
    close: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
