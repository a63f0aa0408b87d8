// Documents on the live agent: `doc route` tells exactly the agent at rest whose pane the document has, and types nothing into an open
// prompt, into the shell that is left when the agent ends, or into a pane that was started again under the same id.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { spreadOf } from "../../../bench/statistics.ts";
import { type Finished, startProgram } from "../../harness/commandLine.ts";
import type { Exchange } from "../model/modelLog.ts";
import { untilTrue } from "../rig/livePane.ts";
import { AGTMUX } from "../rig/product.ts";
import { act } from "./act.ts";
import { type Scenario, USUAL_START } from "./scenario.ts";
import { findSession } from "./sessions.ts";
import type { Stage } from "./stage.ts";
import { ask, completeTurn, endedAt, hasOpenExchange } from "./turns.ts";

// Work that goes from one agent to another and back: what the model of the second one is given has to hold what the person wanted and
// what is still open. The first agent is interrupted in the midst of it.

const WORKING_MS = 3_000;
const ARRIVES_MS = 90_000;

interface Work {
  goal: string;
  open: string;
}

/** What stands in the pane of the other agent, in one line. */
const screenOf = async ({ rig }: Stage, session: string): Promise<string> => {
  try {
    const screen = await rig.tmux("capture-pane", "-p", "-t", `=${session}:`);
    return screen.replaceAll(/\s+/g, " ").slice(-1_500);
  } catch {
    return "it has none";
  }
};

/** Hands the session over, and gives the request that the other agent's model received; what went wrong is a text. */
const handOver = async (
  stage: Stage,
  { from, to, work }: { from: string; to: string; work: Work },
): Promise<Exchange | string> => {
  const id = await findSession(stage, from, work.goal);
  if (id === null) return `the session of ${from} is not listed`;
  const at = Date.now();
  const begun = await act(stage, "history", "handoff", id, "--to", to, "--session", `to-${to}`, "--yes");
  if (begun.code !== 0) return `${begun.said} Its screen: ${await screenOf(stage, `to-${to}`)}`;
  const received = (): Exchange | undefined =>
    stage.since(at).find(({ prompt }) => prompt.includes("# Work handed over"));
  await untilTrue(() => (received()?.ended ?? null) !== null, ARRIVES_MS);
  return received() ?? `the model of ${to} was not asked: ${begun.said}`;
};

/** What is missing in what the model was given; null: nothing. */
const findFault = (received: Exchange | string, { goal, open }: Work): string | null => {
  if (typeof received === "string") return received;
  const missing = [goal, open].filter((text) => !received.prompt.includes(text));
  return missing.length === 0 ? null : `the model was not told: ${missing.join(", ")}`;
};

/** Some agents ask something at their first start; what is handed over must not meet that. */
const settleCompanion = async ({ rig }: Stage): Promise<void> => {
  if (rig.companion === null || rig.mode !== "integrated") return;
  const pane = await rig.openPane("settle", { agent: rig.companion });
  await pane.close();
};

const thereAndBack: Scenario = {
  name: "handoff",
  steps: ["handoff_turn", "handoff_there", "handoff_back"],
  lacks: ({ id }) => (id === "claude" ? null : "work is handed over from Claude Code to Codex and back"),
  start: USUAL_START,
  companion: "codex",
  run: async (stage) => {
    await settleCompanion(stage);
    const work: Work = {
      goal: `SAY halve the retry budget n${stage.next()}`,
      open: `SLOW 8 write its tests n${stage.next()}`,
    };
    await completeTurn(stage, "handoff_turn", work.goal);
    const { said } = await ask(stage, work.open);
    await wait(WORKING_MS);
    await stage.pane.press(stage.rig.agent.keys.interrupt);
    await endedAt(stage, said.at);
    const there = await handOver(stage, { from: "claude", to: "codex", work });
    const problem = findFault(there, work);
    await stage.did("handoff_there", problem === null, problem ?? "");
    if (problem !== null) return;
    const back = findFault(await handOver(stage, { from: "codex", to: "claude", work }), work);
    await stage.did("handoff_back", back === null, back ?? "");
  },
};

export const HANDOFF_SCENARIOS: readonly Scenario[] = [thereAndBack];

const ROUTES = 20;
const ARRIVES_WITHIN_MS = 15_000;
const TURN_MS = 40_000;
/** An agent sees a skill that came while it runs only after a while. */
const SKILL_SEEN_MS = 5_000;
/** From the start of the command to its end, when the gate has seen that the text went in. */
const BAR_MS = 600;

/** As an editor calls it: outside of tmux, in the project. */
const doc = ({ rig }: Stage, ...args: readonly string[]): Promise<Finished> =>
  startProgram(AGTMUX, ["doc", ...args], {
    ...rig.product.env,
    TMUX: `${rig.product.env["AGTMUX_TMUX_SOCKETS"] ?? ""},1,0`,
  }).finished;

const fileOf = (stage: Stage, name: string): string => join(stage.rig.place.project, name);

/** A new document that was claimed for the pane. */
const claim = async (stage: Stage): Promise<string> => {
  const name = `live-${stage.next()}.md`;
  mkdirSync(fileOf(stage, ".agent-doc"), { recursive: true });
  writeFileSync(fileOf(stage, name), "# Live\n");
  const { code, stderr } = await doc(stage, "claim", fileOf(stage, name), "--pane", stage.pane.paneId);
  if (code !== 0) throw new Error(`claim: ${stderr}`);
  return name;
};

