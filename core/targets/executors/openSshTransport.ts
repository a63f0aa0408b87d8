// A connection of the OpenSSH client: a master of our own, and one more `ssh` over its control socket for each channel.
// The master is a child of a small `sh` that waits on its input, so that it ends with this process however that ends.
// Nothing here reads or writes the person's own control sockets.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { AgtmuxError } from "../../model/errors.ts";
import { errorFromOpenSsh, unreachableError } from "../sshErrors.ts";
import type { ChannelEnd, SshTransport, TransportChannel } from "../sshTransport.ts";

interface OpenSshOptions {
  /** A name of the SSH configuration; checked by `checkSshAlias`. */
  alias: string;
  /** Environment of `ssh` itself: PATH, SSH_AUTH_SOCK and HOME matter. */
  env: NodeJS.ProcessEnv;
  /** Folder for control sockets, made 0700 when it is missing. */
  controlDir: string;
  /** Used instead of the person's and the system's configuration. */
  configFile: string | null;
  /** How long the server may be silent before the connection counts as lost. */
  keepAliveMs: number;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** While ssh connects, it binds a name that is 17 characters longer. A socket address holds at most 104 bytes on macOS. */
const MAX_CONTROL_PATH = 86;
const STDERR_KEPT = 8_192;
const KILL_AFTER_MS = 5_000;
const KEEP_ALIVE_COUNT = 3;
const READY = "agtmux-connected";

/** Runs the words until they end or the input closes; the end of this process closes it. */
const RUN_WHILE_INPUT_OPEN =
  'exec 3<&0; "$@" </dev/null 3<&- & p=$!; { read -r x <&3; kill -TERM "$p"; sleep 1; kill -KILL "$p"; } ' +
  ">/dev/null 2>&1 & w=$!; exec 3<&-; " +
  'wait "$p"; r=$?; kill -KILL "$w" 2>/dev/null; exit "$r"';

/**
 * The master never asks, accepts no unknown key, forwards nothing, and uses no setting of the person that would take the session
 * over.
 */
const MASTER_OPTIONS = [
  "BatchMode=yes",
  "StrictHostKeyChecking=yes",
  "NoHostAuthenticationForLocalhost=no",
  "VerifyHostKeyDNS=no",
  "UpdateHostKeys=no",
  "NumberOfPasswordPrompts=0",
  "ClearAllForwardings=yes",
  "ForwardAgent=no",
  "ForwardX11=no",
  "Tunnel=no",
  "RemoteCommand=none",
  "RequestTTY=no",
  // Watching sends nearly the same text each second; compressed it is a tenth.
  "Compression=yes",
  "ControlMaster=yes",
  "ControlPersist=no",
  "PermitLocalCommand=yes",
  `LocalCommand=echo ${READY}`,
];

const asOptions = (options: readonly string[]): string[] => options.flatMap((option) => ["-o", option]);

/** Resolves when the child has exited and its output has ended. */
const endOf = (child: Child): Promise<{ code: number | null; signal: string | null }> =>
  new Promise((done) => {
    child.on("error", () => {
      if (child.pid === undefined) done({ code: null, signal: null });
    });
    child.on("close", (code, signal) => done({ code, signal }));
  });

/** Closing its input makes the small `sh` end what it runs. The `sh` is killed only when that does not help. */
const stopChild = async (child: Child, ended: Promise<unknown>): Promise<void> => {
  child.stdin.end();
  const timer = setTimeout(() => {
    child.kill("SIGKILL");
    child.stdout.destroy();
    child.stderr.destroy();
  }, KILL_AFTER_MS);
  await ended;
  clearTimeout(timer);
};

interface ControlSocket {
  path: string;
  remove: () => Promise<void>;
}

/** Where the control socket goes: the home's folder, unless its path is too long or has parts that ssh would expand. */
const placeSocket = async (controlDir: string): Promise<ControlSocket> => {
  const name = randomBytes(4).toString("hex");
  const path = join(controlDir, name);
  if (Buffer.byteLength(path) <= MAX_CONTROL_PATH && !/[%$]/.test(path)) {
    await mkdir(controlDir, { recursive: true, mode: 0o700 });
    return { path, remove: () => rm(path, { force: true }) };
  }
  const folder = await mkdtemp(join(tmpdir(), "agtmux-cm-"));
  return { path: join(folder, name), remove: () => rm(folder, { recursive: true, force: true }) };
};

/** One run of a master process. */
class Master {
  private readonly child: Child;
  readonly ended: Promise<unknown>;
  readonly socket: ControlSocket;
  stderr = "";

