// The disk under the home: full, read-only, and databases that are not what was written. Full and read-only disks are real
// ones of their own (a tmpfs of a few MB, a read-only bind mount), which takes root.
import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import type { Finding } from "../../core/model/doctor.ts";
import type { FeedEntry } from "../../core/model/view.ts";
import { until } from "../setup/realClock.ts";
import { LIMIT_MS, openFaultHarness, type FaultHarness } from "./faultHarness.ts";
import { injectFault, type Trial } from "./injectFault.ts";
import type { Outcome } from "./outcome.ts";

const mount = (args: readonly string[]): void => {
  execFileSync("mount", args);
};
const unmount = (folder: string): void => {
  execFileSync("umount", ["-l", folder]);
};

const findingOf = async (harness: FaultHarness, check: string): Promise<Finding | undefined> => {
  const client = await harness.connect();
  try {
    const { findings } = await client.call((api) => api.doctor.mutate({ target: null }));
    return findings.find((finding) => finding.check === check);
  } finally {
    client.close();
  }
};
const healthOf = async (harness: FaultHarness): Promise<string> => {
  const client = await harness.connect();
  try {
    const [host] = await client.call((api) => api.targets.query());
    return `${host?.health}: ${host?.health_reason}`;
  } finally {
    client.close();
  }
};
const untilSaid = (harness: FaultHarness, what: RegExp, meanwhile = (): void => {}): Promise<void> =>
  until(
    async () => {
      meanwhile();
      return what.test(await healthOf(harness));
    },
    `the host's health says ${what.source}`,
    LIMIT_MS,
  );

/** Takes all the room that there is by now. */
const fill = (path: string): void => {
  const fd = openSync(path, "a");
  try {
    for (let size = 1 << 20; size >= 1; size >>= 1)
      try {
        for (;;) writeSync(fd, Buffer.alloc(size, 1));
      } catch {
        // Full for this size: try a smaller one.
      }
  } finally {
    closeSync(fd);
  }
};

const DISK_MB = 24;
const diskOf = (root: string): string => join(root, "d");
/** Longer than what was decided just before counts as known. */
const BLIND_MS = 7_000;

/** A harness with its home on a small disk of its own. */
const openDiskHarness = async (): Promise<FaultHarness> => {
  let disk = "";
  return openFaultHarness({
    homeOf: (root) => {
      disk = diskOf(root);
      mkdirSync(disk);
      mount(["-t", "tmpfs", "-o", `size=${DISK_MB}m,mode=0700`, "tmpfs", disk]);
      return disk;
    },
    release: () => unmount(disk),
  });
};
const checkServed = async (harness: FaultHarness): Promise<void> => {
  const rows = await harness.look();
  if (rows.length !== 3) throw new Error("the lists are not served");
};

/** The home's disk fills up while agents change: nothing false is claimed meanwhile, and everything goes on afterwards. */
export const fullDisk = (times: number): Promise<Outcome> =>
  injectFault({ fault: "disk full", times, open: openDiskHarness }, async (trial) => {
    const { harness } = trial;
    const filler = join(diskOf(harness.root), "filler");
    await trial.rounds(async (round) => {
      harness.drop(20);
      fill(filler);
      // Refused while there is no room, as the hook gives up.
      harness.drop(20);
      // Something to store, so that the lack of room shows.
      await harness.tmux.run("rename-window", "-t", harness.agents.idle.player.paneId, `w${round}`);
      // The daemon makes room with every event file that it has applied.
      await untilSaid(harness, /nothing can be stored: the disk is full/, () => fill(filler));
      await harness.turnWaiting();
      await wait(BLIND_MS);
      await checkServed(harness);
      const finding = await findingOf(harness, "daemon.history");
      if (finding?.status !== "problem") throw new Error("the doctor does not say it");
      rmSync(filler);
      const tookMs = await harness.untilTrueAfterChange();
      await harness.untilDrained();
      return tookMs;
    });
    return `tmpfs of ${DISK_MB} MB`;
  });

/** Nothing in the home can be made, changed or deleted for a while; what lies in the spool then is applied once. */
export const readOnlyHome = (times: number): Promise<Outcome> =>
  injectFault({ fault: "read-only home", times }, async (trial) => {
    const { harness, daemon } = trial;
    const { home } = harness.paths;
    await trial.rounds(async () => {
      process.kill(daemon.pid, "SIGSTOP");
      harness.drop(20);
      mount(["--bind", home, home]);
      mount(["-o", "remount,bind,ro", home]);
      process.kill(daemon.pid, "SIGCONT");
      await wait(2_000);
      if (harness.drop()) throw new Error("the home is not read-only");
      await checkServed(harness);
      unmount(home);
      const tookMs = await harness.untilTrue();
      await harness.untilDrained();
      return tookMs;
    });
    return "read-only bind mount over the home";
  });

/** How a database at rest is damaged. */
const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  "garbage header": (path) => writeAt(path, 0, 200),
  truncated: (path) => truncateSync(path, Math.floor(readFileSync(path).length / 2 / 4_096) * 4_096 + 100),
  "noise in a page": (path) => writeAt(path, 4_096 * 5, 4_096),
  "not a database": (path) => writeFileSync(path, "a letter\n".repeat(5_000)),
};
const KINDS = [...Object.keys(DAMAGES), "damaged log", "in use"];
export const DAMAGE_KINDS = KINDS.length;

const writeAt = (path: string, at: number, length: number): void => {
  const fd = openSync(path, "r+");
  writeSync(fd, Buffer.alloc(length, 0xa5), 0, length, at);
  closeSync(fd);
};

