// `npm run adapter`: from an agent on this machine to an adapter, step by step (docs/adapters.md). Exit status 0: done; 1: something
// is missing or wrong, and is named; 2: wrong arguments.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { type Corpus, loadCorpus } from "../../bench/detect/corpus.ts";
import { AGENT_IDS, type AgentId } from "../live/agents/agentIds.ts";
import { LIVE_AGENTS } from "../live/agents/index.ts";
import { SIZES, type SizeName } from "../live/results/result.ts";
import { createStopper } from "../live/rig/stopper.ts";
import { check, toTable } from "./check.ts";
import { describeNew, writeNew } from "./newAgent.ts";
import { keysOf, propose, withRules } from "./propose.ts";
import { record, RECORDED_STEPS, RECORDINGS } from "./record.ts";
import { FAMILIES, filesOf, listsWith } from "./templates.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const USAGE = `npm run adapter -- new <id> --npm PACKAGE     the files of a new agent; says what to fill in
npm run adapter -- record <id>                drive the agent and keep its screens and payloads as recordings
npm run adapter -- propose <id>               rules that its recordings show, for what is not read right yet
npm run adapter -- check <id>                 the adapter against all recordings and their variations
npm run adapter -- live <id> [options]        npm run live for that agent

new:      --program PATH    instead of --npm: a program that is on this machine
          --family F        ${FAMILIES.join(", ")} (ink)
          --command C       what a person types, where the package has another command first
          --name NAME       as people call it
record:   --size a,b        ${SIZES.join(", ")} (all)
          --state a,b       ${RECORDED_STEPS.join(", ")} (all)
          --version V       of its package; installs what is missing. Without it: the version last driven
propose:  --all             also for what is read right already
          --write           into adapters/<id>/screen.ts
both, and check:
          --folder DIR      recordings in the layout of test/fixtures/recordings, before those that are there`;

class UsageError extends Error {}

const oneOf = <T extends string>(names: readonly T[], given: string, what: string): T => {
  const found = names.find((name) => name === given);
  if (found === undefined) throw new UsageError(`${what} '${given}' is none of ${names.join(", ")}`);
  return found;
};
const listOf = <T extends string>(names: readonly T[], given: string | undefined, what: string): T[] =>
  given === undefined ? [...names] : given.split(",").map((one) => oneOf(names, one.trim(), what));

const readArguments = (args: string[]) => {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        npm: { type: "string" },
        program: { type: "string" },
        family: { type: "string", default: "ink" },
        command: { type: "string" },
        name: { type: "string" },
        size: { type: "string" },
        state: { type: "string" },
        version: { type: "string" },
        folder: { type: "string" },
        all: { type: "boolean", default: false },
        write: { type: "boolean", default: false },
      },
    });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
};
type Values = ReturnType<typeof readArguments>["values"];

const runNew = async (id: string, values: Values): Promise<number> => {
  const { npm = null, program = null, command = null, name = null } = values;
  const family = oneOf(FAMILIES, values.family, "family");
  const agent = await describeNew({ id, npm, program, command, displayName: name, family });
  const todos = writeNew(ROOT, agent);
  execFileSync(
    join(ROOT, "node_modules/.bin/oxfmt"),
    [...Object.keys(filesOf(agent)), ...Object.keys(listsWith(agent))],
    { cwd: ROOT },
  );
  console.log(
    `${todos.join("\n")}\n\nIt compiles. adapters/${id}/contract.test.ts fails until there are recordings: fill in`,
  );
  console.log(`test/live/agents/${id}.ts, then 'npm run adapter -- record ${id}'`);
  return 0;
};

const runRecord = async (name: string, values: Values): Promise<number> => {
  const id: AgentId = oneOf(AGENT_IDS, name, "agent");
  const sizes: SizeName[] = listOf(SIZES, values.size, "size");
  const steps = values.state === undefined ? null : listOf(RECORDED_STEPS, values.state, "state");
  const { folder = RECORDINGS, version = null } = values;
  const stopper = createStopper(process);
  const missed = await record({ id, version, sizes, steps, folder, stopper, say: console.log });
  if (missed.length > 0) console.log(`\nmissed: ${missed.join(", ")}`);
  return missed.length === 0 ? 0 : 1;
};

/** Those of the folder, and of every other agent those that are here. */
const corpusWith = (agent: string, folder: string | undefined): Corpus => {
  const here = loadCorpus(RECORDINGS);
  if (folder === undefined) return here;
  const own = loadCorpus(resolve(folder));
  const frames = [
    ...here.frames.filter((frame) => frame.agent !== agent),
    ...own.frames.filter((frame) => frame.agent === agent),
  ];
  return { frames, problems: own.problems };
};

const runPropose = async (id: string, values: Values): Promise<number> => {
  const adapter = createAdapterRegistry().byAgentType(id);
  const keys = keysOf(LIVE_AGENTS[oneOf(AGENT_IDS, id, "agent")]);
  const corpus = corpusWith(id, values.folder);
  const { rules, unread, notes } = propose({ corpus, agent: id, adapter, keys, isAll: values.all });
  console.log(JSON.stringify({ extends: id, ...rules }, null, 2));
  for (const note of notes) console.error(note);
  for (const key of unread) console.error(`${key}: no rows of it are its state's alone`);
  if (values.write) {
    const path = join(ROOT, "adapters", id, "screen.ts");
    writeFileSync(path, withRules(readFileSync(path, "utf8"), rules));
    execFileSync(join(ROOT, "node_modules/.bin/oxfmt"), [path], { cwd: ROOT });
    console.error(`written into ${path}: look at each rule`);
  }
  return unread.length === 0 ? 0 : 1;
};

const runCheck = (id: string, values: Values): number => {
  const { rows, failures } = check(corpusWith(id, values.folder), createAdapterRegistry(), id);
  console.log(toTable(rows));
  if (failures.length > 0) console.log(`\n${failures.join("\n")}`);
  return failures.length === 0 ? 0 : 1;
};

/** The driver as a person calls it: it brings the product up to date first. */
const runLive = (id: string, more: readonly string[]): number => {
  const args = ["run", "-s", "live", "--", "--agent", id, ...more];
  return spawnSync("npm", args, { cwd: ROOT, stdio: "inherit" }).status ?? 1;
};

const main = async (): Promise<number> => {
  const [verb = "help", ...rest] = process.argv.slice(2);
  const [name] = rest;
  if (verb === "help") {
    console.log(USAGE);
    return 0;
  }
  if (name === undefined || name.startsWith("-"))
    throw new UsageError(`${verb} takes the name of an agent first`);
  if (verb === "live") return runLive(oneOf(AGENT_IDS, name, "agent"), rest.slice(1));
  const { values } = readArguments(rest);
  switch (verb) {
    case "new":
      return runNew(name, values);
    case "record":
      return runRecord(name, values);
    case "propose":
      return runPropose(name, values);
    case "check":
      return runCheck(name, values);
    default:
      throw new UsageError(`no verb '${verb}'`);
  }
};

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n'npm run adapter -- help' names what there is`);
  process.exitCode = 2;
}
