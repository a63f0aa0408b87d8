// `npm run live`: real agents, offline against a scripted model, held against agtmux. `install` brings agents into a cache, `table`
// prints what is known; options.ts has the rest. Exit status 0: nothing wrong; 1: something is; 2: wrong arguments.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { intoDocument } from "../../bench/report/toMarkdown.ts";
import type { AgentId } from "./agents/agentIds.ts";
import { LIVE_AGENTS } from "./agents/index.ts";
import { ALL_STEPS, KINDS, drivePart, lacksOf } from "./drive/parts.ts";
import { cacheFolder, findInstalled, installedVersions, type InstalledAgent } from "./install/cache.ts";
import { installAgent, resolveVersion } from "./install/installAgent.ts";
import { readOptions, USAGE, UsageError, type LiveOptions } from "./options.ts";
import { findWorse, toIssue } from "./results/drift.ts";
import { toMarkdown } from "./results/markdown.ts";
import { habitatKindOf, type HabitatKind, partName, type Note, type Part } from "./results/result.ts";
import { habitatsOf } from "./habitats/index.ts";
import { createStopper } from "./rig/stopper.ts";
import { doneParts, exitStatus, mergeNotes, openResults } from "./results/store.ts";

const cache = cacheFolder();

/** The version to drive: installs it where one was named and is missing. */
const ensureInstalled = async (options: LiveOptions, id: AgentId): Promise<InstalledAgent> => {
  const agent = LIVE_AGENTS[id];
  const asked = options.versionOf(id);
  const mayInstall = asked !== null || options.command === "install";
  const version = asked === null ? agent.main.version : await resolveVersion(agent, asked);
  if (mayInstall) await installAgent({ cache, agent, version, say: console.log });
  const installed = findInstalled(cache, agent, version);
  if (installed !== null) return installed;
  const there = installedVersions(cache, agent).join(", ") || "none";
  throw new UsageError(
    `${id} ${version} is not in ${cache} (there: ${there}). 'npm run live -- install --agents ${id}' installs it`,
  );
};

const partsOf = ({ kinds, modes, sizes, habitats }: LiveOptions, agent: AgentId, version: string): Part[] =>
  kinds.flatMap((kind) =>
    (sizes ?? KINDS[kind].sizes).flatMap((size) =>
      modes.flatMap((mode): Part[] => {
        const part = { agent, version, mode, size, kind };
        const habitatKind = habitatKindOf(kind);
        if (habitatKind === null) return [part];
        const own = habitatsOf(LIVE_AGENTS[agent], habitatKind).map(({ name }) => name);
        return own
          .filter((name) => habitats?.includes(name) ?? true)
          .map((habitat) => ({ ...part, habitat }));
      }),
    ),
  );

const presentCommit = (): string => {
  try {
    return execFileSync("git", ["-C", import.meta.dirname, "rev-parse", "--short", "HEAD"], {
      encoding: "utf8",
    }).trim();
  } catch {
    // No clone, such as an unpacked archive.
    return "–";
  }
};

const drive = async (options: LiveOptions): Promise<void> => {
  const stopper = createStopper(process);
  const results = openResults(options.results);
  const installed = new Map<AgentId, InstalledAgent>();
  for (const id of options.agents) installed.set(id, await ensureInstalled(options, id));
  const commit = presentCommit();
  const done = options.isFresh ? new Set<string>() : doneParts(results.notes());
  for (const [id, agent] of installed)
    for (const part of partsOf(options, id, agent.version)) {
      if (done.has(partName(part)) && options.steps === null) {
        console.log(`${partName(part)}: done before`);
        continue;
      }
      console.log(partName(part));
      const { steps, results: resultsFolder } = options;
      const { problem, seconds } = await drivePart({
        part,
        installed: agent,
        steps,
        resultsFolder,
        commit,
        stopper,
        // What a stopped run would still note is of its own end.
        add: (note) => {
          if (!stopper.isStopped) results.add(note);
        },
      });
      console.log(`  ${seconds} s${problem === null ? "" : `, broke off: ${problem}`}`);
    }
};

/** The kind that has a table of its own, where only that was asked for. */
const ownTableOf = ({ kinds: [only, ...others] }: LiveOptions): HabitatKind | null =>
  only === undefined || others.length > 0 ? null : habitatKindOf(only);

/** What was driven of what was asked for; `table` shows all that there is. */
const isAsked =
  (options: LiveOptions) =>
  ({ part }: Note): boolean => {
    const { command, agents, modes, sizes, kinds } = options;
    if (ownTableOf(options) !== habitatKindOf(part.kind)) return false;
    return (
      command === "table" ||
      (agents.includes(part.agent) &&
        modes.includes(part.mode) &&
        kinds.includes(part.kind) &&
        (sizes?.includes(part.size) ?? true))
    );
  };

const printTable = (options: LiveOptions): 0 | 1 => {
  const { results, markdown } = options;
  const merged = mergeNotes(openResults(results).notes().filter(isAsked(options)));
  // Habitats are not driven through everything that an agent may lack.
  const lacks = ownTableOf(options) === null ? Object.values(LIVE_AGENTS).flatMap(lacksOf) : [];
  const text = toMarkdown(merged, lacks);
  console.log(`\n${text}`);
  if (markdown !== null) {
    writeFileSync(
      markdown,
      intoDocument(readFileSync(markdown, "utf8"), text, ownTableOf(options) ?? "live"),
    );
    execFileSync(join(import.meta.dirname, "..", "..", "node_modules", ".bin", "oxfmt"), [markdown]);
  }
  return exitStatus(merged);
};

/** A file for each agent that is read worse, by its name. */
const writeIssues = ({ results, drift: asked }: LiveOptions): 0 | 1 => {
  if (asked === null) throw new UsageError("drift takes --before and --issues");
  const [before, now] = [asked.before, results].map((folder) => mergeNotes(openResults(folder).notes()));
  if (before === undefined || now === undefined) return 0;
  const worse = findWorse(before, now);
  mkdirSync(asked.issues, { recursive: true });
  for (const one of worse) {
    writeFileSync(join(asked.issues, `${one.agent}.md`), toIssue(one, join(results, "cases")));
    console.log(`${one.agent}: ${one.steps.length + one.broken.length} worse`);
  }
  return worse.length === 0 ? 0 : 1;
};

const main = async (): Promise<number> => {
  const options = readOptions(process.argv.slice(2), ALL_STEPS);
  switch (options.command) {
    case "help":
      console.log(USAGE);
      return 0;
    case "install":
      for (const id of options.agents) await ensureInstalled(options, id);
      return 0;
    case "run":
      await drive(options);
      return printTable(options);
    case "table":
      return printTable(options);
    case "drift":
      return writeIssues(options);
  }
};

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n'npm run live -- help' names what there is`);
  process.exitCode = 2;
}
