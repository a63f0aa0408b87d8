// `record`: drives an agent through its states against the scripted model, at each size, and keeps what it shows under
// test/fixtures/recordings. A state that cannot be made is told with the screen that stood there instead; the others are kept.
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Label, fixtureFolder } from "../../adapters/testkit/recordings.ts";
import { LIVE_AGENTS } from "../live/agents/index.ts";
import type { AgentId } from "../live/agents/agentIds.ts";
import type { EventLogger } from "../live/agents/liveAgent.ts";
import type { Scenario } from "../live/drive/scenario.ts";
import type { BareStage } from "../live/drive/stage.ts";
import { STATE_SCENARIOS } from "../live/drive/states.ts";
import { cacheFolder, findInstalled, type InstalledAgent } from "../live/install/cache.ts";
import { installAgent, resolveVersion } from "../live/install/installAgent.ts";
import { type SizeName, sizeOf } from "../live/results/result.ts";
import { openStand, type Stand } from "../live/rig/openStand.ts";
import type { Stopper } from "../live/rig/stopper.ts";
import type { Replacement } from "./clean.ts";
import { createDraftScenario } from "./drafts.ts";
import { readLoggedEvents, writeEventSamples, writeLabels, writeRecording } from "./recording.ts";
import { createRecordingStage, type Kept, nameOf, USUAL_COLUMNS } from "./recordingStage.ts";

