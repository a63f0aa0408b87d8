// Upgrades an installation that was unpacked from an archive: fetches the next one, compares it with its SHA-256, unpacks it beside
// the present one, runs it once, and only then puts it in its place. Until then whatever goes wrong changes nothing.
import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import {
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  type FileHandle,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AgtmuxError, errorCodeOf, unlessMissing } from "../../core/model/errors.ts";
import { fetchBounded } from "../../features/releases/releaseFeed.ts";
import type { CliContext, DaemonClient } from "../command/context.ts";
import { cleanLine } from "../render/clean.ts";

const MIB = 1024 * 1024;
const MAX_PACKED_BYTES = 80 * MIB;
const MAX_BYTES = 400 * MIB;
const MAX_ENTRIES = 5_000;
const FETCH_MS = 15 * 60_000;
const TRY_MS = 30_000;
const HAND_OVER_MS = 60_000;

const refused = (why: string, cause?: unknown): AgtmuxError =>
  new AgtmuxError("E_UNSUPPORTED", `the archive cannot be used: ${why}`, {
    cause,
    remedy: "Nothing was changed. Check the address of releases, or try it later.",
  });

// Tar, as scripts/writeTar.mjs writes it: plain files and folders below one folder. Everything else is refused.

const BLOCK = 512;

