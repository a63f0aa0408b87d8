// Checks of a target and of each of its tmux servers: can they be reached, how are they asked, could keys be sent, can processes be
// read, do the clocks agree, and does a test event find its way from the hook to the daemon.
import { dirname } from "node:path/posix";
import type { Check, Diagnosis } from "../model/doctor.ts";
import type { Pane } from "../model/runtime.ts";
import type { TargetView } from "../model/view.ts";
import type { TmuxSocket } from "../tmux/servers.ts";
import { COMMAND_TIMEOUT_MS, checksAt, placeOf, type DoctorLink, type DoctorTarget } from "./doctorTarget.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { Clock } from "../ports/clock.ts";
import { knowledgeOf, parseTmuxVersion, TESTED_VERSIONS, type TmuxVersion } from "../tmux/findTmux.ts";

// Checks of a tmux server.

type ServerView = TargetView["servers"][number];

const count = (panes: number): string => `${panes} pane${panes === 1 ? "" : "s"}`;

const checkWatch = (view: ServerView, { socketPath }: TmuxSocket): Diagnosis => {
  const { tmux_server: name, status, mode, problem, pane_count } = view;
  const evidence = [socketPath, count(pane_count), ...(problem === null ? [] : [problem])].join("; ");
  if (status === "no_server")
    return {
      status: "skipped",
      summary: `No tmux server is running as ${name}.`,
      evidence: socketPath,
      remedy: `Start one with 'tmux -S ${socketPath} new-session'; it is seen within a second.`,
    };
  if (status === "error")
    return {
      status: "problem",
      summary: `The tmux server ${name} does not answer.`,
      evidence,
      remedy: `See who owns it: 'ls -la ${dirname(socketPath)}'. If it is yours, try 'tmux -S ${socketPath} list-sessions'.`,
    };
  const way = mode === "direct" ? "over its socket" : "through the tmux program";
  if (problem !== null)
    return {
      status: "warning",
      summary: `The tmux server ${name} is asked ${way}; a better way failed.`,
      evidence,
      remedy: "agtmux keeps trying. Report the evidence with the output of 'tmux -V'.",
    };
  return { status: "ok", summary: `The tmux server ${name} is asked ${way}.`, evidence };
};

/**
 * Sends an empty text: tmux makes every check that it makes before it takes keys, and nothing is typed. From tmux 3.7 on, a
 * server whose only client is read-only may refuse keys from other programs (reported from the field).
 */
const checkKeys = async (
  { tmuxOf }: DoctorLink,
  { server, socketPath }: TmuxSocket,
  panes: readonly Pane[],
): Promise<Diagnosis | null> => {
  const pane = panes.find((one) => one.server === server && !one.isDead);
  const tmux = tmuxOf(server);
  if (pane === undefined || tmux === null) return null;
  const words = ["send-keys", "-l", "-t", pane.paneId, ""];
  const ran = await tmux.run(words, { timeoutMs: COMMAND_TIMEOUT_MS });
  const said = ran.timedOut ? "no answer" : ran.stderr.trim();
  if (ran.exitCode === 0)
    return {
      status: "ok",
      summary: `Keys can be sent to the tmux server ${server}.`,
      evidence: `an empty text to ${pane.paneId}`,
    };
  // The pane may have gone a moment ago.
  if (said.includes("can't find pane")) return null;
  return {
    status: "problem",
    summary: `The tmux server ${server} doesn't accept keys.`,
    evidence: said,
    remedy: said.includes("read-only")
      ? `Attach a terminal to it: 'tmux -S ${socketPath} attach'.`
      : `Try 'tmux -S ${socketPath} list-panes -a'.`,
  };
};

/** Two checks for each watched server of a connected target. */
export const serverChecks = (target: DoctorTarget): Check[] => {
  const { link, view } = target;
  if (link === null || link.tmuxPath === null) return [];
  return link.servers.flatMap((watched) => {
    const seen = view.servers.find((one) => one.tmux_server === watched.server);
    if (seen === undefined) return [];
    const check = checksAt("server", placeOf(target, { server: watched.server }));
    return [
      check("watch", () => checkWatch(seen, watched)),
      ...(seen.status === "ok" ? [check("keys", () => checkKeys(link, watched, link.panes))] : []),
    ];
  });
};

// Checks of the target as a whole.