/** Under a daemon that has it open: a writer beside it makes it forget what it has cached. */
const damageInUse = (path: string): void => {
  const beside = new Database(path);
  beside.exec("UPDATE high_marks SET value = value + 1");
  beside.pragma("wal_checkpoint(TRUNCATE)");
  beside.close();
  writeAt(path, 4_096, readFileSync(path).length - 4_096);
};

const keptDatabases = ({ paths }: FaultHarness): string[] =>
  readdirSync(paths.home)
    .filter((name) => name.startsWith("state.db.damaged-") && !name.endsWith("-wal"))
    .map((name) => join(paths.home, name));

/** The first entries of a feed that goes on from `since`. */
const resume = async (harness: FaultHarness, since: number): Promise<FeedEntry[]> => {
  const client = await harness.connect();
  const over = new AbortController();
  const entries: FeedEntry[] = [];
  try {
    for await (const entry of client.feed({ since, sinceTime: null, all: true }, over.signal)) {
      entries.push(entry);
      if (entries.length === 2) break;
    }
  } finally {
    over.abort();
    client.close();
  }
  return entries;
};
const versionNow = async (harness: FaultHarness): Promise<number> => {
  const rows = await harness.look();
  return Math.max(0, ...rows.map(({ state_version }) => state_version));
};

/** Fails with what is missing of a rebuilt database: the old file, the word about it, a clear reset, versions that grow. */
const checkRebuilt = async (harness: FaultHarness, kept: number, version: number): Promise<void> => {
  if (keptDatabases(harness).length < Math.min(kept, 3)) throw new Error("the damaged file was not kept");
  await untilSaid(harness, /the database was damaged: the history before .* is lost/);
  const finding = await findingOf(harness, "daemon.history");
  if (finding?.status !== "warning") throw new Error(`the doctor says ${finding?.status}`);
  const [gap, snapshot] = await resume(harness, version);
  if (gap?.kind !== "gap" || snapshot?.kind !== "snapshot")
    throw new Error("a client is not told to begin again");
  if (gap.version <= version || (await versionNow(harness)) <= version) throw new Error("versions went back");
};

/** True where the daemon had to be ended for it. */
const damage = async ({ harness, daemon }: Trial, kind: string): Promise<boolean> => {
  const { stateDb } = harness.paths;
  if (kind === "in use") {
    damageInUse(stateDb);
    return false;
  }
  if (kind === "damaged log") {
    // Closed in good order there would be none.
    await daemon.stop("SIGKILL");
    writeAt(`${stateDb}-wal`, 32 + 24 + 100, 8);
  } else {
    await daemon.stop();
    DAMAGES[kind]?.(stateDb);
  }
  return true;
};

/** Every kind of damage at rest and in use. What was dropped after it is stored once; what was before is kept aside. */
export const damagedDatabase = (times: number): Promise<Outcome> =>
  injectFault({ fault: "damaged database", times }, async (trial) => {
    const { harness } = trial;
    await trial.rounds(async (round) => {
      harness.drop(200);
      await harness.untilDrained();
      const version = await versionNow(harness);
      const from = harness.dropped.length;
      const hasEnded = await damage(trial, KINDS[round % KINDS.length] ?? "");
      harness.drop(50);
      if (hasEnded) await trial.restart();
      const tookMs = await harness.untilTrue();
      await harness.untilDrained();
      trial.count(
        harness.dropped.slice(from),
        harness.stored().filter((one) => one > (harness.dropped[from - 1] ?? "")),
      );
      await checkRebuilt(harness, round + 1, version);
      return tookMs;
    });
    return KINDS.join(", ");
  });

const REMOVALS: Readonly<Record<string, (path: string) => void>> = {
  "file and log deleted": (path) => {
    for (const part of ["", "-wal", "-shm"]) rmSync(`${path}${part}`, { force: true });
  },
  "file deleted": (path) => rmSync(path),
  "log deleted": (path) => rmSync(`${path}-wal`, { force: true }),
  "another file in its place": (path) => {
    writeFileSync(`${path}.other`, "no database\n".repeat(500));
    renameSync(`${path}.other`, path);
  },
};
export const REMOVAL_KINDS = Object.keys(REMOVALS).length;

/** The database goes from under the daemon, which is killed once it has stored something more: nothing is lost. */
export const removedDatabase = (times: number): Promise<Outcome> =>
  injectFault({ fault: "database deleted in use", times }, async (trial) => {
    const { harness } = trial;
    await trial.rounds(async (round) => {
      const remove = Object.values(REMOVALS)[round % REMOVAL_KINDS];
      harness.drop(50);
      await harness.untilDrained();
      const version = await versionNow(harness);
      remove?.(harness.paths.stateDb);
      harness.drop(50);
      await harness.untilDrained();
      await trial.daemon.stop("SIGKILL");
      const tookMs = await trial.recover();
      const next = await versionNow(harness);
      if (next < version || next > version + 1_000)
        throw new Error(`versions went from ${version} to ${next}`);
      return tookMs;
    });
    return Object.keys(REMOVALS).join(", ");
  });

/** The file whose lock makes one process the daemon is overwritten. */
export const damagedOwner = (times: number): Promise<Outcome> =>
  injectFault({ fault: "damaged owner.db", times }, async (trial) => {
    const { harness } = trial;
    await trial.rounds(async () => {
      await trial.daemon.stop("SIGKILL");
      writeFileSync(harness.paths.ownerDb, "no lock file\n".repeat(500));
      harness.drop();
      const tookMs = await trial.recover();
      await harness.untilDrained();
      if (!existsSync(harness.paths.ownerDb)) throw new Error("there is no lock");
      return tookMs;
    });
    return "";
  });
