// `check` can fail: a rule that is wrong on purpose is caught and named.
import { describe, expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { createGeminiAdapter } from "../../adapters/gemini/index.ts";
import { createRuleReader, type RuleData } from "../../adapters/declarative/ruleReader.ts";
import { type Corpus, loadCorpus } from "../../bench/detect/corpus.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { check, toTable } from "./check.ts";
import { RECORDINGS } from "./record.ts";

const all = loadCorpus(RECORDINGS);
const SOME = ["running", "waiting_approval", "completed", "idle_fresh"];
/** A few of its frames, and all of the others. */
const corpus: Corpus = {
  problems: [],
  frames: all.frames.filter(({ agent, name }) => agent !== "gemini" || SOME.includes(name)),
};
const gemini = createGeminiAdapter();
const registryWith = (changes: Partial<AgentAdapter>) =>
  createAdapterRegistry([
    ...createAdapterRegistry()
      .list()
      .filter(({ agentType }) => agentType !== "gemini"),
    { ...gemini, ...changes },
  ]);
const checkWith = (changes: Partial<AgentAdapter>) =>
  check(corpus, registryWith(changes), "gemini", () => []);
/** With a rule before its own. */
const withRule = (rule: NonNullable<RuleData["screens"]>[number]): Partial<AgentAdapter> => {
  const read = createRuleReader({ screens: [rule] });
  return { readScreen: (screen) => read(screen) ?? gemini.readScreen(screen) };
};

describe("an adapter that is right", () => {
  it("passes, and the table says against what", () => {
    const { rows, failures } = checkWith({});
    expect(failures).toEqual([]);
    expect(rows.map(({ what }) => what)).toEqual([
      "as recorded, screen",
      "as recorded, events",
      "as recorded, both",
      "screens of other agents",
      "processes of other agents",
    ]);
    expect(toTable(rows).split("\n")[4]).toMatch(/^screens of other agents +\d{3} +\d{3} +0 +0$/);
  });
});

describe("a rule that is wrong", () => {
  it("on its own screens is named with the frame", () => {
    const { failures, rows } = checkWith(
      withRule({ pattern: "esc to cancel", lines: 12, state: "waiting_input", reason: "question" }),
    );
    expect(failures).toContainEqual(
      expect.stringMatching(/^running, screen: waiting_input instead of running \(false_wait\)/),
    );
    expect(rows[0]?.wrong).toBeGreaterThan(0);
  });

  it("on another agent's screens is named with that agent", () => {
    const { failures } = checkWith(
      withRule({ pattern: "for shortcuts", lines: 5, state: "waiting_approval" }),
    );
    expect(failures).toContainEqual(
      expect.stringMatching(/^claude\/\w+: a false wait, waiting_approval: for shortcuts$/),
    );
  });

  it("that keeps silent is named too: the screen alone has to tell", () => {
    const { failures } = checkWith({ readScreen: () => null });
    expect(failures).toContainEqual(
      expect.stringMatching(/^waiting_approval, screen: \w+ instead .*\(missed_wait\)/),
    );
    expect(failures).toContain("completed: unknown by the screen alone, it is completed");
  });

  it("about processes is named", () => {
    const { failures } = checkWith({
      identify: (processes) => {
        const [, process] = processes;
        return process === undefined ? null : { process, confidence: "low", sign: "any child" };
      },
    });
    expect(failures).toContain("claude/completed: its process is claimed, any child");
  });
});

it("an agent without recordings, or without an adapter, is not passed", () => {
  const registry = createAdapterRegistry();
  expect(() => check(corpus, registry, "cursor")).toThrow(/no recordings/);
  expect(() => check(corpus, registry, "nobody")).toThrow(/no adapter/);
});
