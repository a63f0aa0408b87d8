// Which agents agtmux reads worse than it did in an earlier run, as the text of an issue for each: what was right then and is not now,
// with its screens. The screens are those of scripted agents without an account; what they say is quoted and bounded.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentId } from "../agents/agentIds.ts";
import { type Done, partName, type Step, type Verdict } from "./result.ts";
import type { Merged } from "./store.ts";

/** Late is right; that a machine was slow is no drift. */
const RANK: Readonly<Record<Verdict, number>> = { right: 2, late: 2, unknown: 1, undriven: 1, wrong: 0 };

interface Worse {
  agent: AgentId;
  /** Of before and of now. */
  versions: [string, string];
  steps: { before: Step; now: Step }[];
  /** Parts that came to their end before and broke off now. */
  broken: Done[];
}

const newestOf = (parts: readonly Done[]): string =>
  parts.toSorted((a, b) => a.at.localeCompare(b.at)).at(-1)?.part.version ?? "–";

/** By agent, of all versions together: the newest version was another one then. */
export const findWorse = (before: Merged, now: Merged): Worse[] => {
  const keyOf = ({ part, step }: Step): string => `${partName({ ...part, version: "" })} ${step}`;
  const placeOf = ({ part }: Done): string => partName({ ...part, version: "" });
  const known = new Map(before.steps.map((step) => [keyOf(step), step]));
  const ended = new Set(before.parts.filter(({ problem }) => problem === null).map(placeOf));
  return [...Map.groupBy(now.parts, ({ part }) => part.agent)].flatMap(([agent, parts]): Worse[] => {
    const steps = now.steps.flatMap((step) => {
      const earlier = step.part.agent === agent ? known.get(keyOf(step)) : undefined;
      return earlier !== undefined && RANK[step.verdict] < RANK[earlier.verdict]
        ? [{ before: earlier, now: step }]
        : [];
    });
    const broken = parts.filter((part) => part.problem !== null && ended.has(placeOf(part)));
    if (steps.length + broken.length === 0) return [];
    const earlier = before.parts.filter(({ part }) => part.agent === agent);
    return [{ agent, versions: [newestOf(earlier), newestOf(parts)], steps, broken }];
  });
};

/** An issue takes 65,536 characters. */
const MAX_ROWS = 80;
const MAX_SCREENS = 8;
const MAX_SCREEN_CHARS = 4_000;
const MAX_LINE = 120;

const plain = (text: string): string => text.slice(0, MAX_LINE).replaceAll(/[`|<>@#\s]+/g, " ");

/** A fence that no line of the screen ends: longer than any run of its sign there. */
const fenced = (text: string): string[] => {
  const longest = Math.max(2, ...[...text.matchAll(/~+/g)].map(([run]) => run.length));
  const fence = "~".repeat(longest + 1);
  return [`${fence}text`, text.slice(0, MAX_SCREEN_CHARS).trimEnd(), fence];
};

/** Below `cases`, wherever that folder is by now; null: there is none. */
const screenOf = (cases: string, { folder }: Step): string | null => {
  const name = /(?:^|\/)cases\/([\w@.+ -]+\/[\w.+ -]+)$/.exec(folder ?? "")?.[1];
  if (name === undefined || name.includes("..")) return null;
  try {
    return readFileSync(join(cases, name, "screen.txt"), "utf8");
  } catch {
    // It was not kept; the issue names the step all the same.
    return null;
  }
};

/** `cases`: the folder of the kept cases. */
export const toIssue = ({ agent, versions: [then, now], steps, broken }: Worse, cases: string): string => {
  const rows = steps
    .slice(0, MAX_ROWS)
    .map(
      (one) =>
        `| ${partName(one.now.part)} | ${one.now.step} | ${one.before.verdict} | ${one.now.verdict} | ${one.now.truth.join(" or ")} | ${one.now.shown ?? "–"} | ${plain(one.now.detail)} |`,
    );
  const screens = steps.slice(0, MAX_SCREENS).flatMap(({ now: step }) => {
    const text = screenOf(cases, step);
    return text === null ? [] : ["", `${partName(step.part)}, ${step.step}:`, "", ...fenced(text)];
  });
  return [
    `agtmux reads ${agent} ${plain(now)} worse than it read ${plain(then)}: ${steps.length} steps, and ${broken.length} parts that broke off.`,
    "",
    ...(rows.length === 0
      ? []
      : [
          "| part | step | before | now | driven | shown | why |",
          "| --- | --- | --- | --- | --- | --- | --- |",
        ]),
    ...rows,
    ...(steps.length > MAX_ROWS ? ["", `and ${steps.length - MAX_ROWS} more`] : []),
    ...broken
      .slice(0, MAX_ROWS)
      .map(({ part, problem }) => `- ${partName(part)} broke off: ${plain(problem ?? "")}`),
    ...screens,
    "",
    `Drive one case again: \`npm run live -- --agent ${agent} --versions latest --state <step>\`. A cure that needs no release: docs/adapters.md.`,
    "",
  ].join("\n");
};
