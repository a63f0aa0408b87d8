// A part is one start of one agent: a kind of scenarios in one mode at one size. What is wanted is worked off part by part.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { AgentId } from "../agents/agentIds.ts";
import { LIVE_AGENTS } from "../agents/index.ts";
import type { LiveAgent } from "../agents/liveAgent.ts";
import { habitatOf, habitatScenario } from "../habitats/index.ts";
import { cacheFolder, findInstalled, type InstalledAgent } from "../install/cache.ts";
import type { Lack } from "../results/markdown.ts";
import {
  type Done,
  type Note,
  type Part,
  type PartKind,
  partName,
  type SizeName,
  sizeOf,
  SIZES,
} from "../results/result.ts";
import { openRig } from "../rig/openRig.ts";
import type { RigAgent } from "../rig/openStand.ts";
import type { Stopper } from "../rig/stopper.ts";
import { ACCOUNT_SCENARIOS } from "./accounts.ts";
import { ACTION_SCENARIOS } from "./actions.ts";
import { BACKGROUND_SCENARIOS } from "./background.ts";
import { DOCUMENT_SCENARIOS, HANDOFF_SCENARIOS } from "./documents.ts";
import { HARD_SCENARIOS } from "./hard.ts";
import { QUEUE_SCENARIOS, RULE_SCENARIOS } from "./queue.ts";
import { type Scenario, USUAL_START } from "./scenario.ts";
import { SESSION_SCENARIOS } from "./sessions.ts";
import { createStage } from "./stage.ts";
import { STATE_SCENARIOS } from "./states.ts";
import { STALL_SCENARIOS, TURN_SCENARIOS } from "./tenTurns.ts";

export interface Kind {
  scenarios: readonly Scenario[];
  /** The sizes at which it is driven unless others are named. */
  sizes: readonly SizeName[];
}

export const KINDS: Readonly<Record<PartKind, Kind>> = {
  states: { scenarios: STATE_SCENARIOS, sizes: SIZES },
  hard: { scenarios: HARD_SCENARIOS, sizes: ["120x40"] },
  actions: { scenarios: ACTION_SCENARIOS, sizes: ["120x40", "80x24"] },
  turns: { scenarios: TURN_SCENARIOS, sizes: ["120x40"] },
  queue: { scenarios: QUEUE_SCENARIOS, sizes: ["120x40"] },
  rules: { scenarios: RULE_SCENARIOS, sizes: ["120x40"] },
  documents: { scenarios: DOCUMENT_SCENARIOS, sizes: ["120x40"] },
  sessions: { scenarios: SESSION_SCENARIOS, sizes: ["120x40"] },
  handoff: { scenarios: HANDOFF_SCENARIOS, sizes: ["120x40"] },
  stall: { scenarios: STALL_SCENARIOS, sizes: ["120x40"] },
  accounts: { scenarios: ACCOUNT_SCENARIOS, sizes: ["120x40"] },
  background: { scenarios: BACKGROUND_SCENARIOS, sizes: ["120x40"] },
  // Each habitat is a part of its own, with a start of its own.
  habitats: { scenarios: [], sizes: ["120x40"] },
  inside: { scenarios: [], sizes: ["120x40"] },
};

/** Names of all steps, for `--state`. */
export const ALL_STEPS: readonly string[] = Object.values(KINDS).flatMap(({ scenarios }) =>
  scenarios.flatMap(({ steps }) => steps),
);

/** What the agent does not have, or is not driven for, or what is refused for it by rule. */
export const lacksOf = (agent: LiveAgent): Lack[] =>
  Object.values(KINDS).flatMap(({ scenarios }) =>
    scenarios.flatMap((scenario) => {
      const why = scenario.lacks?.(agent) ?? null;
      if (why !== null) return [{ agent: agent.id, step: scenario.name, why }];
      const refused = scenario.refused?.(agent) ?? null;
      return refused === null ? [] : [{ agent: agent.id, ...refused }];
    }),
  );

/** What of the part's scenarios is wanted; null: all. */
const chosenScenarios = (kind: PartKind, steps: readonly string[] | null): Scenario[] =>
  KINDS[kind].scenarios.filter(
    (scenario) => steps === null || scenario.steps.some((step) => steps.includes(step)),
  );

/** Scenarios that share one start of the agent; one with a start of its own is alone. */
const groupsOf = (scenarios: readonly Scenario[]): Scenario[][] => {
  const shared = scenarios.filter(({ start }) => start === undefined);
  const alone = scenarios.filter(({ start }) => start !== undefined).map((scenario) => [scenario]);
  return [...(shared.length === 0 ? [] : [shared]), ...alone];
};

/** @throws Error where it is not in the cache. */
const findCompanion = (id: AgentId): RigAgent => {
  const agent = LIVE_AGENTS[id];
  const installed = findInstalled(cacheFolder(), agent, agent.main.version);
  if (installed === null)
    throw new Error(`${id} ${agent.main.version} is needed too, and is not in the cache`);
  return { agent, installed };
};

/** Drives one part and notes every step. A scenario that breaks ends those that share its start, and the part says so. */
export const drivePart = async (options: {
  part: Part;
  installed: InstalledAgent;
  steps: readonly string[] | null;
  resultsFolder: string;
  /** Of the product. */
  commit: string;
  stopper: Stopper;
  add: (note: Note) => void;
}): Promise<Done> => {
  const { part, installed, steps, resultsFolder, stopper, add } = options;
  const attempt = randomUUID();
  const habitat = part.habitat === undefined ? null : habitatOf(part.habitat);
  const usual = LIVE_AGENTS[part.agent];
  const agent = {
    ...usual,
    markers: { ...usual.markers, ...habitat?.markers },
    startDialogs: habitat?.startDialogs ?? usual.startDialogs,
  };
  const all = habitat === null ? chosenScenarios(part.kind, steps) : [habitatScenario(habitat)];
  const scenarios = all.filter((scenario) => (scenario.lacks?.(agent) ?? null) === null);
  const began = Date.now();
  const keepFolder = join(resultsFolder, "cases", partName(part).replaceAll(" ", "_"));
  const drive = async (group: readonly Scenario[]): Promise<void> => {
    const { start = USUAL_START, companion } = group[0] ?? {};
    await using rig = await openRig({
      agent,
      installed,
      companion: companion === undefined ? null : findCompanion(companion),
      mode: part.mode,
      size: sizeOf(part.size),
      isTrusted: start.isTrusted,
      stopper,
      habitat,
    });
    const args = start.isPlan ? agent.planArgs : (habitat?.args ?? "");
    const pane = await rig.openPane(agent.id, { args, answersDialogs: start.answersDialogs });
    const stage = createStage({ rig, pane, part, attempt, keepFolder, note: add });
    for (const scenario of group) await scenario.run(stage);
  };
  const problems: string[] = [];
  for (const group of groupsOf(scenarios))
    await drive(group).catch((error: unknown) => {
      problems.push(error instanceof Error ? error.message : String(error));
    });
  const done: Done = {
    kind: "done",
    part,
    attempt,
    at: new Date().toISOString(),
    commit: options.commit,
    seconds: Math.round((Date.now() - began) / 1_000),
    scenarios: steps === null ? null : scenarios.map(({ name }) => name),
    problem: problems.length === 0 ? null : problems.join("\n"),
  };
  add(done);
  return done;
};