const LOGGER = fileURLToPath(new URL("logEvent.ts", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const RECOVER_MS = 2_000;

/** The folder is not yet trusted, and the agent asks. */
const trust: Scenario<BareStage> = {
  name: "trust",
  steps: ["trust"],
  lacks: ({ markers }) => (markers.trust === null ? "it does not ask for trust" : null),
  start: { isPlan: false, answersDialogs: false, isTrusted: false },
  run: async (stage) => {
    const words = stage.rig.agent.markers.trust ?? /(?!)/;
    const since = await stage.pane.untilShown(words, { limitMs: 45_000 });
    if (since === null) return stage.undriven("trust", ["waiting_approval"], `no ${words.source}`);
    const holds = (): Promise<boolean> => stage.pane.isShown(words);
    await stage.check({ step: "trust", states: ["waiting_approval"], since, causedAt: since, holds });
  },
};

const SCENARIOS: readonly Scenario<BareStage>[] = [...STATE_SCENARIOS, trust];
/** Drafts are recorded in one size, in a start of their own. */
const DRAFTS = "drafts";
export const RECORDED_STEPS: readonly string[] = [...SCENARIOS.flatMap(({ steps }) => steps), DRAFTS];

/** The agent at the version that is asked for, else at the one last driven; installed where it is missing. */
const ensureInstalled = async (id: AgentId, asked: string | null): Promise<InstalledAgent> => {
  const agent = LIVE_AGENTS[id];
  const version = asked === null ? agent.main.version : await resolveVersion(agent, asked);
  await installAgent({ cache: cacheFolder(), agent, version, say: console.log });
  const installed = findInstalled(cacheFolder(), agent, version);
  if (installed === null) throw new Error(`${id} ${version} is not in ${cacheFolder()}`);
  return installed;
};

const userName = (): string => {
  const { username } = userInfo();
  // Also a word of programs and of permissions.
  return username === "root" ? "" : username;
};

/** Names of this machine and of this run, and what recordings say instead. */
const replacementsFor = (
  { place, root, socketPath }: Stand,
  installed: InstalledAgent,
  id: string,
): Replacement[] => [
  ...installed.programs.map((folder): Replacement => [
    folder.replace(/\/node_modules\/\.bin$/, ""),
    `/home/dev/agents/${id}`,
  ]),
  [socketPath, "/tmp/tmux-1000/default"],
  [place.home, "/home/dev"],
  // As agents name folders of sessions.
  [place.home.replaceAll("/", "-"), "-home-dev"],
  [root, "/home/dev/run"],
  [ROOT, "/home/dev/agtmux"],
  [process.execPath, "/usr/bin/node"],
  [hostname(), "devbox"],
  [userName(), "dev"],
];

const groupsOf = (steps: readonly string[] | null): Scenario<BareStage>[][] => {
  const wanted = SCENARIOS.filter(
    (scenario) => steps === null || scenario.steps.some((step) => steps.includes(step)),
  );
  const shared = wanted.filter(({ start }) => start === undefined);
  const alone = wanted.filter(({ start }) => start !== undefined).map((scenario) => [scenario]);
  return [shared, ...alone].filter((group) => group.length > 0);
};

/** Back to the prompt, whatever a scenario left that broke off. */
const recover = async ({ rig, pane }: BareStage): Promise<void> => {
  await pane.press(rig.agent.keys.interrupt);
  await wait(RECOVER_MS);
};

export interface RecordOptions {
  id: AgentId;
  /** null: the one last driven. */
  version: string | null;
  sizes: readonly SizeName[];
  /** null: all. */
  steps: readonly string[] | null;
  /** Where the agents' folders and `labels.json` are. */
  folder: string;
  stopper: Stopper;
  say: (line: string) => void;
}

export const RECORDINGS = fixtureFolder("");

/** The agent at its prompt, or at what it asks first, in a pane of that size. */
const openRun = async (
  options: RecordOptions,
  installed: InstalledAgent,
  sizeName: SizeName,
  start: Scenario["start"],
) => {
  const { id, stopper } = options;
  const agent = LIVE_AGENTS[id];
  const stand = await openStand({
    agent,
    installed,
    companion: null,
    mode: "screen",
    size: sizeOf(sizeName),
    isTrusted: start?.isTrusted ?? true,
    stopper,
    habitat: null,
  });
  const log = join(stand.root, "events.jsonl");
  const quote = (word: string): string => `'${word}'`;
  const logger: EventLogger = {
    log,
    tag: id,
    command: (event) => [process.execPath, LOGGER, log, `${id}.${event}`].map(quote).join(" "),
  };
  await agent.logEvents?.(stand.place, logger);
  const pane = await stand.openPane(id, { answersDialogs: start?.answersDialogs ?? true });
  return { stand, pane, log, replacements: replacementsFor(stand, installed, id) };
};

/** One start of the agent. Gives the names of what was missed. */
const recordGroup = async (
  options: RecordOptions,
  installed: InstalledAgent,
  sizeName: SizeName,
  group: readonly Scenario<BareStage>[],
): Promise<string[]> => {
  const { id, folder, say } = options;
  const { columns } = sizeOf(sizeName);
  const start = group[0]?.start;
  const missed: string[] = [];
  const labels: Record<string, Label> = {};
  const { stand, pane, log, replacements } = await openRun(options, installed, sizeName, start);
  await using _ = stand;
  const isUsual = columns === USUAL_COLUMNS;
  const keep = ({ step, label, snapshot, events }: Kept): void => {
    const name = nameOf(step, columns);
    const version = `${LIVE_AGENTS[id].main.name.replace(/^@[^/]+\//, "")} ${installed.version}`;
    const written = { folder: join(folder, id), name, state: step, version, snapshot, events, replacements };
    writeRecording({ ...written, hasColours: isUsual });
    labels[name] = label;
    say(`  kept     ${name} (${label.state})`);
  };
  const miss = (step: string, why: string): void => {
    missed.push(nameOf(step, columns));
    say(`  missed   ${step}: ${why}`);
  };
  const stage = createRecordingStage({ stand, pane, log, keep, miss });
  for (const scenario of group) {
    const before = missed.length;
    await scenario.run(stage);
    if (missed.length > before) await recover(stage);
  }
  writeLabels(folder, id, labels);
  // Of the usual size, so that one run decides which payload is the sample.
  if (isUsual && start === undefined && options.steps === null)
    writeEventSamples(join(folder, id), readLoggedEvents(log), replacements);
  return missed;
};

const recordDrafts = async (options: RecordOptions, installed: InstalledAgent): Promise<void> => {
  const { id, folder, say } = options;
  const { stand, pane, log, replacements } = await openRun(options, installed, "120x40", undefined);
  await using _ = stand;
  const place = join(folder, "..", "drafts", id);
  const scenario = createDraftScenario(place, replacements, (name) => say(`  kept     draft ${name}`));
  const miss = (step: string, why: string): void => say(`  missed   ${step}: ${why}`);
  await scenario.run(createRecordingStage({ stand, pane, log, keep: () => {}, miss }));
};

/** Gives the names of the recordings that could not be made. */
export const record = async (options: RecordOptions): Promise<string[]> => {
  const { id, sizes, steps, say } = options;
  const agent = LIVE_AGENTS[id];
  const installed = await ensureInstalled(id, options.version);
  const missed: string[] = [];
  for (const size of sizes) {
    say(`${id} ${installed.version} ${size}`);
    for (const group of groupsOf(steps)) {
      const possible = group.filter((scenario) => {
        const why = scenario.lacks?.(agent) ?? null;
        if (why !== null) say(`  left out ${scenario.name}: ${why}`);
        return why === null;
      });
      if (possible.length > 0) missed.push(...(await recordGroup(options, installed, size, possible)));
    }
  }
  if (steps?.includes(DRAFTS) ?? sizes.includes("120x40")) await recordDrafts(options, installed);
  return missed;
};