/** Oldest tmux that is watched at all. */
const MIN_VERSION = [2, 6] as const;
/** A smaller difference is not reported, because the target gives its time in whole seconds. */
const MAX_SKEW_MS = 2_000;
/** How many panes have their processes read, to prove that this works. */
const SAMPLED_PANES = 5;

const INSTALL_TMUX =
  "Install tmux ('apt-get install tmux', 'brew install tmux') or set \"tmux_path\" in config.json, then restart the daemon: 'agtmux daemon stop'.";
const RESTART = "Restart the daemon: 'agtmux daemon stop'; the next command starts it.";

const checkHealth = ({ view }: DoctorTarget): Diagnosis => {
  const evidence = view.health_reason ?? "";
  const remedy =
    view.kind === "ssh"
      ? `Run 'agtmux target connect ${view.target}'.`
      : "See the findings about tmux below; 'agtmux target list' shows the state as it changes.";
  switch (view.health) {
    case "ok":
      return { status: "ok", summary: `Machine ${view.target} answers.`, evidence: `kind ${view.kind}` };
    case "degraded":
      return { status: "warning", summary: `Machine ${view.target} answers in part.`, evidence, remedy };
    case "down":
      return { status: "problem", summary: `Machine ${view.target} is not watched.`, evidence, remedy };
  }
};

const isOlder = (
  { major, minor }: TmuxVersion,
  [wantedMajor, wantedMinor]: readonly [number, number],
): boolean =>
  major !== null && minor !== null && (major < wantedMajor || (major === wantedMajor && minor < wantedMinor));

const judgeVersion = (path: string, version: TmuxVersion): Diagnosis => {
  const evidence = `${path}, version ${version.raw}`;
  if (isOlder(version, MIN_VERSION))
    return {
      status: "problem",
      summary: `tmux ${version.raw} is too old: ${MIN_VERSION.join(".")} is needed.`,
      evidence,
      remedy: INSTALL_TMUX,
    };
  switch (knowledgeOf(version)) {
    case "tested":
      return { status: "ok", summary: `tmux ${version.raw} is one that agtmux is tested with.`, evidence };
    case "older":
      return {
        status: "warning",
        summary: `agtmux is tested with tmux ${TESTED_VERSIONS}, not with ${version.raw}: its servers are asked through the tmux program, which costs more.`,
        evidence,
        remedy: "Nothing to do while the states are right. " + INSTALL_TMUX,
      };
    case "untried":
      return {
        status: "warning",
        summary: `agtmux is tested with tmux ${TESTED_VERSIONS}, not with ${version.raw}. See below how each of its servers is asked.`,
        evidence,
        remedy: "Nothing to do while the states are right.",
      };
  }
};

const checkMissingTmux = async (link: DoctorLink): Promise<Diagnosis> => {
  try {
    const { path, version } = await link.findTmux();
    return {
      status: "problem",
      summary: "tmux was found now but not when the daemon started.",
      evidence: `${path}, version ${version.raw}`,
      remedy: RESTART,
    };
  } catch (error) {
    if (!(error instanceof AgtmuxError)) throw error;
    return {
      status: "problem",
      summary: "No working tmux was found.",
      evidence: `tried ${error.details.join(", ")}`,
      remedy: INSTALL_TMUX,
    };
  }
};

const checkTmux = async (link: DoctorLink): Promise<Diagnosis> => {
  const { tmuxPath, executor } = link;
  if (tmuxPath === null) return checkMissingTmux(link);
  const ran = await executor.run([tmuxPath, "-V"], { timeoutMs: COMMAND_TIMEOUT_MS });
  const version = parseTmuxVersion(ran.stdout);
  if (ran.exitCode === 0 && version.raw !== "") return judgeVersion(tmuxPath, version);
  return {
    status: "problem",
    summary: `${tmuxPath} no longer says its version.`,
    evidence: ran.timedOut ? "no answer" : `exit status ${ran.exitCode ?? "none"}: ${ran.stderr.trim()}`,
    remedy: INSTALL_TMUX,
  };
};