const untilRests = (stage: Stage): Promise<number | null> =>
  untilTrue(async () => {
    const row = await stage.rig.product.row(stage.pane.paneId);
    return row?.state === "idle" || row?.state === "completed";
  }, TURN_MS);

const timesAsked = ({ rig }: Stage, name: string, since: number): number =>
  rig.exchanges().filter((one) => one.at >= since && one.toolResult === null && one.prompt.includes(name))
    .length;

const toldAtRest: Scenario = {
  name: "route",
  steps: ["route_idle"],
  run: async (stage) => {
    await doc(stage, "skill", "install", "--folder", fileOf(stage, ".claude/skills"));
    await wait(SKILL_SEEN_MS);
    // Claude Code does not know the skill in its first prompt after that.
    await doc(stage, "route", fileOf(stage, await claim(stage)));
    await wait(SKILL_SEEN_MS);
    const times: number[] = [];
    const faults: string[] = [];
    for (let made = 0; made < ROUTES; made += 1) {
      await untilRests(stage);
      const name = await claim(stage);
      const since = Date.now();
      const began = performance.now();
      const { code, stdout, stderr } = await doc(stage, "route", fileOf(stage, name));
      times.push(performance.now() - began);
      if (code !== 0) faults.push(`exit ${code}: ${(stdout + stderr).slice(0, 200)}`);
      await untilTrue(() => timesAsked(stage, name, since) > 0, ARRIVES_WITHIN_MS);
      await untilTrue(() => !hasOpenExchange(stage, since), TURN_MS);
      if (timesAsked(stage, name, since) === 0) faults.push(`${name} did not arrive`);
    }
    const { median, p95, max } = spreadOf(times);
    if (p95 > BAR_MS) faults.push(`slower than ${BAR_MS} ms`);
    const took = `${times.length} routes, median ${median.toFixed(0)}, p95 ${p95.toFixed(0)}, max ${max.toFixed(0)} ms`;
    await stage.did("route_idle", faults.length === 0, [took, ...faults].join("; "));
  },
};

const notIntoPrompt: Scenario = {
  name: "route_prompt",
  steps: ["route_prompt"],
  run: async (stage) => {
    const { agent } = stage.rig;
    await untilRests(stage);
    const name = await claim(stage);
    const { said } = await ask(stage, agent.prompts.approval(`live-${stage.next()}.txt`));
    const words = agent.markers.approval;
    if ((await stage.pane.untilShown(words, { after: said })) === null)
      return stage.undriven("route_prompt", ["waiting_approval"], "no dialog on the screen");
    // Also before the daemon can have seen the dialog.
    const refused = [await doc(stage, "route", fileOf(stage, name))];
    await wait(2_500);
    refused.push(await doc(stage, "route", fileOf(stage, name)));
    const isLeft = await stage.pane.isShown(words);
    const isRight =
      isLeft && refused.every(({ code }) => code !== 0) && timesAsked(stage, name, said.at) === 0;
    const says = refused.map(({ code, stderr }) => `exit ${code}: ${stderr.slice(0, 120)}`).join("; ");
    await stage.did("route_prompt", isRight, `${isLeft ? "" : "the dialog is gone; "}${says}`);
    await stage.pane.press(agent.keys.deny);
    await stage.pane.untilHidden(words);
    await untilRests(stage);
  },
};

const notIntoShell: Scenario = {
  name: "route_shell",
  steps: ["route_shell", "route_reused"],
  run: async (stage) => {
    const { agent } = stage.rig;
    await untilRests(stage);
    const name = await claim(stage);
    await stage.pane.say(agent.exit);
    await untilTrue(
      async () => (await stage.pane.show("#{pane_current_command}")) === "bash",
      ARRIVES_WITHIN_MS,
    );
    await wait(500);
    const typed = async (): Promise<boolean> => (await stage.pane.screen()).includes(name);
    const refused = await doc(stage, "route", fileOf(stage, name));
    await wait(500);
    const into = await typed();
    const said = `exit ${refused.code}: ${refused.stderr.slice(0, 160)}`;
    await stage.did("route_shell", refused.code !== 0 && !into, `${into ? "it was typed; " : ""}${said}`);
    // The same id, with another program in it; an agent that cannot be started keeps route from making a pane of its own.
    writeFileSync(fileOf(stage, name), `---\nagent: nobody\n---\n# Live\n`);
    const again = await doc(stage, "claim", fileOf(stage, name), "--pane", stage.pane.paneId);
    await stage.rig.tmux("respawn-pane", "-k", "-t", stage.pane.paneId, "exec cat");
    await wait(1_000);
    const reused = await doc(stage, "route", fileOf(stage, name));
    await wait(500);
    const isRight = again.code === 0 && reused.code !== 0 && !(await typed());
    await stage.did("route_reused", isRight, `exit ${reused.code}: ${reused.stderr.slice(0, 160)}`);
  },
};

export const DOCUMENT_SCENARIOS: readonly Scenario[] = [toldAtRest, notIntoPrompt, notIntoShell];
