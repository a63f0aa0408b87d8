// The runtime home: where it is, what is in it, whether it is safe to use, and the making of its folders. Every file of agtmux
// outside the agents' own settings has its path here; nothing here reads or writes these files.
import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { AgtmuxError, errorCodeOf } from "../model/errors.ts";

/** Socket addresses hold 104 bytes on macOS and 108 on Linux, with the final zero. This is below both. */
export const MAX_SOCKET_PATH_BYTES = 100;

export interface RuntimePaths {
  readonly home: string;
  readonly socket: string;
  readonly ownerDb: string;
  readonly stateDb: string;
  readonly config: string;
  /** Folders of agents that were seen. */
  readonly accounts: string;
  readonly spool: string;
  readonly spoolTmp: string;
  readonly spoolNew: string;
  readonly spoolBad: string;
  readonly logDir: string;
  /** The daemon's structured log. */
  readonly log: string;
  /** Holds what an on-demand daemon prints before its own log works. */
  readonly startLog: string;
  readonly binDir: string;
  /** Control sockets of SSH connections. */
  readonly controlDir: string;
  /** Adapter files of the person. */
  readonly adaptersDir: string;
  /** Detection packs. */
  readonly packsDir: string;
}

/** `$AGTMUX_HOME` or `~/.agtmux`, absolute. Both inputs are passed in so that nothing reads the real ones by accident. */
export const resolveHome = (env: Readonly<Record<string, string | undefined>>, homeDir: string): string => {
  const configured = env["AGTMUX_HOME"];
  if (configured === undefined || configured === "") return join(homeDir, ".agtmux");
  return isAbsolute(configured) ? configured : resolve(configured);
};

/** Names everything in a home. Fails with E_USAGE when its socket's path is too long for the system. */
export const runtimePaths = (home: string): RuntimePaths => {
  const socket = join(home, "agtmuxd.sock");
  const bytes = Buffer.byteLength(socket);
  if (bytes > MAX_SOCKET_PATH_BYTES)
    throw new AgtmuxError(
      "E_USAGE",
      `the socket path ${socket} is ${bytes} bytes long, more than the ${MAX_SOCKET_PATH_BYTES} a Unix socket can have`,
      { remedy: "Set AGTMUX_HOME to a folder with a shorter path." },
    );
  const spool = join(home, "spool");
  const logDir = join(home, "log");
  return {
    home,
    socket,
    ownerDb: join(home, "owner.db"),
    stateDb: join(home, "state.db"),
    config: join(home, "config.json"),
    accounts: join(home, "accounts.json"),
    spool,
    spoolTmp: join(spool, "tmp"),
    spoolNew: join(spool, "new"),
    spoolBad: join(spool, "bad"),
    logDir,
    log: join(logDir, "agtmuxd.log"),
    startLog: join(logDir, "daemon.log"),
    binDir: join(home, "bin"),
    controlDir: join(home, "cm"),
    adaptersDir: join(home, "adapters"),
    packsDir: join(home, "packs"),
  };
};

const unsafe = (path: string, why: string, remedy?: string): AgtmuxError =>
  new AgtmuxError(
    "E_SOCKET_UNSAFE",
    `refusing to use ${path}: ${why}`,
    remedy === undefined ? {} : { remedy },
  );

const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/** In a folder that a group or everybody may write to, and that has no sticky bit, the home can be swapped. */
const refuseOpenParents = (home: string): void => {
  for (let folder = dirname(home), below = home; folder !== below; below = folder, folder = dirname(folder)) {
    const { mode } = statSync(folder);
    if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0)
      throw unsafe(
        home,
        `others can replace it, because they can write to ${folder}`,
        `Run 'chmod go-w' on ${folder}, or set AGTMUX_HOME to a folder of your own.`,
      );
  }
};

/** The user that this process acts as; undefined where the system has no user ids. */
const ownUid = (): number | undefined => process.geteuid?.();

/**
 * Fails with E_SOCKET_UNSAFE when the home is not a folder, belongs to someone else, or can be written by others. A
 * symbolic link counts as its target, but the link itself must be ours (or the system's) too.
 * @returns false when there is no home yet.
 */
export const checkHome = (home: string): boolean => {
  const uid = ownUid();
  let link;
  let folder;
  try {
    link = lstatSync(home);
    folder = statSync(home);
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT" && link === undefined) return false;
    throw unsafe(home, "it cannot be read");
  }
  if (!folder.isDirectory()) throw unsafe(home, "it is not a folder");
  if (uid !== undefined && (folder.uid !== uid || (link.uid !== uid && link.uid !== 0)))
    throw unsafe(home, "it belongs to another user");
  if (uid !== undefined && (folder.mode & 0o022) !== 0) throw unsafe(home, "others can write to it");
  refuseOpenParents(home);
  const real = realpathSync(home);
  if (real !== home) refuseOpenParents(real);
  return true;
};

/**
 * Fails with E_SOCKET_UNSAFE when something lies at the socket's path that is not a socket of ours.
 * @returns false when nothing is there.
 */
export const checkSocket = (socket: string): boolean => {
  let stat;
  try {
    stat = lstatSync(socket);
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return false;
    throw unsafe(socket, "it cannot be read");
  }
  if (!stat.isSocket()) throw unsafe(socket, "it is not a socket");
  const uid = ownUid();
  if (uid !== undefined && stat.uid !== uid) throw unsafe(socket, "it belongs to another user");
  return true;
};

/**
 * Makes a folder and its parents. Node's own `recursive` never returns where the system answers ENOENT for a name in an
 * existing folder, as /proc does.
 */
const makeWithParents = (folder: string): void => {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === "EEXIST" && statSync(folder).isDirectory()) return;
    if (code !== "ENOENT" || existsSync(dirname(folder))) throw error;
    makeWithParents(dirname(folder));
    // Somebody else may have made it meanwhile.
    makeWithParents(folder);
  }
};

const makeFolder = (folder: string): void => {
  try {
    makeWithParents(folder);
  } catch (cause) {
    throw new AgtmuxError("E_USAGE", `${folder} cannot be made (${errorCodeOf(cause) || "unknown cause"})`, {
      cause,
      remedy: "Set AGTMUX_HOME to a folder that you can write to.",
    });
  }
};

/**
 * Creates the missing parts of the home, each folder with mode 0700, after checking that the home is ours. Idempotent. Fails
 * with E_SOCKET_UNSAFE, and with E_USAGE where a folder cannot be made.
 */
export const ensureHome = (paths: RuntimePaths): void => {
  if (!checkHome(paths.home)) {
    makeFolder(paths.home);
    // Another user may have created it at the same moment.
    checkHome(paths.home);
  }
  // The umask may have removed too many permissions, and a folder from before may be open to readers.
  if ((statSync(paths.home).mode & 0o777) !== 0o700) chmodSync(paths.home, 0o700);
  for (const folder of [
    paths.spool,
    paths.spoolTmp,
    paths.spoolNew,
    paths.spoolBad,
    paths.logDir,
    paths.binDir,
  ])
    makeFolder(folder);
};
