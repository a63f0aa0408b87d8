// The doctor's way to the daemon: whether one answers or can be started, whether it is of this version, and what it finds
// itself.
import { toProblem, type Check, type Diagnosis } from "../../core/model/doctorCheck.ts";
import { endsWithin } from "../../core/model/endsWithin.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { Finding } from "../../core/model/doctorView.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import { formatAge } from "../../core/model/words.ts";
import { setTimer, type CliContext } from "../context.ts";

const LIMIT_MS = 1_000;
/** Time limit of the daemon's whole part; each of its checks has its own, smaller limit. */
const ANSWER_LIMIT_MS = 30_000;

/** A daemon, or why there is none. */
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
      summary: "The daemon speaks another protocol.",
      evidence: `version ${hello.version}`,
      remedy,
    };
  if (hello.version === version)
    return { status: "ok", summary: "The daemon is of the same version.", evidence: version };
  return {
    status: "warning",
    summary: "The daemon is of another version than this command.",
    evidence: `daemon ${hello.version}, command ${version}`,
    remedy,
  };
};

export const daemonChecks = (context: CliContext, reached: Reached): Check[] => {
  const { client, error } = reached;
  const check = (name: string, run: Check["run"]): Check => ({
    name: `daemon.${name}`,
    place: { group: "daemon" },
    limitMs: LIMIT_MS,
    run,
  });
  return [
    check("running", () => checkRunning(reached, context)),
    ...(client === null
      ? [
          check("findings", () => ({
            status: "skipped",
            summary: "Without a daemon nothing is known of tmux and agents.",
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
