// `npm run soak -- --hours 8`: so many hours' worth of recorded traffic at full speed through a real daemon process on real
// tmux and sshd, a sample after each of them. Prints a table with the machine, and fails when anything is kept. `--turns N`:
// turns of every agent per hour (30); `--warm N`: hours before the judged ones (2); `--no-targets`: without sshd.
import { parseArgs } from "node:util";
import { describeMachine } from "../../bench/machine.ts";
import { COUNTED, judge, slopeOf, type Held } from "./judge.ts";
import { playHour } from "./hour.ts";
import { closeRunRoot, openRunRoot } from "../setup/runRoot.ts";
import { openSoakHarness } from "./soakHarness.ts";
import { MAX_BAD_FILES } from "../../core/collect/spoolDrain.ts";

const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "8" },
    warm: { type: "string", default: "2" },
    turns: { type: "string", default: "30" },
    "no-targets": { type: "boolean", default: false },
  },
});
const [hours, warm, turns] = [Number(values.hours), Number(values.warm), Number(values.turns)];

const mb = (bytes: number): string => (bytes / 2 ** 20).toFixed(2);
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;

const m = describeMachine();
console.log(`# Soak: ${hours} hours after ${warm} to warm up, ${turns} turns of every agent an hour\n`);
console.log(`${m.cpu}, ${m.cores} cores, ${m.memoryGb} GB, ${m.system}, Node ${m.node}, ${m.tmux}\n`);
const head = ["hour", "events", "seconds", "heap MB", "RSS MB", "database MB", "objects", ...COUNTED];
console.log([row(head), row(head.map((_, at) => (at === 0 ? "---" : "--:")))].join("\n"));

// Interrupted, it leaves nothing behind either.
const root = openRunRoot();
process.env["TMPDIR"] = root;
process.once("exit", () => closeRunRoot(root));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
const harness = await openSoakHarness({ hasTargets: !values["no-targets"] });
const judged: Held[] = [];
const databases: number[] = [];
const actions = new Map<string, number>();
let events = 0;
try {
  for (let hour = 1; hour <= warm + hours; hour += 1) {
    const began = performance.now();
    const tally = await playHour(harness, {
      turns,
      visitors: 7,
      hasActions: true,
      wrongFiles: hour === 1 ? MAX_BAD_FILES + 20 : 5,
    });
    const held = await harness.measure();
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    const name = hour <= warm ? `warm ${hour}` : String(hour - warm);
    const sizes = [mb(held.heapBytes), mb(held.residentBytes), mb(harness.databaseBytes())];
    console.log(
      row([name, tally.events, seconds, ...sizes, held.objects, ...COUNTED.map((one) => held[one])]),
    );
    for (const [word, count] of tally.actions) actions.set(word, (actions.get(word) ?? 0) + count);
    if (hour <= warm) continue;
    judged.push(held);
    databases.push(harness.databaseBytes());
    events += tally.events;
  }
} finally {
  await harness.close();
}
const kb = (bytes: number): string => `${(bytes / 1_024).toFixed(1)} kB`;
const heap = slopeOf(judged.map(({ heapBytes }) => heapBytes));
const objects = slopeOf(judged.map((held) => held.objects));
const resident = slopeOf(judged.map(({ residentBytes }) => residentBytes));
console.log(
  `\nFitted growth per hour: ${objects.toFixed(1)} objects, heap ${kb(heap)}, resident ${kb(resident)}, database ${kb(slopeOf(databases))}.`,
);
console.log(`Actions: ${[...actions].map(([word, count]) => `${word} ${count}`).join(", ")}.`);
const faults = judge(judged, events / hours);
for (const fault of faults) console.log(`\nKEPT ${fault}`);
console.log(faults.length === 0 ? "\n0 leaked resources." : `\n${faults.length} things are kept.`);
process.exitCode = faults.length === 0 ? 0 : 1;
