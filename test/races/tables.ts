// How the results of races are printed: Markdown, with the machine and the versions.
import { execFileSync } from "node:child_process";
import { arch, cpus, platform, release } from "node:os";
import type { RequestTally } from "./model/openRequests.ts";
import { OUTCOMES, type KindTally } from "./model/survey.ts";

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), row(head.map((_, at) => (at === 0 ? "---" : "--:"))), ...rows.map(row)].join("\n");
export const tallyTable = (tallies: readonly KindTally[]): string => {
  const sum = (pick: (tally: KindTally) => number): number =>
    tallies.reduce((total, tally) => total + pick(tally), 0);
  return table(
    ["race", "races", ...OUTCOMES],
    [
      ...tallies.map(({ name, races, outcomes }) => [name, races, ...OUTCOMES.map((one) => outcomes[one])]),
      ["all", sum(({ races }) => races), ...OUTCOMES.map((one) => sum(({ outcomes }) => outcomes[one]))],
    ],
  );
};

export const requestTable = (tallies: readonly RequestTally[]): string => {
  const outcomes = ["approved", "refused", "untold", "WRONG"] as const;
  return table(
    ["open requests", "groups", ...outcomes],
    tallies.map((tally) => [tally.name, tally.groups, ...outcomes.map((one) => tally.outcomes[one])]),
  );
};

export const timed = async <T>(
  title: string,
  work: () => Promise<T>,
  show: (result: T) => string,
): Promise<T> => {
  const began = performance.now();
  const result = await work();
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  console.log(`\n## ${title} (${seconds} s)\n\n${show(result)}`);
  return result;
};

export const printHead = (title: string, seed: number): void => {
  const tmuxVersion = execFileSync("tmux", ["-V"], { encoding: "utf8" }).trim();
  const system = `${platform()} ${release()} ${arch()}`;
  console.log(
    `# ${title}\n\n${cpus()[0]?.model.trim() ?? "unknown"}, ${cpus().length} cores, ${system}, Node ${process.version}, ${tmuxVersion}, seed ${seed}`,
  );
};