  constructor(options: OpenSshOptions, socket: ControlSocket, timeoutMs: number) {
    this.socket = socket;
    const words = [
      "ssh",
      "-M",
      "-N",
      "-T",
      "-S",
      socket.path,
      ...asOptions(MASTER_OPTIONS),
      ...asOptions([
        `ConnectTimeout=${Math.max(1, Math.ceil(timeoutMs / 1_000))}`,
        `ServerAliveInterval=${Math.max(1, Math.ceil(options.keepAliveMs / KEEP_ALIVE_COUNT / 1_000))}`,
        `ServerAliveCountMax=${KEEP_ALIVE_COUNT}`,
      ]),
      ...(options.configFile === null ? [] : ["-F", options.configFile]),
      "--",
      options.alias,
    ];
    // LocalCommand runs in $SHELL; SSH_ASKPASS must not open a window.
    const env = { ...options.env, SHELL: "/bin/sh", SSH_ASKPASS_REQUIRE: "never" };
    this.child = spawn("/bin/sh", ["-c", RUN_WHILE_INPUT_OPEN, "agtmux-ssh", ...words], {
      env,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.child.stdin.on("error", () => {});
    this.child.stderr.on("data", (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString("utf8")).slice(-STDERR_KEPT);
    });
    this.ended = endOf(this.child);
  }

  /** Resolves true once sessions can be opened, false when the master ends or the time is over before that. */
  ready(timeoutMs: number): Promise<boolean> {
    return new Promise((done) => {
      let said = "";
      const timer = setTimeout(() => done(false), timeoutMs);
      const finish = (isReady: boolean): void => {
        clearTimeout(timer);
        done(isReady);
      };
      this.child.stdout.on("data", (chunk: Buffer) => {
        said = (said + chunk.toString("latin1")).slice(-STDERR_KEPT);
        if (said.includes(READY)) finish(true);
      });
      void this.ended.then(() => finish(false));
    });
  }

  async stop(): Promise<void> {
    await stopChild(this.child, this.ended);
    await this.socket.remove();
  }
}

const startChannel = (options: OpenSshOptions, controlPath: string, command: string): TransportChannel => {
  // This ssh has no configuration and a proxy that always fails, so it can only use the master and never logs in on its own.
  const words = asOptions(["ControlMaster=no", "ProxyCommand=false", "BatchMode=yes"]);
  const child: Child = spawn(
    "ssh",
    ["-F", "/dev/null", "-S", controlPath, ...words, "-T", "-e", "none", "--", "agtmux", command],
    { env: options.env, stdio: ["pipe", "pipe", "pipe"] },
  );
  // Writing to a channel that is gone breaks the pipe; `ended` reports its end.
  child.stdin.on("error", () => {});
  const ended = endOf(child).then(({ code, signal }): ChannelEnd => {
    if (child.pid === undefined) return { exitCode: null, reason: "could not start ssh" };
    if (signal !== null) return { exitCode: null, reason: `ssh ended by ${signal}` };
    // 255 is ssh's own: a lost connection, or a remote command that a signal ended.
    return code === 255
      ? { exitCode: null, reason: "a signal or a lost connection ended it" }
      : { exitCode: code, reason: `exit status ${code}` };
  });
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    ended,
    destroy: () => {
      child.kill("SIGKILL");
    },
  };
};

/** The transport over the `ssh` program. `disconnect` leaves no process and no socket. */
export const createOpenSshTransport = (options: OpenSshOptions): SshTransport => {
  const { alias, controlDir } = options;
  const channels = new Set<TransportChannel>();
  let master: Master | null = null;
  let starting: Master | null = null;
  let downListener: (error: AgtmuxError) => void = () => {};

  const dropChannels = async (): Promise<void> => {
    for (const channel of channels) channel.destroy();
    await Promise.all([...channels].map((channel) => channel.ended));
  };
  const watch = async (watched: Master): Promise<void> => {
    await watched.ended;
    if (master !== watched) return;
    master = null;
    await dropChannels();
    await watched.socket.remove();
    downListener(errorFromOpenSsh(alias, watched.stderr));
  };

  return {
    name: "openssh",
    connect: async (timeoutMs) => {
      const started = new Master(options, await placeSocket(controlDir), timeoutMs);
      starting = started;
      const isReady = await started.ready(timeoutMs);
      starting = null;
      if (!isReady) {
        const said = started.stderr;
        await started.stop();
        throw said.trim() === ""
          ? unreachableError(alias, `no connection within ${timeoutMs} ms`)
          : errorFromOpenSsh(alias, said);
      }
      master = started;
      void watch(started);
    },
    open: (command) => {
      if (master === null) return Promise.reject(unreachableError(alias, "there is no connection"));
      const channel = startChannel(options, master.socket.path, command);
      channels.add(channel);
      void channel.ended.then(() => channels.delete(channel));
      return Promise.resolve(channel);
    },
    onDown: (listener) => {
      downListener = listener;
    },
    disconnect: async () => {
      const stopped = master ?? starting;
      master = null;
      // The master holds the streams of its channels open.
      await Promise.all([dropChannels(), stopped?.stop()]);
    },
  };
};
