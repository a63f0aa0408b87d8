// The command line of `npm run live`. What it cannot mean is said with the words that it can.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { AGENT_IDS, type AgentId } from "./agents/agentIds.ts";
import {
  habitatKindOf,
  MODES,
  PART_KINDS,
  SIZES,
  type Mode,
  type PartKind,
  type SizeName,
} from "./results/result.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const USAGE = `npm run live -- [options]            drive every agent, state, mode and size; goes on where a run was stopped
npm run live -- install [options]    install agents into the cache (AGTMUX_LIVE_CACHE), from the npm registry
npm run live -- table [options]      the table of all results
npm run live -- drift --before folder --issues folder    an issue for each agent that is read worse than in those results
npm run live -- help                 this

--agent a,b         ${AGENT_IDS.join(", ")}
--versions what     latest, or claude=2.1.330,pi=0.87.1; installs what is missing. Without it: the versions last driven
--mode a,b          ${MODES.join(", ")}
--size a,b          ${SIZES.join(", ")}
--habitat a,b       only these ways of running an agent, as the table names them
--state a,b         only these steps, as the table names them
--states --hard --actions --turns --queue --rules --documents --sessions --handoff --stall --background --accounts --habitats --inside    only these kinds of parts
--fresh             also what was done before
--results folder    where results and wrong cases are kept (live-results)
--markdown file     writes the table between the marks of that file`;

export class UsageError extends Error {}

const COMMANDS = ["run", "install", "table", "drift", "help"] as const;

export interface LiveOptions {
  command: (typeof COMMANDS)[number];
  agents: AgentId[];
  /** By agent; null: the version last driven. */
  versionOf(agent: AgentId): string | null;
  modes: Mode[];
  /** null: those that each kind of part is driven at. */
  sizes: SizeName[] | null;
  /** null: every step. */
  steps: string[] | null;
  kinds: PartKind[];
  /** null: all of an agent. */
  habitats: string[] | null;
  isFresh: boolean;
  results: string;
  markdown: string | null;
  /** For `drift`: the results that are compared with, and where the issues are written. */
  drift: { before: string; issues: string } | null;
}

const oneOf = <T extends string>(names: readonly T[], given: string, what: string): T => {
  const found = names.find((name) => name === given);
  if (found === undefined) throw new UsageError(`${what} '${given}' is none of ${names.join(", ")}`);
  return found;
};
const listOf = <T extends string>(names: readonly T[], given: string | undefined, what: string): T[] =>
  given === undefined ? [...names] : given.split(",").map((one) => oneOf(names, one.trim(), what));

const readVersions = (given: string | undefined): LiveOptions["versionOf"] => {
  if (given === undefined || given === "latest") return () => given ?? null;
  const pairs = given.split(",").map((pair): [AgentId, string] => {
    const [agent = "", version] = pair.split("=");
    if (version === undefined || version === "")
      throw new UsageError(`--versions takes latest or agent=1.2.3, not '${pair}'`);
    return [oneOf(AGENT_IDS, agent, "agent"), version];
  });
  const versions = new Map(pairs);
  return (agent) => versions.get(agent) ?? null;
};

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        agent: { type: "string" },
        agents: { type: "string" },
        version: { type: "string" },
        versions: { type: "string" },
        mode: { type: "string" },
        size: { type: "string" },
        state: { type: "string" },
        states: { type: "boolean", default: false },
        hard: { type: "boolean", default: false },
        actions: { type: "boolean", default: false },
        turns: { type: "boolean", default: false },
        queue: { type: "boolean", default: false },
        rules: { type: "boolean", default: false },
        documents: { type: "boolean", default: false },
        sessions: { type: "boolean", default: false },
        handoff: { type: "boolean", default: false },
        stall: { type: "boolean", default: false },
        background: { type: "boolean", default: false },
        accounts: { type: "boolean", default: false },
        habitats: { type: "boolean", default: false },
        inside: { type: "boolean", default: false },
        habitat: { type: "string" },
        fresh: { type: "boolean", default: false },
        results: { type: "string", default: join(ROOT, "live-results") },
        markdown: { type: "string" },
        before: { type: "string" },
        issues: { type: "string" },
      },
    });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
};

/** @throws UsageError naming what is not understood. `steps` are those that any scenario notes. */
export const readOptions = (args: readonly string[], steps: readonly string[]): LiveOptions => {
  const { values, positionals } = parse(args);
  const [command = "run", ...more] = positionals;
  if (more.length > 0) throw new UsageError(`one command at a time, not '${positionals.join(" ")}'`);
  const chosen = PART_KINDS.filter(
    (kind) => values[kind] || (kind === "habitats" && values.habitat !== undefined && !values.inside),
  );
  // Habitats take an hour for each agent and have a table of their own: they are named.
  const { before, issues } = values;
  const drift = before === undefined || issues === undefined ? null : { before, issues };
  if ((command === "drift") !== (drift !== null))
    throw new UsageError("drift takes --before and --issues, and nothing else does");
  const usual = PART_KINDS.filter((kind) => habitatKindOf(kind) === null);
  const kinds = values.state === undefined ? usual : (["states", "hard"] as const).slice();
  return {
    command: oneOf(COMMANDS, command, "command"),
    agents: listOf(AGENT_IDS, values.agent ?? values.agents, "agent"),
    versionOf: readVersions(values.version ?? values.versions),
    modes: listOf(MODES, values.mode, "mode"),
    sizes: values.size === undefined ? null : listOf(SIZES, values.size, "size"),
    steps: values.state === undefined ? null : listOf(steps, values.state, "state"),
    kinds: chosen.length > 0 ? chosen : kinds,
    habitats: values.habitat?.split(",").map((name) => name.trim()) ?? null,
    isFresh: values.fresh,
    results: values.results,
    markdown: values.markdown ?? null,
    drift,
  };
};