/** Bytes of a stream, as many as are asked for. */
class Bytes {
  private readonly pieces: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);
  private total = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.pieces = source[Symbol.asyncIterator]();
  }

  /** Exactly `length` bytes, in pieces of any size. */
  async *pass(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0;) {
      if (this.rest.length === 0) await this.fill();
      const piece = this.rest.subarray(0, left);
      this.rest = this.rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async take(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.pass(length)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  private async fill(): Promise<void> {
    const { done, value } = await this.pieces.next();
    if (done === true) throw refused("it is cut short");
    this.total += value.length;
    if (this.total > MAX_BYTES) throw refused(`it is larger than ${MAX_BYTES / MIB} MB when it is unpacked`);
    this.rest = value;
  }
}

interface Entry {
  /** Below the folder that it is unpacked into. */
  readonly path: string;
  readonly isFolder: boolean;
  readonly mode: number;
  readonly size: number;
}

const textAt = (header: Buffer, at: number, length: number): string =>
  header.toString("latin1", at, at + length).replace(/\0.*$/s, "");

const numberAt = (header: Buffer, at: number, length: number): number => {
  const text = textAt(header, at, length).trim();
  if (!/^[0-7]{1,11}$/.test(text)) throw refused("it is damaged");
  return Number.parseInt(text, 8);
};

const CHECKSUM_AT = 148;
const CHECKSUM_BYTES = 8;

const checkSum = (header: Buffer): void => {
  const blank = Buffer.from(header).fill(" ", CHECKSUM_AT, CHECKSUM_AT + CHECKSUM_BYTES);
  const sum = blank.reduce((total, byte) => total + byte, 0);
  if (sum !== numberAt(header, CHECKSUM_AT, CHECKSUM_BYTES)) throw refused("it is damaged");
};

/** Null at the end of the archive. */
const parseHeader = (header: Buffer, folder: string): Entry | null => {
  if (header.every((byte) => byte === 0)) return null;
  checkSum(header);
  const type = textAt(header, 156, 1);
  if (type !== "0" && type !== "5") throw refused("it has a link or a special file in it");
  const prefix = textAt(header, 345, 155);
  const name = `${prefix === "" ? "" : `${prefix}/`}${textAt(header, 0, 100)}`.replace(/\/$/, "");
  const parts = name.split("/");
  const isPlain = parts.every((part) => /^[\u0020-\u007e]+$/.test(part) && part !== "." && part !== "..");
  if (!isPlain || parts[0] !== folder) throw refused("it has a file outside of its folder");
  const isFolder = type === "5";
  const size = isFolder ? 0 : numberAt(header, 124, 12);
  const mode = (numberAt(header, 100, 8) & 0o111) === 0 && !isFolder ? 0o644 : 0o755;
  return { path: name, isFolder, mode, size };
};

const writeEntry = async (bytes: Bytes, { mode, size }: Entry, path: string): Promise<void> => {
  // "wx": a name that comes twice is refused.
  const file = await open(path, "wx", mode);
  try {
    for await (const piece of bytes.pass(size)) await file.writeFile(piece);
  } finally {
    await file.close();
  }
};

/** Unpacks the folder `name`, which is all that is in the archive, into `into`. @throws AgtmuxError E_UNSUPPORTED */
export const unpackArchive = async (archive: string, into: string, name: string): Promise<void> => {
  // Loaded only now: what is loaded above is loaded by every verb of the same bundle.
  const { createGunzip } = await import("node:zlib");
  const source = createReadStream(archive);
  const unpacked = source.pipe(createGunzip());
  source.on("error", (error) => unpacked.destroy(error));
  const bytes = new Bytes(unpacked);
  try {
    for (let count = 0; ; count += 1) {
      if (count > MAX_ENTRIES) throw refused("it has too many files");
      const entry = parseHeader(await bytes.take(BLOCK), name);
      if (entry === null) return;
      const path = join(into, entry.path);
      if (entry.isFolder) await mkdir(path, { mode: entry.mode });
      else await writeEntry(bytes, entry, path);
      await bytes.take((BLOCK - (entry.size % BLOCK)) % BLOCK);
    }
  } catch (error) {
    if (error instanceof AgtmuxError) throw error;
    const code = errorCodeOf(error);
    if (code.startsWith("Z_")) throw refused("it is damaged", error);
    if (["EEXIST", "ENOENT", "ENOTDIR"].includes(code))
      throw refused("its files contradict each other", error);
    throw error;
  } finally {
    source.destroy();
    unpacked.destroy();
  }
};

// Its place: either of several versions with a link to the present one, as install.sh makes it, or a folder that somebody unpacked.

export interface ArchivePlace {
  readonly root: string;
  /** The folder around it, in which the next one is unpacked. */
  readonly around: string;
  /** `current`, which leads to one of the versions; null: there is none, and the folder itself is replaced. */
  readonly link: string | null;
}

const CURRENT = "current";
const VERSION_FOLDER = /^agtmux-[^/]+-(?:linux|macos)-(?:x64|arm64)$/;
const OTHERS_WRITE = 0o002;

const checkOwner = async (folder: string): Promise<void> => {
  const { uid, mode } = await stat(folder);
  const own = process.geteuid?.();
  if (own !== undefined && uid !== own)
    throw new AgtmuxError("E_UNSUPPORTED", `${folder} belongs to another user`, {
      remedy: "Whoever installed agtmux there has to upgrade it.",
    });
  if ((mode & OTHERS_WRITE) !== 0)
    throw new AgtmuxError(
      "E_UNSUPPORTED",
      `everybody may write to ${folder}, and could change what is put there`,
      {
        remedy: "Run 'chmod o-w' on it.",
      },
    );
};

/** @throws AgtmuxError E_UNSUPPORTED where this user cannot upgrade it, or others could meddle with it. */
export const checkPlace = async (given: string): Promise<ArchivePlace> => {
  const root = await realpath(given);
  const around = dirname(root);
  await checkOwner(root);
  await checkOwner(around);
  const link = join(around, CURRENT);
  const leadsTo = await readLink(link);
  const isManaged = leadsTo !== null && [leadsTo, basename(root)].every((name) => VERSION_FOLDER.test(name));
  return { root, around, link: isManaged ? link : null };
};

/** As it is written; null for what is no link. */
const readLink = async (path: string): Promise<string | null> => {
  const found = await unlessMissing(lstat(path));
  return found?.isSymbolicLink() === true ? readlink(path) : null;
};

// Doing it.

interface NextArchive {
  readonly url: string;
  readonly sha256: string;
  /** Of the folder in it. */
  readonly name: string;
  readonly version: string;
}

const download = async (context: CliContext, { url, sha256 }: NextArchive, path: string): Promise<void> => {
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  const file: FileHandle = await open(path, "wx", 0o600);
  try {
    const limits = { maxBytes: MAX_PACKED_BYTES, timeoutMs: FETCH_MS, signal: context.signal };
    await fetchBounded(url, limits, async (piece) => {
      hash.update(piece);
      await file.writeFile(piece);
    });
  } finally {
    await file.close();
  }
  if (hash.digest("hex") !== sha256) throw refused("it is not the one that SHA256SUMS names");
};

/** What a command of the installation in `root` prints; null where it fails. */
const runThere = (
  root: string,
  args: readonly string[],
  { env, timeoutMs }: { env: CliContext["env"]; timeoutMs: number },
): Promise<string | null> =>
  new Promise((resolve) => {
    const options = { env: env as NodeJS.ProcessEnv, timeout: timeoutMs, cwd: "/", maxBuffer: 64 * MIB };
    execFile(join(root, "bin", "agtmux"), [...args], options, (error, stdout) =>
      resolve(error === null ? stdout : null),
    );
  });

/** True where the command there says that it is this version. It gets a home of its own. */
const doesRun = async (root: string, version: string, home: string): Promise<boolean> => {
  const env = { PATH: "/usr/bin:/bin", HOME: home };
  return (await runThere(root, ["--version"], { env, timeoutMs: TRY_MS }))?.trim() === version;
};

/** Puts the new folder in its place, and gives where it is and where the one of before is kept. */
const put = async (
  place: ArchivePlace,
  { made, version, work }: { made: string; version: string; work: string },
): Promise<{ root: string; kept: string | null }> => {
  if (place.link === null) {
    const before = join(work, "before");
    await rename(place.root, before);
    try {
      await rename(made, place.root);
    } catch (error) {
      await rename(before, place.root);
      throw error;
    }
    return { root: place.root, kept: null };
  }
  const root = join(place.around, basename(made));
  // It may be there from an upgrade at the same time, and already run: then that one is linked to.
  const isThere = (await unlessMissing(lstat(root))) !== null;
  if (isThere && !(await doesRun(root, version, work))) await rename(root, join(work, "replaced"));
  if ((await unlessMissing(lstat(root))) === null) await rename(made, root);
  const link = join(work, CURRENT);
  await symlink(basename(root), link);
  await rename(link, place.link);
  return { root, kept: place.root };
};

type Daemon = DaemonClient["hello"];

/** What runs now, of any version; null: nothing that answers, which is no reason not to upgrade. */
const findDaemon = async (context: CliContext): Promise<Daemon | null> => {
  const client = await context.connect({ start: false, checkVersion: false }).catch(() => null);
  client?.close();
  return client?.hello ?? null;
};

const WORK = ".upgrade-";
const DAY_MS = 24 * 3_600_000;

/**
 * Versions before the one that is kept go, and what upgrades left behind that were cut off. One whose daemon still runs stays,
 * because it loads parts of itself later.
 */
const removeOld = async (context: CliContext, around: string, kept: readonly string[]): Promise<void> => {
  const running = (await findDaemon(context))?.version;
  for (const name of await readdir(around)) {
    const path = join(around, name);
    const found = await lstat(path);
    const isVersion = name.startsWith("agtmux-") && !kept.includes(path);
    const isRunning = running !== undefined && name.startsWith(`agtmux-${running}-`);
    const isLeft =
      (name.startsWith(WORK) || name.startsWith(".install-")) && context.now() - found.mtimeMs > DAY_MS;
    if (found.isDirectory() && ((isVersion && !isRunning) || isLeft))
      await rm(path, { recursive: true, force: true });
  }
};

/** The daemon that runs is replaced at once where a command started it. What that needs was loaded before anything was moved. */
const handOver = async (context: CliContext, root: string, daemon: Daemon | null): Promise<string> => {
  if (daemon === null) return "No daemon was running; the next command starts one.";
  if (daemon.host === "app") return "The daemon in the desktop app goes on: the app is upgraded by itself.";
  if (!daemon.isOnDemand)
    return `The daemon that you run yourself is still ${cleanLine(daemon.version)}: start it again.`;
  const { AGTMUX_NO_START: _no, ...env } = context.env;
  const listed = await runThere(root, ["target", "list", "--json"], { env, timeoutMs: HAND_OVER_MS });
  return listed === null
    ? "The daemon could not be replaced: see 'agtmux doctor'."
    : "The daemon was replaced; events that came meanwhile are in.";
};

/**
 * `kept`: the version of before, beside the new one; null: it was replaced. `daemon`: what became of it, as a sentence.
 * @throws AgtmuxError E_UNSUPPORTED; then nothing was changed.
 */
export const upgradeArchive = async (
  context: CliContext,
  place: ArchivePlace,
  next: NextArchive,
): Promise<{ root: string; kept: string | null; daemon: string }> => {
  const daemon = await findDaemon(context);
  const work = await makeWork(place);
  try {
    context.print(`Fetching ${cleanLine(next.url)}\n`);
    await download(context, next, join(work, "archive"));
    await unpackArchive(join(work, "archive"), work, next.name);
    const made = join(work, next.name);
    if (!(await doesRun(made, next.version, work))) throw refused("what is in it does not run here");
    if (context.signal.aborted) throw refused("it was cancelled");
    const done = await put(place, { made, version: next.version, work });
    if (done.kept !== null) await removeOld(context, place.around, [done.root, done.kept]);
    return { ...done, daemon: await handOver(context, done.root, daemon) };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
};

const makeWork = async ({ around }: ArchivePlace): Promise<string> => {
  try {
    return await mkdtemp(join(around, WORK));
  } catch (cause) {
    throw new AgtmuxError("E_UNSUPPORTED", `${around} cannot be written to (${errorCodeOf(cause)})`, {
      cause,
      remedy: "Whoever installed agtmux there has to upgrade it.",
    });
  }
};
