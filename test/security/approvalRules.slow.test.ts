// Approval rules as a person has them: a rules file, the real command line, a real daemon on real tmux, and agents that look like
// Claude Code, draw its dialogs and run its hooks. What a rule must never approve is tried first.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import * as z from "zod";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { askByHook, claudeDialog } from "../actions/claudeDialog.ts";
import { openDialogs, type Dialog, type DialogPane } from "../actions/dialogPane.ts";
import { openCommandLine, serveDaemon, type CommandLine } from "../harness/commandLine.ts";
import { until } from "../setup/realClock.ts";

const LIMIT_MS = 120_000;
const WAIT_MS = 20_000;
/** Longer than a request must have stood, and than an answer takes. */
const LONG_MS = 3_500;

/** The recipe of docs/automation.md, as it stands there. */
const GUIDE = readFileSync(fileURLToPath(new URL("../../docs/automation.md", import.meta.url)), "utf8");
const RECIPE = /```json\n(\{\s*"rules".*?)```/s.exec(GUIDE.slice(GUIDE.indexOf("## Recipes")))?.[1] ?? "";
const RULES = z
  .object({ rules: z.array(z.looseObject({ name: z.string(), then: z.string() })) })
  .parse(JSON.parse(RECIPE)).rules;

let harness: Harness;
let cli: CommandLine;
let stopServing: () => Promise<void>;
beforeEach(async () => {
  harness = await openHarness();
  stopServing = await serveDaemon(harness.daemon);
  cli = openCommandLine(harness.daemon.paths.home);
  writeFileSync(join(harness.daemon.paths.home, "rules.json"), RECIPE, { mode: 0o600 });
}, LIMIT_MS);
afterEach(async () => {
  await cli.close();
  await stopServing();
  await harness.close();
}, LIMIT_MS);

interface Told {
  command: string;
  [field: string]: unknown;
}

/** An agent that asks; `told`: by its hook, in this order. */
const asking = async (
  name: string,
  dialogs: readonly Dialog[],
  told: readonly Told[],
): Promise<DialogPane> => {
  const pane = await openDialogs(harness, "claude", dialogs, { name });
  for (const one of told) await askByHook(harness, pane.paneId, "Bash", one);
  return pane;
};
const plain = (name: string, command: string): Promise<DialogPane> =>
  asking(name, [claudeDialog([command])], [{ command }]);

const logSchema = z.object({
  items: z.array(
    z.object({ rule: z.string(), verdict: z.string(), outcome: z.string(), command: z.string() }),
  ),
});
const log = async () => {
  const { stdout } = await cli.run(["rule", "log", "--json"]);
  return logSchema
    .parse(JSON.parse(stdout))
    .items.map(({ rule, verdict, outcome, command }) => [rule, verdict, outcome, command]);
};

/** Runs a command in a terminal, types once it asks, and gives what is on the screen at the end. */
const typed = async (command: string, keys: readonly string[]): Promise<string> => {
  const environment = `AGTMUX_HOME='${harness.daemon.paths.home}' AGTMUX_NO_START=1 NO_COLOR=1`;
  const paneId = await harness.tmux.run(
    "new-window",
    "-d",
    "-P",
    "-F",
    "#{pane_id}",
    "-t",
    "base:",
    `${environment} ${command}; echo "ended with $?"; exec cat`,
  );
  const shows = (text: string) =>
    vi.waitFor(async () => expect(await harness.screen(paneId)).toContain(text), {
      timeout: WAIT_MS,
      interval: 100,
    });
  await shows("[y/N]");
  await harness.tmux.run("send-keys", "-t", paneId, ...keys);
  await shows("ended with ");
  return harness.screen(paneId);
};
const armCommand = (rule: string): string => `node '${CLI_ENTRY}' rule arm ${rule}`;
const arm = async (...rules: string[]): Promise<void> => {
  const screens = await Promise.all(rules.map((rule) => typed(armCommand(rule), ["y", "Enter"])));
  for (const screen of screens) expect(screen).toContain("ended with 0");
};

const SHORT = claudeDialog(["git status"]);
const STATUS = { command: "git status" };

/** What `git status` in a rule must never approve, each with what its screen shows and its hook told. */
const ATTACKS: Readonly<Record<string, { shows: Dialog; told: readonly Told[] }>> = {
  untold: { shows: SHORT, told: [] },
  "another-command-drawn": { shows: claudeDialog(["git status; rm -rf build"]), told: [STATUS] },
  "more-rows-drawn": { shows: claudeDialog(["git status", "rm -rf build"]), told: [STATUS] },
  "more-rows-told": { shows: SHORT, told: [{ command: "git status\nrm -rf build" }] },
  "out-of-the-sandbox": { shows: SHORT, told: [{ ...STATUS, dangerouslyDisableSandbox: true }] },
  "in-the-background": { shows: SHORT, told: [{ ...STATUS, run_in_background: true }] },
  "two-are-open": { shows: SHORT, told: [{ command: "rm -rf build" }, STATUS] },
  "only-its-end-in-sight": {
    shows: { ...SHORT, text: SHORT.text.split("\n").slice(5).join("\n") },
    told: [STATUS],
  },
  "more-words": { shows: claudeDialog(["git status -s"]), told: [{ command: "git status -s" }] },
  "an-assignment": { shows: claudeDialog(["A=b git status"]), told: [{ command: "A=b git status" }] },
  "a-pipe": { shows: claudeDialog(["git status | sh"]), told: [{ command: "git status | sh" }] },
};