const checkProcesses = async ({ panes, processes }: DoctorLink): Promise<Diagnosis> => {
  const live = panes.filter((pane) => !pane.isDead).slice(0, SAMPLED_PANES);
  if (live.length === 0)
    return { status: "skipped", summary: "There is no pane whose processes could be read." };
  const trees = await processes.ofPanes(live.map((pane) => pane.panePid));
  const count = [...trees.values()].flat().length;
  const panesWord = live.length === 1 ? "pane" : "panes";
  const evidence = `${trees.size} of ${live.length} sampled ${panesWord}, ${count} ${count === 1 ? "process" : "processes"}`;
  if (trees.size > 0) return { status: "ok", summary: "The processes of panes can be read.", evidence };
  return {
    status: "problem",
    summary: "The processes of panes cannot be read, so no agent can be recognised.",
    evidence,
    remedy:
      "Let the user of the tmux server see its own processes (/proc, or 'ps -axo pid=,args='), e.g. no hidepid.",
  };
};

const checkAgents = ({ agents, view }: DoctorTarget, { panes }: DoctorLink): Diagnosis => {
  const byType = Map.groupBy(agents, ({ agentType }) => agentType);
  const evidence = [...byType].map(([agent, own]) => `${agent}: ${own.length}`).join(", ");
  if (agents.length > 0)
    return {
      status: "ok",
      summary: `Agents are seen in ${agents.length} of ${panes.length} panes.`,
      evidence,
    };
  return {
    status: "skipped",
    summary: `No agent is seen in the ${panes.length} panes of ${view.target}.`,
    remedy: "If there should be one, run 'agtmux adapters try <ref>' on its pane.",
  };
};

const checkClock = async ({ executor }: DoctorLink, clock: Clock): Promise<Diagnosis> => {
  const before = clock.now();
  const ran = await executor.run(["date", "+%s"], { timeoutMs: COMMAND_TIMEOUT_MS });
  const after = clock.now();
  const seconds = /^\d{9,11}$/.exec(ran.stdout.trim())?.[0];
  if (ran.exitCode !== 0 || seconds === undefined)
    return { status: "skipped", summary: "The machine doesn't tell its time.", evidence: ran.stderr.trim() };
  // The target's second may be just beginning or ending, and its clock was read at some moment between question and answer.
  const earliest = Number(seconds) * 1_000 - after;
  const latest = Number(seconds) * 1_000 + 999 - before;
  const skewMs = earliest > 0 ? earliest : latest < 0 ? latest : 0;
  const evidence = `${skewMs === 0 ? "no" : `${(skewMs / 1_000).toFixed(1)} s`} difference, asked within ${Math.round(after - before)} ms`;
  if (Math.abs(skewMs) <= MAX_SKEW_MS)
    return { status: "ok", summary: "Its clock agrees with the daemon's.", evidence };
  return {
    status: "warning",
    summary: `Its clock is ${Math.abs(Math.round(skewMs / 1_000))} s ${skewMs > 0 ? "ahead of" : "behind"} the daemon's.`,
    evidence,
    remedy:
      "Synchronise the clocks, e.g. 'timedatectl set-ntp true'; restart the daemon if its own was changed.",
  };
};

const checkDelivery = async (
  { integrations, executor }: DoctorLink,
  agent: string | null,
): Promise<Diagnosis> => {
  const own = agent === null ? null : await integrations();
  if (own === null || agent === null || !(await own.hasScript()))
    return { status: "skipped", summary: "No agent here has a hook that could be tested." };
  const { works, detail } = await own.deliver(agent);
  if (works) return { status: "ok", summary: "Events travel from the hook to the daemon.", evidence: detail };
  return {
    status: "problem",
    summary: "Events do not travel from the hook to the daemon.",
    evidence: detail,
    remedy:
      executor.kind === "local"
        ? "See the findings about the home and its spool, then restart the daemon: 'agtmux daemon stop'."
        : `Run 'agtmux integrate <agent> --target ${executor.targetId} --verify' for an agent that is integrated there.`,
  };
};

/** The checks of one target; `testAgent` has an integration whose hook the test event goes through. */
export const targetChecks = (target: DoctorTarget, testAgent: string | null, clock: Clock): Check[] => {
  const { link } = target;
  const check = checksAt("target", placeOf(target));
  const health = check("health", () => checkHealth(target));
  if (link === null)
    return [
      health,
      check("connection", () => ({
        status: "skipped",
        summary: `Nothing else on ${target.view.target} can be checked without a connection.`,
      })),
    ];
  return [
    health,
    check("tmux", () => checkTmux(link)),
    check("processes", () => checkProcesses(link)),
    check("agents", () => checkAgents(target, link)),
    check("clock", () => checkClock(link, clock)),
    check("delivery", () => checkDelivery(link, testAgent)),
  ];
};
