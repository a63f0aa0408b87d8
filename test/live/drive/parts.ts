// A part is one start of one agent: a kind of scenes in one mode at one size. What is wanted is worked off part by part.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { LIVE_AGENTS } from "../agents/index.ts";
import type { InstalledAgent } from "../install/cache.ts";
import {
  SIZES,
  partName,
  sizeOf,
  type Done,
  type Note,
  type Part,
  type PartKind,
  type SizeName,
} from "../results/result.ts";
import { openRig } from "../rig/openRig.ts";
import { ACTION_SCENES } from "./actions.ts";
import { HARD_SCENES } from "./hard.ts";
import { USUAL_START, type Scene } from "./scene.ts";
import { createStage } from "./stage.ts";
import { STATE_SCENES } from "./states.ts";
import { TURN_SCENES } from "./tenTurns.ts";

export interface Kind {
  scenes: readonly Scene[];
  /** The sizes at which it is driven unless others are named. */
  sizes: readonly SizeName[];
}

export const KINDS: Readonly<Record<PartKind, Kind>> = {
  states: { scenes: STATE_SCENES, sizes: SIZES },
  hard: { scenes: HARD_SCENES, sizes: ["120x40"] },
  actions: { scenes: ACTION_SCENES, sizes: ["120x40", "80x24"] },
  turns: { scenes: TURN_SCENES, sizes: ["120x40"] },
};

/** Names of all steps, for `--state`. */
export const ALL_STEPS: readonly string[] = Object.values(KINDS).flatMap(({ scenes }) =>
  scenes.flatMap(({ steps }) => steps),
);

/** What of the part's scenes is wanted; null: all. */
const chosenScenes = (kind: PartKind, steps: readonly string[] | null): Scene[] =>
  KINDS[kind].scenes.filter((scene) => steps === null || scene.steps.some((step) => steps.includes(step)));

/** Scenes that share one start of the agent; one with a start of its own is alone. */
const groupsOf = (scenes: readonly Scene[]): Scene[][] => {
  const shared = scenes.filter(({ start }) => start === undefined);
  const alone = scenes.filter(({ start }) => start !== undefined).map((scene) => [scene]);
  return [...(shared.length === 0 ? [] : [shared]), ...alone];
};

/** Drives one part and notes every step. A scene that breaks ends those that share its start, and the part says so. */
export const drivePart = async (options: {
  part: Part;
  installed: InstalledAgent;
  steps: readonly string[] | null;
  resultsFolder: string;
  add: (note: Note) => void;
}): Promise<Done> => {
  const { part, installed, steps, resultsFolder, add } = options;
  const attempt = randomUUID();
  const agent = LIVE_AGENTS[part.agent];
  const scenes = chosenScenes(part.kind, steps).filter((scene) => (scene.lacks?.(agent) ?? null) === null);
  const began = Date.now();
  const keepFolder = join(resultsFolder, "cases", partName(part).replaceAll(" ", "_"));
  const drive = async (group: readonly Scene[]): Promise<void> => {
    const start = group[0]?.start ?? USUAL_START;
    await using rig = await openRig({
      agent,
      installed,
      mode: part.mode,
      size: sizeOf(part.size),
      isTrusted: start.isTrusted,
    });
    const args = start.isPlan ? agent.planArgs : "";
    const pane = await rig.openPane(agent.id, { args, answersDialogs: start.answersDialogs });
    const stage = createStage({ rig, pane, part, attempt, keepFolder, note: add });
    for (const scene of group) await scene.run(stage);
  };
  const problems: string[] = [];
  for (const group of groupsOf(scenes))
    await drive(group).catch((error: unknown) => {
      problems.push(error instanceof Error ? error.message : String(error));
    });
  const done: Done = {
    kind: "done",
    part,
    attempt,
    at: new Date().toISOString(),
    seconds: Math.round((Date.now() - began) / 1_000),
    scenes: steps === null ? null : scenes.map(({ name }) => name),
    problem: problems.length === 0 ? null : problems.join("\n"),
  };
  add(done);
  return done;
};
