// The doctor's look at what the daemon keeps: its database and the spool that hooks write to. The database is checked in its
// own process, so that the check of a large one neither blocks this command nor exceeds its time limit.
import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Check, Diagnosis } from "../../core/model/doctorCheck.ts";
import { formatBytes } from "./formatBytes.ts";
import { orNull, type HomeFacts } from "./homeChecks.ts";
import { quoteForPerson } from "../../core/model/shellWord.ts";

const execFileAsync = promisify(execFile);

const DATABASE_LIMIT_MS = 10_000;
const CHECK_TIMEOUT_MS = 8_000;
const SPOOL_LIMIT_MS = 5_000;
/** A running daemon takes an event within a second; older ones are stuck. */
const STUCK_MS = 15_000;
/** How many files have their age read. */
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
  if (said === "ok") return { status: "ok", summary: "The database is whole.", evidence: size };
  if (said === null)
    return {
      status: "skipped",
      summary: `The database could not be checked within ${CHECK_TIMEOUT_MS / 1_000} s.`,
      evidence: size,
      remedy: 'Shorten what is kept: "retention" in config.json.',
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
      summary: "Events wait in the spool and the daemon does not take them.",
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
    return [{ status: "skipped", summary: "There is no spool yet; the daemon makes it.", evidence: spool }];
  const bad = (await orNull(readdir(spoolBad))) ?? [];
  const backlog = await checkBacklog(facts, now);
  if (bad.length === 0) return [backlog];
  return [
    backlog,
    {
      status: "warning",
      summary: `${bad.length} file${bad.length === 1 ? "" : "s"} in the spool ${bad.length === 1 ? "was" : "were"} no event and had to be put aside.`,
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
