// All habitats, and what is driven in each: the states of an ordinary day, and a text that agtmux sends.
import { execFileSync } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import type { LiveAgent } from "../agents/liveAgent.ts";
import { act, referenceOf } from "../drive/act.ts";
import type { Scenario } from "../drive/scenario.ts";
import { askedBy, type Stage } from "../drive/stage.ts";
import { STATE_SCENARIOS } from "../drive/states.ts";
import { untilTrue } from "../rig/livePane.ts";
import { COMMON_HABITATS } from "./common.ts";
import type { Habitat } from "./habitat.ts";
import { OWN_HABITATS } from "./ofAgents.ts";
import { driveViews, VIEWS } from "./views.ts";

const VIEWS_OPEN: Habitat = { name: "views_open" };
const HABITATS: readonly Habitat[] = [...COMMON_HABITATS, ...OWN_HABITATS, VIEWS_OPEN];

const DRIVEN = ["idle", "completed", "running", "waiting_approval", "error"];
const NO_ROW_MS = 4_000;
const SENT_MS = 10_000;

const has = (program: string): boolean => {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** Why it cannot be driven here; null: it can. */
const lackOf = ({ needs }: Habitat): string | null =>
  needs === undefined || has(needs) ? null : `${needs} is not installed`;

export const habitatsOf = (agent: LiveAgent): Habitat[] =>
  HABITATS.filter(
    (habitat) =>
      (habitat.agents?.includes(agent.id) ?? true) &&
      (habitat !== VIEWS_OPEN || VIEWS[agent.id] !== undefined) &&
      lackOf(habitat) === null,
  );

export const habitatOf = (name: string): Habitat | null => HABITATS.find((one) => one.name === name) ?? null;

/** `agtmux send` has to reach exactly this agent, once. */
const send = async (stage: Stage): Promise<void> => {
  const prompt = `SAY sent n${stage.next()}`;
  const at = Date.now();
  const { ref } = await referenceOf(stage);
  const sent = await act(stage, "send", ref, "--text", prompt, "--json");
  const arrived = await untilTrue(() => askedBy(stage, { prompt, at }) !== null, SENT_MS);
  await stage.did("send", sent.code === 0 && arrived !== null, sent.said);
};

const checkNoRow = async (stage: Stage, reason: RegExp): Promise<void> => {
  await wait(NO_ROW_MS);
  const list = await stage.rig.product.list();
  const row = list.rows.find(({ identity }) => identity.pane_id === stage.pane.paneId) ?? null;
  const explained = await act(stage, "explain", stage.pane.paneId);
  await stage.did("no_row", (row?.agent ?? null) === null && reason.test(explained.stdout), explained.said);
};

const run = async (habitat: Habitat, stage: Stage): Promise<void> => {
  try {
    await habitat.prepare?.(stage);
    if (habitat.noRow !== undefined) return await checkNoRow(stage, habitat.noRow);
    if (habitat === VIEWS_OPEN) return await driveViews(stage);
    for (const scenario of STATE_SCENARIOS)
      if (DRIVEN.includes(scenario.name) && (scenario.lacks?.(stage.rig.agent) ?? null) === null)
        await scenario.run(stage);
    await send(stage);
  } finally {
    await habitat.finish?.(stage);
  }
};

export const habitatScenario = (habitat: Habitat): Scenario => ({
  name: habitat.name,
  steps: [habitat.name],
  run: (stage) => run(habitat, stage),
});
