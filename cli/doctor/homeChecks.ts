// The doctor's checks of the runtime home: the folder (who may enter it, its socket, configuration, log, hook script and disk) and
// the storage (database and spool). They work without a daemon and only read.
import { errorCodeOf } from "../../core/model/errors.ts";
import { constants } from "node:fs";
import { access, lstat, readFile, stat, statfs, readdir } from "node:fs/promises";
import { join } from "node:path";
import { configProblems, isOfChannel } from "../../core/model/config.ts";
import type { Check, Diagnosis } from "../../core/model/doctor.ts";
import type { RuntimePaths } from "../../core/rpc/paths.ts";
import { quoteForPerson } from "../../core/model/commandWords.ts";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** A size in its largest unit, below ten with one decimal: `3.2 MB`. */
const formatBytes = (bytes: number): string => {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit] ?? ""}`;
};

const LIMIT_MS = 3_000;
const MIB = 1024 * 1024;
/** Free space: below the first limit the daemon will soon fail; below the second a person is warned. */
const MIN_FREE_BYTES = 50 * MIB;
const LOW_FREE_BYTES = 500 * MIB;

interface HomeFacts {
  readonly paths: RuntimePaths;
  /** Null where the system has no user ids. */
  readonly uid: number | null;
  /** The event script as shipped. */
  readonly eventScriptSource: string;
  readonly isDaemonRunning: boolean;
}

/** Null where the path does not exist. */
const orNull = async <T>(work: Promise<T>): Promise<T | null> => {
  try {
    return await work;
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return null;
    throw error;
  }
};

const octal = (mode: number): string => `0${(mode & 0o777).toString(8).padStart(3, "0")}`;

const checkFolder = async ({ paths: { home }, uid }: HomeFacts): Promise<Diagnosis> => {
  const found = await orNull(stat(home));
  if (found === null)
    return {
      status: "skipped",
      summary: "There is no home yet; the first daemon creates it.",
      evidence: home,
    };
  const evidence = `${home}, mode ${octal(found.mode)}, owner ${found.uid}`;
  const remedy = `Run 'chmod 700 ${quoteForPerson(home)}'.`;
  if (!found.isDirectory())
    return { status: "problem", summary: "The home is not a folder.", evidence, remedy: "Move it away." };
  if (uid !== null && found.uid !== uid)
    return {
      status: "problem",
      summary: "The home belongs to another user.",
      evidence,
      remedy: "Set AGTMUX_HOME to a folder of your own.",
    };
  if ((found.mode & 0o022) !== 0)
    return { status: "problem", summary: "Others can write to the home.", evidence, remedy };
  if ((found.mode & 0o055) !== 0)
    return { status: "warning", summary: "Others can look into the home.", evidence, remedy };
  return { status: "ok", summary: "Only you can use agtmux's home folder.", evidence };
};

const checkSocket = async ({ paths: { socket }, uid, isDaemonRunning }: HomeFacts): Promise<Diagnosis> => {
  const found = await orNull(lstat(socket));
  if (found === null)
    return isDaemonRunning
      ? {
          status: "problem",
          summary: "The daemon's socket is gone.",
          evidence: socket,
          remedy: "Restart the daemon: 'agtmux daemon stop'.",
        }
      : { status: "skipped", summary: "There is no socket, because no daemon runs.", evidence: socket };
  const evidence = `${socket}, mode ${octal(found.mode)}, owner ${found.uid}`;
  if (!found.isSocket() || (uid !== null && found.uid !== uid))
    return {
      status: "problem",
      summary: "Something that is not your socket is in the socket's place.",
      evidence,
      remedy: `Remove it: 'rm ${quoteForPerson(socket)}'.`,
    };
  if ((found.mode & 0o177) !== 0)
    return {
      status: "problem",
      summary: "Others may connect to the socket, or would if they could enter the home.",
      evidence,
      remedy: `Run 'chmod 600 ${quoteForPerson(socket)}'.`,
    };
  return { status: "ok", summary: "Only you can connect to the socket.", evidence };
};

const checkConfig = async ({ paths: { config } }: HomeFacts): Promise<Diagnosis> => {
  const text = await orNull(readFile(config, "utf8"));
  if (text === null)
    return { status: "ok", summary: "There is no config.json: the defaults are in force.", evidence: config };
  const problems = configProblems(text);
  if (problems.length === 0) return { status: "ok", summary: "config.json is valid.", evidence: config };
  return {
    status: "problem",
    summary: problems.every(isOfChannel)
      ? "A channel in config.json isn't valid and is ignored; everything else is in force."
      : "config.json is not valid: the last good configuration, or the default, stays in force.",
    evidence: problems
      .map(({ line, path, message }) => `${config}:${line}: ${path === "" ? "" : `${path}: `}${message}`)
      .join("; "),
    remedy: "Correct those lines; the daemon rereads the file by itself.",
  };
};

const checkLog = async ({ paths: { log, logDir } }: HomeFacts): Promise<Diagnosis> => {
  const found = await orNull(stat(log));
  if (found !== null) {
    await access(log, constants.W_OK);
    return {
      status: "ok",
      summary: "The daemon's log can be written.",
      evidence: `${log}, ${formatBytes(found.size)}`,
    };
  }
  if ((await orNull(access(logDir, constants.W_OK))) === null)
    return { status: "skipped", summary: "There is no log yet.", evidence: log };
  return { status: "ok", summary: "There is no log yet; its folder can be written.", evidence: log };
};

const checkHook = async ({ paths, eventScriptSource }: HomeFacts): Promise<Diagnosis> => {
  const installed = join(paths.binDir, "agtmux-event");
  const found = await orNull(stat(installed));
  const restart = "Restart the daemon, which installs it: 'agtmux daemon stop'; the next command starts it.";
  if (found === null)
    return {
      status: "skipped",
      summary: "The hook script isn't installed yet; the daemon installs it.",
      evidence: installed,
    };
  if ((found.mode & 0o100) === 0)
    return {
      status: "problem",
      summary: "The hook script can't be run.",
      evidence: `${installed}, mode ${octal(found.mode)}`,
      remedy: `Run 'chmod 755 ${quoteForPerson(installed)}'.`,
    };
  const [present, shipped] = await Promise.all([readFile(installed), readFile(eventScriptSource)]);
  if (present.equals(shipped))
    return { status: "ok", summary: "The hook script is current.", evidence: installed };
  return {
    status: "warning",
    summary: "The hook script is from another version.",
    evidence: installed,
    remedy: restart,
  };
};

const checkDisk = async ({ paths: { home } }: HomeFacts): Promise<Diagnosis> => {
  const found = await orNull(statfs(home));
  if (found === null)
    return { status: "skipped", summary: "There is no home yet, so its disk was not looked at." };
  const free = found.bavail * found.bsize;
  const evidence = `${formatBytes(free)} free for ${home}`;
  const remedy = `Free some space on the disk of ${home}; events wait in the spool until then.`;
  if (free < MIN_FREE_BYTES)
    return { status: "problem", summary: "The disk of the home is full.", evidence, remedy };
  if (free < LOW_FREE_BYTES)
    return { status: "warning", summary: "The disk of the home is nearly full.", evidence, remedy };
  return { status: "ok", summary: "There is room on the disk.", evidence };
};

export const homeChecks = (facts: HomeFacts): Check[] => {
  const check = (name: string, run: Check["run"]): Check => ({
    name: `home.${name}`,
    place: { group: "home" },
    limitMs: LIMIT_MS,
    run,
  });
  return [
    check("folder", () => checkFolder(facts)),
    check("socket", () => checkSocket(facts)),
    check("config", () => checkConfig(facts)),
    check("log", () => checkLog(facts)),
    check("hook", () => checkHook(facts)),
    check("disk", () => checkDisk(facts)),
  ];
};

// Storage: the daemon's database and the spool that hooks write to. The database is checked in a process of its own, so that the
// check of a large one neither blocks this command nor exceeds its time limit.

const execFileAsync = promisify(execFile);

const DATABASE_LIMIT_MS = 10_000;
const CHECK_TIMEOUT_MS = 8_000;
const SPOOL_LIMIT_MS = 5_000;
/** A running daemon takes an event within a second; an event that is older than this is stuck. */
const STUCK_MS = 15_000;
/** The age is read of this many files at most. */
const SAMPLED_FILES = 200;

/**
 * Opens the database read-only, and as immutable if it has no log beside it, so that no file is made. It uses Node's own
 * SQLite, so the check does not depend on the installation.
 */
const QUICK_CHECK = `
const { DatabaseSync } = require("node:sqlite");
const { existsSync } = require("node:fs");
const { pathToFileURL } = require("node:url");
const url = pathToFileURL(process.argv[1]);
if (!existsSync(process.argv[1] + "-wal")) url.searchParams.set("immutable", "1");
const database = new DatabaseSync(url, { readOnly: true });
const rows = database.prepare("PRAGMA quick_check(3)").all();
process.stdout.write(rows.map((row) => Object.values(row)[0]).join("; "));
`;

const quickCheck = async (path: string, nodePath: string): Promise<string | null> => {
  try {
    const { stdout } = await execFileAsync(nodePath, ["--no-warnings", "-e", QUICK_CHECK, path], {
      timeout: CHECK_TIMEOUT_MS,
      killSignal: "SIGKILL",
      env: {},
    });
    return stdout;
  } catch (error) {
    if (error instanceof Error && "killed" in error && error.killed === true) return null;
    const said = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
    return /^Error: (.*)$/m.exec(said)?.[1] ?? said.slice(-300);
  }
};

const checkDatabase = async (
  { paths: { stateDb }, isDaemonRunning }: HomeFacts,
  nodePath: string,
): Promise<Diagnosis> => {
  const [found, log] = await Promise.all([orNull(stat(stateDb)), orNull(stat(`${stateDb}-wal`))]);
  if (found === null) return { status: "skipped", summary: "There is no database yet.", evidence: stateDb };
  const size = `${stateDb}, ${formatBytes(found.size)}${log === null ? "" : ` and ${formatBytes(log.size)} of log`}`;
  const said = await quickCheck(stateDb, nodePath);
  if (said === "ok") return { status: "ok", summary: "The database is intact.", evidence: size };
  if (said === null)
    return {
      status: "skipped",
      summary: `The database could not be checked within ${CHECK_TIMEOUT_MS / 1_000} s.`,
      evidence: size,
      remedy: 'Keep less: lower "retention" in config.json.',
    };
  if (/locked|busy/i.test(said))
    return { status: "skipped", summary: "The database is in use and could not be checked.", evidence: said };
  return {
    status: "problem",
    summary: "The database is damaged.",
    evidence: `${size}: ${said}`,
    remedy: `${isDaemonRunning ? "Run 'agtmux daemon stop': the next daemon" : "Start the daemon, for instance by 'agtmux list panes': it"} sets the damaged file aside and finds the states again; their history is lost.`,
  };
};

const canWriteIn = async (folder: string): Promise<boolean> => {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return (await stat(folder)).isDirectory();
  } catch {
    return false;
  }
};

/** Age in ms of the oldest of the first files; 0 for none. */
const oldestAge = async (folder: string, names: readonly string[], now: number): Promise<number> => {
  const stats = await Promise.all(
    names.slice(0, SAMPLED_FILES).map((name) => orNull(lstat(join(folder, name)))),
  );
  return Math.max(0, ...stats.flatMap((found) => (found === null ? [] : [now - found.mtimeMs])));
};

const checkBacklog = async (facts: HomeFacts, now: number): Promise<Diagnosis> => {
  const { paths, isDaemonRunning } = facts;
  const folders = [paths.spoolTmp, paths.spoolNew];
  const areWritable = await Promise.all(folders.map(canWriteIn));
  const closed = folders.filter((_folder, index) => areWritable[index] !== true);
  if (closed.length > 0)
    return {
      status: "problem",
      summary: "Hooks cannot write to the spool, so events are lost.",
      evidence: closed.join(", "),
      remedy: `Run 'chmod 700 ${closed.map(quoteForPerson).join(" ")}' as their owner; the daemon makes what is missing.`,
    };
  const waiting = await readdir(paths.spoolNew);
  const age = await oldestAge(paths.spoolNew, waiting, now);
  const evidence = `${paths.spool}: ${waiting.length} waiting${age === 0 ? "" : `, the oldest for ${Math.round(age / 1_000)} s`}`;
  if (isDaemonRunning && age > STUCK_MS)
    return {
      status: "problem",
      summary: "Events wait in the spool, and the daemon doesn't take them.",
      evidence,
      remedy: `See the end of ${paths.log}, then restart the daemon: 'agtmux daemon stop'.`,
    };
  return {
    status: "ok",
    summary:
      waiting.length === 0 || isDaemonRunning
        ? "The spool takes events."
        : "The spool keeps events for the next daemon.",
    evidence,
  };
};

const checkSpool = async (facts: HomeFacts, now: number): Promise<Diagnosis[]> => {
  const { spool, spoolBad } = facts.paths;
  if ((await orNull(stat(spool))) === null)
    return [{ status: "skipped", summary: "There is no spool yet; the daemon creates it.", evidence: spool }];
  const bad = (await orNull(readdir(spoolBad))) ?? [];
  const backlog = await checkBacklog(facts, now);
  if (bad.length === 0) return [backlog];
  return [
    backlog,
    {
      status: "warning",
      summary: `${bad.length} file${bad.length === 1 ? "" : "s"} in the spool ${bad.length === 1 ? "wasn't a valid event" : "weren't valid events"} and had to be set aside.`,
      evidence: `${spoolBad}: ${bad.slice(0, 5).join(", ")}${bad.length > 5 ? ", …" : ""}`,
      remedy: `Look at them, then remove them: 'rm -r ${quoteForPerson(spoolBad)}/*'.`,
    },
  ];
};

export const storageChecks = (facts: HomeFacts, nodePath: string, now: () => number): Check[] => [
  {
    name: "home.database",
    place: { group: "home" },
    limitMs: DATABASE_LIMIT_MS,
    run: () => checkDatabase(facts, nodePath),
  },
  {
    name: "home.spool",
    place: { group: "home" },
    limitMs: SPOOL_LIMIT_MS,
    run: () => checkSpool(facts, now()),
  },
];
