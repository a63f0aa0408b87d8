// The model of a heavy day, stated once: how many agents take how many turns, and which events a turn has. The order and size
// of a turn's events come from recordings of Claude Code; the number of turns is assumed.
import { loadEventSamples } from "../adapters/testkit/recordings.ts";
import { fileURLToPath } from "node:url";

const RECORDINGS = fileURLToPath(new URL("../test/fixtures/recordings/claude", import.meta.url));
const TOOLS = 10;
/** The texts of tools and models are longer in real work than in the short recordings. */
const TEXT_BYTES = 1_500;

export interface DayEvent {
  name: string;
  payload: Record<string, unknown>;
}

export const HEAVY_DAY = {
  agents: 20,
  turnsPerAgent: 120,
  hours: 10,
  tools: TOOLS,
  approvalEvery: 4,
} as const;

/** Events of one turn: a prompt, tool calls one after the other, now and then an approval, the end. */
export const turnOf = (turn: number): DayEvent[] => {
  const samples = loadEventSamples(RECORDINGS);
  const recorded = (name: string): Record<string, unknown> => {
    const found = samples.find((sample) => sample.name === name);
    if (found === undefined) throw new Error(`bench: no event ${name} was recorded`);
    return found.payload;
  };
  const text = `turn ${turn} `.repeat(TEXT_BYTES / 10);
  const tools = Array.from({ length: TOOLS }, (_, tool): DayEvent[] => {
    const ids = { tool_use_id: `toolu_${turn}_${tool}` };
    const asks = tool === 0 && turn % HEAVY_DAY.approvalEvery === 0;
    return [
      { name: "PreToolUse", payload: { ...recorded("PreToolUse"), ...ids } },
      ...(asks ? [{ name: "PermissionRequest", payload: recorded("PermissionRequest") }] : []),
      {
        name: "PostToolUse",
        payload: { ...recorded("PostToolUse"), ...ids, tool_response: { stdout: text } },
      },
    ];
  }).flat();
  return [
    { name: "UserPromptSubmit", payload: { ...recorded("UserPromptSubmit"), prompt: text.slice(0, 300) } },
    ...tools,
    { name: "Stop", payload: { ...recorded("Stop"), last_assistant_message: text } },
  ];
};

/** Events of the whole day. */
export const eventsPerDay = (): number => {
  const { agents, turnsPerAgent, approvalEvery } = HEAVY_DAY;
  const plain = 2 + 2 * TOOLS;
  return agents * (turnsPerAgent * plain + Math.ceil(turnsPerAgent / approvalEvery));
};
