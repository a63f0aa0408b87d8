// The doctor's look at the runtime home: who may enter it, its socket, its configuration, its log and the installed hook. It
// works without a daemon and reads only.
import { errorCodeOf } from "../../core/model/systemError.ts";
import { constants } from "node:fs";
import { access, lstat, readFile, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { configProblems, isOfChannel } from "../../core/model/configProblems.ts";
import type { Check, Diagnosis } from "../../core/model/doctorCheck.ts";
import type { RuntimePaths } from "../../core/rpc/paths.ts";
import { formatBytes } from "./formatBytes.ts";
import { quoteForPerson } from "../../core/model/shellWord.ts";

const LIMIT_MS = 3_000;
const MIB = 1024 * 1024;
/** Free space: below the first limit the daemon will soon fail; below the second a person is warned. */
const MIN_FREE_BYTES = 50 * MIB;
const LOW_FREE_BYTES = 500 * MIB;

export interface HomeFacts {
  readonly paths: RuntimePaths;
  /** Null where the system has no user ids. */
  readonly uid: number | null;
  /** The event script as shipped. */
  readonly eventScriptSource: string;
  readonly isDaemonRunning: boolean;
}

/** Null where the path does not exist. */
export const orNull = async <T>(work: Promise<T>): Promise<T | null> => {
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
    return { status: "skipped", summary: "There is no home yet; the first daemon makes it.", evidence: home };
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
  return { status: "ok", summary: "The home folder of agtmux is yours alone.", evidence };
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
      ? "A channel in config.json is not valid and not in force; all else is."
      : "config.json is not valid: the last good configuration, or the default, stays in force.",
    evidence: problems
      .map(({ line, path, message }) => `${config}:${line}: ${path === "" ? "" : `${path}: `}${message}`)
      .join("; "),
    remedy: "Correct the named lines; the daemon reads the file again by itself.",
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
      summary: "The hook's script is not installed yet; the daemon does it.",
      evidence: installed,
    };
  if ((found.mode & 0o100) === 0)
    return {
      status: "problem",
      summary: "The hook's script cannot be run.",
      evidence: `${installed}, mode ${octal(found.mode)}`,
      remedy: `Run 'chmod 755 ${quoteForPerson(installed)}'.`,
    };
  const [present, shipped] = await Promise.all([readFile(installed), readFile(eventScriptSource)]);
  if (present.equals(shipped))
    return { status: "ok", summary: "The hook's script is current.", evidence: installed };
  return {
    status: "warning",
    summary: "The hook's script is not the one of this version.",
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
  const remedy = `Make room on the disk of ${home}; events wait in the spool until then.`;
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
