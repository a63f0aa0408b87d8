// What was recorded, as seeds for mutations. Agents that nobody could record get the recordings of all others.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  listFrames,
  loadEventSamples,
  loadLabels,
  loadRecording,
  type Label,
  type Payload,
  type Recording,
} from "../../adapters/testkit/recordings.ts";

const RECORDINGS = fileURLToPath(new URL("../fixtures/recordings", import.meta.url));
const LABELS = `${RECORDINGS}/labels.json`;

const RECORDED_AGENTS: readonly string[] = readdirSync(RECORDINGS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const sourcesOf = (agentType: string): readonly string[] =>
  RECORDED_AGENTS.includes(agentType) ? [agentType] : RECORDED_AGENTS;

export interface SeedEvent {
  name: string;
  payload: Payload;
}

/** Every kind of event with its payload, each once. */
export const eventSeeds = (agentType: string): SeedEvent[] => {
  const byText = new Map<string, SeedEvent>();
  for (const source of sourcesOf(agentType)) {
    const folder = `${RECORDINGS}/${source}`;
    const recorded = listFrames(folder).flatMap((name) => loadRecording(folder, name).events);
    for (const { name, payload } of [...loadEventSamples(folder), ...recorded])
      byText.set(JSON.stringify([name, payload]), { name, payload });
  }
  return [...byText.values()];
};

export interface SeedFrame extends Recording {
  label: Label;
}

/** Recorded frames with their labels; `unknown` where there is none. */
export const frameSeeds = (agentType: string): SeedFrame[] => {
  const labels = loadLabels(LABELS);
  return sourcesOf(agentType).flatMap((source) =>
    listFrames(`${RECORDINGS}/${source}`).map((name) => ({
      ...loadRecording(`${RECORDINGS}/${source}`, name),
      label: labels[`${source}/${name}`] ?? { state: "unknown" },
    })),
  );
};