it(
  "rules note what they would do, and once armed answer that, and nothing like it",
  { timeout: LIMIT_MS },
  async () => {
    const [status, push, stash] = await Promise.all([
      asking("status", [SHORT, claudeDialog(["rm -rf build"])], [STATUS]),
      plain("push", "git push --force"),
      plain("stash", "git stash"),
    ]);
    const attacked = await Promise.all(
      Object.entries(ATTACKS).map(async ([name, { shows, told }]) => ({
        name,
        pane: await asking(name, [shows], told),
      })),
    );
    await until(async () => (await log()).length === 2, "two rules noted what they would do", WAIT_MS);
    expect((await log()).map(([rule, verdict]) => `${rule} ${verdict}`).toSorted()).toEqual([
      "look would_approve",
      "no-force would_deny",
    ]);
    const chosen = () => [status, push, stash].map((pane) => pane.chosen());
    expect(chosen()).toEqual([[], [], []]);
    const drafted = await cli.run(["rule", "draft", stash.row.identity.pane_ref, "--then", "leave"]);
    expect(drafted.stderr).toContain("it is in force at once");
    expect(JSON.parse(drafted.stdout)).toEqual({
      name: "git-stash",
      when: { commands: [["git", "stash"]] },
      then: "leave",
    });
    // Not without a terminal.
    expect((await cli.run(["rule", "arm", "look"])).code).toBe(6);

    await arm("look", "no-force");
    await until(() => status.chosen().length + push.chosen().length === 2, "both are answered", WAIT_MS);
    await cli.run(["automation", "pause"]);
    const paused = await plain("paused", "git status");
    await wait(LONG_MS);
    // One prompt, not the next in its place; the rule that leaves is in force without being armed.
    expect(chosen()).toEqual([[["git status", "Yes"]], [["git push --force", "No"]], []]);
    expect(attacked.filter(({ pane }) => pane.chosen().length > 0).map(({ name }) => name)).toEqual([]);
    expect(
      (await log())
        .slice(0, -2)
        .map((one) => one.join(" "))
        .toSorted(),
    ).toEqual(["look approve delivered git status", "no-force deny delivered git push --force"]);
    const { items } = harness.service.audit({ limit: 20 });
    expect(items.map(({ surface, action, outcome }) => [surface, action, outcome])).toEqual(
      expect.arrayContaining([
        ["rule:look", "answer", "delivered"],
        ["rule:no-force", "answer", "delivered"],
        ["cli", "rule-arm", "armed"],
      ]),
    );

    // What is taken out of the file is disarmed all the same.
    const file = join(harness.daemon.paths.home, "rules.json");
    writeFileSync(file, JSON.stringify({ rules: [] }));
    expect((await cli.run(["rule", "disarm", "no-force"])).stdout).toBe("Disarmed no-force.\n");
    expect((await cli.run(["rule", "disarm", "no-force"])).code).toBe(3);
    writeFileSync(file, JSON.stringify({ rules: RULES.filter(({ then }) => then !== "leave") }));
    await cli.run(["automation", "resume"]);
    await until(async () => (await log())[0]?.[1] === "would_approve", "it is in shadow again", WAIT_MS);
    expect(paused.chosen()).toEqual([]);
    writeFileSync(file, RECIPE);
    await until(() => paused.chosen().length > 0, "it is armed as it was", WAIT_MS);
  },
);

it("no agent arms a rule, and nobody who says no", { timeout: LIMIT_MS }, async () => {
  const script = join(harness.tmux.folder, "below/@anthropic-ai/claude-code/cli.mjs");
  mkdirSync(join(script, ".."), { recursive: true });
  writeFileSync(
    script,
    `import { spawn } from "node:child_process";
     spawn(process.execPath, [${JSON.stringify(CLI_ENTRY)}, "rule", "arm", "look"], { stdio: "inherit" })
       .on("close", (code) => process.exit(code));`,
  );
  const [byAgent, byPerson] = await Promise.all([
    typed(`node '${script}'`, ["y", "Enter"]),
    typed(armCommand("look"), ["n", "Enter"]),
  ]);
  expect(byAgent).toContain("Claude Code asks for this");
  expect(byAgent).toContain("ended with 2");
  expect(byPerson).toContain("Nothing was armed.");
  const { stdout } = await cli.run(["rule", "list", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ summary: { by_mode: { shadow: 2, "in force": 1 } } });
});
