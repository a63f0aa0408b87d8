// The grammar as a whole: its examples can be typed, its values can be completed, its numbers stay.
import { describe, expect, test } from "vitest";
import { createBareProgram } from "./run.ts";
import { exitCodes } from "../reference/topics.ts";
import { flatten, toPage } from "../reference/pages.ts";
import type { Verb } from "../command/verb.ts";

/**
 * Words as a POSIX shell would split them, for the quotes that examples use; of a pipe or redirection only the part that runs
 * agtmux.
 */
const wordsOf = (line: string): string[] => {
  const [own = ""] = line.slice(line.indexOf("agtmux ")).split(" > ");
  return [...own.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? "",
  );
};

/** The values of an option; for a list, each value in it, without the sign that reverses an order. */
const eachOf = (value: unknown): unknown[] =>
  Array.isArray(value)
    ? value.flatMap((list) => String(list).split(",")).map((one) => one.replace(/^-/, ""))
    : [value];

interface Parsed {
  path: string;
  values: { values: readonly string[]; given: unknown }[];
}

/** What the real grammar makes of the words; nothing is executed. */
const parse = async (words: readonly string[]): Promise<Parsed> => {
  let parsed: Parsed | null = null;
  const record = (verb: Verb, path: readonly string[]): void => {
    if (verb.commands.length === 0)
      verb.action(() => {
        const given = verb.options.flatMap((option) => {
          const value: unknown = verb.opts()[option.attributeName()];
          return option.argChoices === undefined || value === undefined
            ? []
            : eachOf(value).map((one) => ({ values: option.argChoices ?? [], given: one }));
        });
        parsed = { path: path.join(" "), values: given };
      });
    for (const child of verb.commands)
      if ("examples" in child) record(child as Verb, [...path, child.name()]);
  };
  const program = createBareProgram(() => {});
  record(program, []);
  await program.parseAsync(words, { from: "user" });
  if (parsed === null) throw new Error(`'${words.join(" ")}' is no command`);
  return parsed;
};

const pages = flatten(toPage(createBareProgram()));
const examples = pages.flatMap((page) => page.examples.map((example) => ({ ...example, page })));

describe("examples", () => {
  test("are there for every verb", () => {
    const without = pages
      .filter(({ children, examples: own }) => children.length === 0 && own.length === 0)
      .map(({ path }) => path.join(" "));
    expect(without, "add .example(line, what it does)").toEqual([]);
  });

  test.each(examples)("can be typed: $line", async ({ line, says, page }) => {
    const { path, values } = await parse(wordsOf(line).slice(1));
    if (page.children.length === 0) expect(path).toBe(page.path.join(" "));
    for (const { values: known, given } of values) expect(known).toContain(given);
    expect(says).toMatch(/^[A-Z0-9].*\.$/);
  });

  test("that are wrong are found", async () => {
    await expect(parse(["list", "panes", "--no-such-option"])).rejects.toThrow("unknown option");
  });
});

/** Each line of the specification's command-line surface, with everything that it may have. */
const SPECIFIED = [
  "agtmux target add vm1 --kind ssh --ssh-target vm1",
  "agtmux target add here --kind local",
  "agtmux target connect vm1",
  "agtmux target list --json",
  "agtmux target remove vm1 --yes",
  "agtmux list panes --target vm1 --target-session vm1/work --session work --state idle --agent claude --needs-action --json",
  "agtmux list panes --all-targets",
  "agtmux list windows --target vm1 --target-session vm1/work --session work --with-agent-status --json",
  "agtmux list windows --all-targets",
  "agtmux list sessions --target vm1 --agent-summary --group-by target-session --json",
  "agtmux list sessions --all-targets --group-by session-name",
  "agtmux attach REF --if-state idle --if-updated-within 5s --force-stale",
  "agtmux send REF --text hello --if-runtime rt1 --if-state idle --if-updated-within 5s --force-stale",
  "agtmux view-output REF --lines 20",
  "agtmux kill REF --signal INT --if-runtime rt1 --if-state idle --if-updated-within 5s --force-stale --yes",
  "agtmux kill REF --signal TERM",
  "agtmux kill REF --signal KILL",
  "agtmux watch --target vm1 --scope panes --format table --interval 1s --once",
  "agtmux watch --all-targets --scope windows --format jsonl --since 2026-02-13T00:00:00Z",
  "agtmux watch --scope sessions",
];

test.each(SPECIFIED)("the specification's '%s' can be typed", async (line) => {
  const { values } = await parse(wordsOf(line).slice(1));
  for (const { values: known, given } of values) expect(known).toContain(given);
});

test("an option means the same in every verb: it takes a value, or it does not", () => {
  const kinds = new Map<string, Set<string>>();
  for (const { options } of pages)
    for (const { names, value } of options)
      for (const name of names)
        kinds.set(name, (kinds.get(name) ?? new Set()).add(value === null ? "switch" : value.name));
  const mixed = [...kinds].filter(([, forms]) => forms.size > 1).map(([name]) => name);
  expect(mixed).toEqual([]);
});

test("exit codes are stable", () => {
  expect(Object.fromEntries(exitCodes().map(({ status, code }) => [code ?? `(${status})`, status]))).toEqual({
    "(0)": 0,
    delivered: 0,
    "(1)": 1,
    E_USAGE: 2,
    E_REF_INVALID: 2,
    E_REF_NOT_FOUND: 3,
    E_REF_AMBIGUOUS: 4,
    E_STALE_SNAPSHOT: 5,
    E_CONFIRMATION_REQUIRED: 6,
    E_TARGET_UNREACHABLE: 7,
    E_DAEMON_UNAVAILABLE: 8,
    E_DAEMON_VERSION: 9,
    E_SOCKET_UNSAFE: 10,
    E_CONFIG_INVALID: 11,
    E_DATABASE_NEWER: 12,
    E_INTEGRATION_REFUSED: 13,
    E_TMUX_MISSING: 14,
    E_UNSUPPORTED: 15,
    E_DATABASE_DAMAGED: 16,
    E_PROMPT_OPEN: 17,
    E_TARGET_UNKNOWN: 18,
    E_RUNTIME_ENDED: 19,
    not_delivered: 20,
    unverified: 21,
    E_PROMPT_UNCONFIRMED: 22,
    E_ADDRESS_REUSED: 25,
    E_NOT_SHOWN_WHOLE: 26,
    E_TARGET_HOST_KEY: 23,
    E_TARGET_AUTH: 24,
    E_DOCUMENT_INVALID: 65,
    E_INTERNAL: 70,
    E_GIT_FAILED: 74,
    E_PACK_REFUSED: 28,
    E_DOCUMENT_BUSY: 75,
    E_WORKSPACE_REFUSED: 27,
    E_TIMEOUT: 124,
    "(130)": 130,
  });
});
