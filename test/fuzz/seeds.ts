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

export const isRecorded = (agentType: string): boolean => RECORDED_AGENTS.includes(agentType);

const sourcesOf = (agentType: string): readonly string[] =>
  isRecorded(agentType) ? [agentType] : RECORDED_AGENTS;

export interface SeedEvent {
  name: string;
  payload: Payload;
}

/** Documented fields and events that no recording has. */
const DOCUMENTED: readonly SeedEvent[] = [
  {
    name: "tool_execution_start",
    payload: {
      toolName: "ask",
      toolCallId: "c",
      askTimeoutSeconds: 30,
      input: { questions: [{ question: "Which?", options: [{ label: "Red" }] }] },
    },
  },
  { name: "auto_retry_start", payload: { attempt: 2, maxAttempts: 5, errorMessage: "503 overloaded" } },
  { name: "session.status", payload: { status: { type: "retry", attempt: 2, message: "overloaded" } } },
  {
    name: "session.error",
    payload: { error: { name: "APIError", data: { statusCode: 500, message: "no" } } },
  },
  {
    name: "session.idle",
    payload: { error: { name: "APIError", data: { statusCode: 401, message: "no" } } },
  },
];

/** Every kind of event with its payload, each once; those that are documented only at the end. */
export const eventSeeds = (agentType: string): SeedEvent[] => {
  const byText = new Map<string, SeedEvent>();
  for (const source of sourcesOf(agentType)) {
    const folder = `${RECORDINGS}/${source}`;
    const recorded = listFrames(folder).flatMap((name) => loadRecording(folder, name).events);
    for (const { name, payload } of [...loadEventSamples(folder), ...recorded])
      byText.set(JSON.stringify([name, payload]), { name, payload });
  }
  return [...byText.values(), ...DOCUMENTED];
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
