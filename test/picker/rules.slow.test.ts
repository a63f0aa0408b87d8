// Approval rules in the picker, as a person meets them: on a real daemon, with an agent in tmux that draws Claude Code's dialog and
// runs its hook. A rule is made of its card, comes into the file in shadow, notes what it would do, and is disarmed from here.
// oxlint-disable unicorn/no-thenable -- a rule says what comes "then": always a word, never a function
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { askByHook, claudeDialog } from "../actions/claudeDialog.ts";
import { openDialogs, type DialogPane } from "../actions/dialogPane.ts";
import { serveDaemon } from "../harness/commandLine.ts";
import { until } from "../setup/realClock.ts";
import { READING } from "./pickerHarness.ts";
import { openRealPicker, type RealPicker } from "./realPicker.ts";

const LIMIT_MS = 60_000;

let harness: Harness;
let picker: RealPicker;
let stopServing: () => Promise<void>;

beforeEach(async () => {
  harness = await openHarness();
  stopServing = await serveDaemon(harness.daemon);
}, LIMIT_MS);
afterEach(async () => {
  await picker.close();
  await stopServing();
  await harness.close();
}, LIMIT_MS);

const asking = async (command: string): Promise<DialogPane> => {
  const pane = await openDialogs(harness, "claude", [claudeDialog([command])], { name: "asks" });
  await askByHook(harness, pane.paneId, "Bash", { command });
  return pane;
};

it(
  "is made of a card, begins in shadow, says what it would do, and is armed and disarmed",
  { timeout: LIMIT_MS },
  async () => {
    const pane = await asking("git status");
    picker = await openRealPicker(harness);
    const { shows, showsNot, type } = picker;
    await shows("u Make a rule…");
    await type("u");
    await shows("asks to run git status, approve it.");
    await shows("When Claude Code in ");
    await type("j");
    await shows('"when": { "commands": [["git", "status"]], "agents": ["claude"]');
    await shows('"then": "approve"');
    await shows("It starts as a dry run");
    await type("Tab");
    await shows('"then": "deny"');
    await wait(READING);
    await type("Enter");
    await shows("Rule added.");
    const file = readFileSync(join(harness.daemon.paths.home, "rules.json"), "utf8");
    expect(JSON.parse(file)).toEqual({
      rules: [{ name: "git-status", when: { commands: [["git", "status"]] }, then: "deny" }],
    });
    await type("Escape");
    await shows("git-status would refuse (1)");
    expect(pane.chosen()).toEqual([]);

    await type("l");
    await shows("❯ Refuses git status");
    await shows("dry run");
    await shows("would have answered once");
    await type("a");
    await shows("Arm the rule git-status?");
    await shows("It denies these immediately, without asking you");
    await wait(READING);
    await type("n");
    await showsNot("Arm the rule");
    expect(pane.chosen()).toEqual([]);
    await type("a");
    await shows("Arm the rule git-status?");
    await wait(READING);
    await type("y");
    await until(() => pane.chosen().length > 0, "the armed rule has answered", 20_000);
    expect(pane.chosen()).toEqual([["git status", "No"]]);
    await shows("answered once");
    await type("x");
    await shows("dry run");
  },
);

it("is none for a command that no rule can name, and nothing is written", { timeout: LIMIT_MS }, async () => {
  await asking("git status; rm -rf /");
  picker = await openRealPicker(harness);
  const { shows, showsNot, type } = picker;
  await shows("a Approve");
  await showsNot("Make a rule…");
  await wait(READING);
  await type("u");
  await shows("ules support only simple commands");
  expect(() => readFileSync(join(harness.daemon.paths.home, "rules.json"))).toThrow("ENOENT");
});
