// Work that goes from one agent to another and back: what the model of the second one is given has to hold what the person wanted and
// what is still open. The first agent is interrupted in the midst of it.
import { setTimeout as wait } from "node:timers/promises";
import type { Exchange } from "../model/modelLog.ts";
import { untilTrue } from "../rig/livePane.ts";
import { act } from "./act.ts";
import { USUAL_START, type Scenario } from "./scenario.ts";
import { findSession } from "./sessions.ts";
import type { Stage } from "./stage.ts";
import { ask, completeTurn, endedAt } from "./turns.ts";

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
