// The doctor's checks of the command itself and of the daemon: whether one answers or can be started, and whether it is of this
// version. What the daemon finds is only fetched here; its checks run in the daemon.
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { type Check, type Diagnosis, toProblem, type Finding } from "../../core/model/doctor.ts";
import { quoteForPerson } from "../../core/model/commandWords.ts";
import { endsWithin } from "../../core/model/endsWithin.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { formatAge } from "../../core/model/words.ts";
import { setTimer, type CliContext, type DaemonClient } from "../command/context.ts";

// Command: the Node that runs it, its installation, whether a shell finds it, and the terminal that it writes to.

const CLIENT_LIMIT_MS = 3_000;
const MIN_NODE = 24;

interface ClientFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Version of Node, without the v. */
  readonly nodeVersion: string;
  readonly nodePath: string;
  /** Folder of the installation and its version. */
  readonly root: string;
  readonly version: string;
  readonly isTerminal: boolean;
}

const isExecutable = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
};

const checkNode = ({ nodeVersion, nodePath }: ClientFacts): Diagnosis =>
  Number.parseInt(nodeVersion, 10) >= MIN_NODE
    ? { status: "ok", summary: `Node ${nodeVersion} is new enough.`, evidence: nodePath }
    : {
        status: "problem",
        summary: `Node ${nodeVersion} is too old: ${MIN_NODE} is needed.`,
        evidence: nodePath,
        remedy: "Install Node 24 from https://nodejs.org; 'npm ci' brings one on Linux.",
      };

const checkInstallation = async ({ root, version }: ClientFacts): Promise<Diagnosis> => {
  const wanted = [join(root, "bin", "agtmux"), join(root, "resources", "hooks", "agtmux-event")];
  const found = await Promise.all(wanted.map(isExecutable));
  const missing = wanted.filter((_path, index) => found[index] !== true);
  if (missing.length === 0)
    return { status: "ok", summary: `agtmux ${version} is installed completely.`, evidence: root };
  return {
    status: "problem",
    summary: `The installation of agtmux ${version} is incomplete.`,
    evidence: `missing or not executable: ${missing.join(", ")}`,
    remedy: "Install it again.",
  };
};

