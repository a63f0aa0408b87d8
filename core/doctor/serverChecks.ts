// Checks of each tmux server of a target: how it is watched and why, and whether keys could be sent to it.
import { dirname } from "node:path/posix";
import type { Check, Diagnosis } from "../model/doctorCheck.ts";
import type { Pane } from "../model/runtime.ts";
import type { TargetView } from "../model/view.ts";
import type { TmuxSocket } from "../tmux/servers.ts";
import {
  COMMAND_TIMEOUT_MS,
  placeOf,
  TARGET_LIMIT_MS,
  type DoctorLink,
  type DoctorTarget,
} from "./doctorTarget.ts";

type ServerView = TargetView["servers"][number];

const count = (panes: number): string => `${panes} pane${panes === 1 ? "" : "s"}`;

const checkWatch = (view: ServerView, { socketPath }: TmuxSocket): Diagnosis => {
  const { tmux_server: name, status, mode, problem, pane_count } = view;
  const evidence = [socketPath, count(pane_count), ...(problem === null ? [] : [problem])].join("; ");
  if (status === "no_server")
    return {
      status: "skipped",
      summary: `No tmux server runs as ${name}.`,
      evidence: socketPath,
      remedy: `Start one with 'tmux -S ${socketPath} new-session'; it is seen within a second.`,
    };
  if (status === "error")
    return {
      status: "problem",
      summary: `The tmux server ${name} does not answer.`,
      evidence,
      remedy: `Look whose it is: 'ls -la ${dirname(socketPath)}'. If it is yours, try 'tmux -S ${socketPath} list-sessions'.`,
    };
  if (problem !== null)
    return {
      status: "warning",
      summary: `The tmux server ${name} is watched, but not as well as it could be (${mode}).`,
      evidence,
      remedy: "agtmux goes on trying. Report the evidence with the output of 'tmux -V'.",
    };
  return {
    status: "ok",
    summary:
      mode === "direct"
        ? `The tmux server ${name} is asked over its socket.`
        : `The tmux server ${name} is asked through the tmux program.`,
    evidence,
  };
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
    summary: `The tmux server ${server} takes no keys.`,
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
    const shared = { place: placeOf(target, { server: watched.server }), limitMs: TARGET_LIMIT_MS };
    return [
      { ...shared, name: "server.watch", run: () => checkWatch(seen, watched) },
      ...(seen.status === "ok"
        ? [{ ...shared, name: "server.keys", run: () => checkKeys(link, watched, link.panes) }]
        : []),
    ];
  });
};
