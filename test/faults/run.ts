// `npm run faults`: every fault at full length on the real daemon, as a table. Fails on any event that was lost or stored
// twice, on any state that was claimed wrongly, and where the daemon did not recover by itself.
// `--times N` kills (1,000; the others in proportion), `--only a,b` faults by name, `--seed N`.
import { execFileSync } from "node:child_process";
import { arch, cpus, platform, release } from "node:os";
import { parseArgs } from "node:util";
import { FAULTS, randomFrom } from "./catalogue.ts";
import { complaintsOf, type Outcome } from "./outcome.ts";

const { values } = parseArgs({
  options: {
    times: { type: "string", default: "1000" },
    only: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});
const only = values.only?.split(",") ?? FAULTS.map(({ name }) => name);
const unknown = only.filter((name) => !FAULTS.some((fault) => fault.name === name));
if (unknown.length > 0)
  throw new Error(
    `no fault is called ${unknown.join(", ")}; there are ${FAULTS.map(({ name }) => name).join(", ")}`,
  );

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const cellsOf = (outcome: Outcome): string[] => [
  outcome.fault,
  String(outcome.times),
  String(outcome.recovered),
  String(outcome.lost),
  String(outcome.wrong),
  outcome.worstMs.toFixed(0),
  outcome.memoryMb.map((mb) => mb.toFixed(0)).join(" → "),
  outcome.note,
];

const isRoot = process.getuid?.() === 0;
const tmuxVersion = execFileSync("tmux", ["-V"], { encoding: "utf8" }).trim();
console.log(
  `# Faults\n\n${cpus()[0]?.model.trim() ?? "unknown"}, ${cpus().length} cores, ${platform()} ${release()} ${arch()}, Node ${process.version}, ${tmuxVersion}, seed ${values.seed}\n`,
);
console.log(row(["fault", "times", "recovered", "lost", "wrong", "worst recovery ms", "memory MB", "note"]));
console.log(row(["---", "--:", "--:", "--:", "--:", "--:", "--:", "---"]));
const random = randomFrom(Number(values.seed));
const complaints: string[] = [];
for (const fault of FAULTS.filter(({ name }) => only.includes(name))) {
  if (fault.needsRoot && !isRoot) {
    console.log(
      row([fault.name, "0", "-", "-", "-", "-", "-", "not injected: it takes root to mount a disk"]),
    );
    continue;
  }
  try {
    const outcome = await fault.long(random, Number(values.times));
    console.log(row(cellsOf(outcome)));
    complaints.push(...complaintsOf(outcome));
  } catch (error) {
    const why = `${fault.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
    // At once too: hours may pass before the end.
    console.error(why);
    complaints.push(why);
    console.log(row([fault.name, "-", "-", "-", "-", "-", "-", "it failed: see above"]));
  }
}
if (complaints.length > 0) {
  console.error(`\n${complaints.join("\n")}`);
  process.exitCode = 1;
}
