// The process that `bench/ingest.ts` kills: commits batches of events through the daemon's own ingest into the database of its
// first argument, and says after each commit how many are durable, and how many milliseconds that took, by the clock and of CPU. Arguments: database,
// events, events of a batch.
import { writeSync } from "node:fs";
import type { Envelope } from "../core/model/envelope.ts";
import { createRig } from "./rig.ts";

const AGENTS = 50;
/** Size and shape of an ordinary tool event. */
const TOOL = {
  transcript_path: "/home/someone/.agent/projects/x/3f0c0e36.jsonl",
  cwd: "/home/someone/project",
  tool_name: "Bash",
  tool_input: { command: "npm run build && npm test -- --run", description: "Builds and tests ".repeat(20) },
};
/** A turn with eight tool calls. */
const TURN = [
  "UserPromptSubmit",
  ...Array.from({ length: 8 }, () => ["PreToolUse", "PostToolUse"]).flat(),
  "Stop",
];

const [path = "", total = "0", batch = "1"] = process.argv.slice(2);
const rig = createRig(path);
const { agents } = rig.addTarget("host", AGENTS, 1);
let made = 0;
while (made < Number(total)) {
  const envelopes: Envelope[] = [];
  for (let index = 0; index < Number(batch); index += 1) {
    const agent = agents[made % AGENTS];
    const event = TURN[Math.floor(made / AGENTS) % TURN.length];
    if (agent === undefined || event === undefined) break;
    rig.clock.skip(1);
    envelopes.push(rig.envelope(agent, event, { ...TOOL, tool_use_id: `tool-${Math.floor(made / 2)}` }));
    made += 1;
  }
  const [from, cpuFrom] = [performance.now(), process.cpuUsage()];
  rig.ingest.applyEnvelopes("host", envelopes);
  const tookMs = performance.now() - from;
  const { user, system } = process.cpuUsage(cpuFrom);
  // Printed only after the commit, because the reader relies on it.
  writeSync(1, `${made} ${tookMs.toFixed(3)} ${((user + system) / 1_000).toFixed(3)}\n`);
}
rig.store.close();