const checkPath = async ({ env, root }: ClientFacts): Promise<Diagnosis> => {
  const own = join(root, "bin", "agtmux");
  const folders = (env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  const link = `ln -s ${quoteForPerson(own)} ~/.local/bin/agtmux`;
  for (const folder of folders) {
    const found = join(folder, "agtmux");
    if (!(await isExecutable(found))) continue;
    if ((await realpath(found)) === (await realpath(own)))
      return { status: "ok", summary: "agtmux is on PATH.", evidence: found };
    return {
      status: "warning",
      summary: "Another agtmux comes first on PATH.",
      evidence: `${found}, not ${own}`,
      remedy: `Put this one first on PATH, e.g. '${link}'.`,
    };
  }
  return {
    status: "warning",
    summary: "agtmux is not on PATH.",
    evidence: own,
    remedy: `Run '${link}' (with ~/.local/bin on PATH).`,
  };
};

const checkTerminal = ({ env, isTerminal }: ClientFacts): Diagnosis[] => {
  if (!isTerminal) return [{ status: "skipped", summary: "The output isn't a terminal." }];
  const term = env["TERM"] ?? "";
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return [
    term === "" || term === "dumb"
      ? {
          status: "warning",
          summary: "TERM isn't set to a known terminal, so tables are plain and tmux can't attach.",
          evidence: `TERM=${term}`,
          remedy: "Set it, e.g. 'export TERM=xterm-256color'.",
        }
      : {
          status: "ok",
          summary: "The terminal is known; 'agtmux attach' opens panes in it.",
          evidence: `TERM=${term}`,
        },
    /utf-?8/i.test(locale)
      ? { status: "ok", summary: "The locale is UTF-8.", evidence: locale }
      : {
          status: "warning",
          summary: "The locale is not UTF-8, so tmux replaces other characters by underscores.",
          evidence: locale === "" ? "LC_ALL, LC_CTYPE and LANG are not set" : locale,
          remedy: "Set it, e.g. 'export LC_ALL=C.UTF-8'.",
        },
  ];
};

export const clientChecks = (facts: ClientFacts): Check[] => {
  const check = (name: string, run: Check["run"]): Check => ({
    name: `client.${name}`,
    place: { group: "client" },
    limitMs: CLIENT_LIMIT_MS,
    run,
  });
  return [
    check("node", () => checkNode(facts)),
    check("installation", () => checkInstallation(facts)),
    check("path", () => checkPath(facts)),
    check("terminal", () => checkTerminal(facts)),
  ];
};

// Daemon: whether it answers, its version, and its own findings.

const DAEMON_CHECK_LIMIT_MS = 1_000;
/** Time limit of the daemon's whole part; each of its checks has its own, smaller limit. */
const ANSWER_LIMIT_MS = 30_000;

/** A daemon, or why there is none; both where it has another protocol. */
export interface Reached {
  client: DaemonClient | null;
  error: unknown;
}

/** Connects, and starts a daemon unless that is forbidden. It also reaches a daemon with another protocol. Never rejects. */
export const tryDaemon = async (context: CliContext): Promise<Reached> => {
  try {
    return { client: await context.connect(), error: null };
  } catch (error) {
    if (!(error instanceof AgtmuxError) || error.code !== "E_DAEMON_VERSION") return { client: null, error };
    const client = await context.connect({ start: false, checkVersion: false }).catch(() => null);
    return { client, error };
  }
};

const describe = ({ hello }: DaemonClient, now: number): string => {
  const host = hello.host === "app" ? "in the desktop app" : hello.isOnDemand ? "on demand" : hello.host;
  return `pid ${hello.pid}, ${host}, for ${formatAge(now - hello.startedAt)}`;
};

const checkRunning = ({ client, error }: Reached, { env, now }: CliContext): Diagnosis => {
  if (client !== null)
    return { status: "ok", summary: "The daemon answers.", evidence: describe(client, now()) };
  const isUnavailable = error instanceof AgtmuxError && error.code === "E_DAEMON_UNAVAILABLE";
  return isUnavailable && env["AGTMUX_NO_START"] === "1"
    ? {
        status: "problem",
        summary: "No daemon runs, and AGTMUX_NO_START keeps this command from starting one.",
        evidence: error.message,
        remedy: "Run 'agtmux daemon run', or unset AGTMUX_NO_START.",
      }
    : toProblem(error, "No daemon answers, and none could be started.");
};

const checkVersion = ({ hello }: DaemonClient, { version }: CliContext, error: unknown): Diagnosis => {
  const remedy =
    hello.host === "app"
      ? "Quit the desktop app and start it again."
      : "Restart the daemon: 'agtmux daemon stop'; the next command starts it.";
  if (error !== null)
    return {
      status: "problem",
      summary: "The daemon speaks a different protocol.",
      evidence: `version ${hello.version}`,
      remedy,
    };
  if (hello.version === version)
    return { status: "ok", summary: "The daemon has the same version.", evidence: version };
  return {
    status: "warning",
    summary: "The daemon and this command have different versions.",
    evidence: `daemon ${hello.version}, command ${version}`,
    remedy,
  };
};

export const daemonChecks = (context: CliContext, reached: Reached): Check[] => {
  const { client, error } = reached;
  const check = (name: string, run: Check["run"]): Check => ({
    name: `daemon.${name}`,
    place: { group: "daemon" },
    limitMs: DAEMON_CHECK_LIMIT_MS,
    run,
  });
  return [
    check("running", () => checkRunning(reached, context)),
    ...(client === null
      ? [
          check("findings", () => ({
            status: "skipped",
            summary: "Without a daemon, tmux and agents can't be checked.",
          })),
        ]
      : [check("version", () => checkVersion(client, context, error))]),
  ];
};

/** What the daemon finds. Fails with E_TARGET_UNKNOWN for an unknown target; every other failure is a finding. */
export const findingsOfDaemon = async (client: DaemonClient, target: string | null): Promise<Finding[]> => {
  try {
    const asked = client.call((api) => api.doctor.mutate({ target }));
    if (await endsWithin(asked, ANSWER_LIMIT_MS, { setTimer })) return (await asked).findings;
    throw new AgtmuxError(
      "E_DAEMON_UNAVAILABLE",
      `the daemon found nothing within ${ANSWER_LIMIT_MS / 1_000} s`,
    );
  } catch (error) {
    if (error instanceof AgtmuxError && error.code === "E_TARGET_UNKNOWN") throw error;
    const { status, summary, evidence, remedy } = toProblem(
      error,
      "The daemon could not make its part of the report.",
    );
    return [
      {
        check: "daemon.findings",
        group: "daemon",
        target: null,
        tmux_server: null,
        agent: null,
        status,
        summary,
        evidence: evidence ?? null,
        remedy: remedy ?? null,
      },
    ];
  }
};
