// `npm run fuzz:commands [-- COUNT [SEED]]`: generated command lines (a million) against bash, dash and zsh. Every one that the rules
// understand is run by each shell; words that differ fail the run. Prints what was run, with the versions.
import { spawnSync } from "node:child_process";
import { hasShell, SHELL_NAMES, surveyCommands } from "./surveyCommands.ts";

/** At once. */
const PART = 20_000;

const [count = "1000000", seed = "1"] = process.argv.slice(2);
const shells = SHELL_NAMES.filter(hasShell);
/** Its first line; dash has no version to tell. */
const versionOf = (shell: string): string =>
  spawnSync(shell, ["--version"], { encoding: "utf8" }).stdout.split("\n")[0] || "installed";
for (const shell of SHELL_NAMES)
  console.log(
    `${shell}: ${shells.includes(shell) ? versionOf(shell) : "not installed, so nothing was run by it"}`,
  );
const began = performance.now();
let [generated, understood, outside] = [0, 0, 0];
const runs = new Map<string, { functions: number; programs: number }>();
const faults: string[] = [];
for (let part = 0; generated < Number(count) && faults.length === 0; part += 1) {
  const tally = surveyCommands(Math.min(PART, Number(count) - generated), Number(seed) + part, shells);
  generated += tally.generated;
  understood += tally.understood;
  outside += tally.outside;
  faults.push(...tally.faults);
  for (const [shell, more] of Object.entries(tally.runs)) {
    const before = runs.get(shell) ?? { functions: 0, programs: 0 };
    runs.set(shell, {
      functions: before.functions + more.functions,
      programs: before.programs + more.programs,
    });
  }
}
console.log(
  `${generated} generated from seed ${seed}, ${understood} understood, ${outside} of these not run (their program lies where no stub is)`,
);
for (const [shell, { functions, programs }] of runs)
  console.log(`${shell}: ${functions} run with functions of the shell, ${programs} with programs`);
for (const fault of faults) console.log(`WRONG ${fault}`);
console.log(
  `${faults.length === 0 ? "Every shell ran each of them with just these words." : "It went wrong."} ${((performance.now() - began) / 1_000).toFixed(0)} s`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
