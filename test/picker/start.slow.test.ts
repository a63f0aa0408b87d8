// Starting an agent and going on with a session from the picker, on a real daemon and real tmux: the form by its keys, what is refused,
// what a paste must not start, and where the task goes.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { until } from "../setup/realClock.ts";
import { openStartHarness, type StartHarness } from "../workspaces/startHarness.ts";
import { READING } from "./pickerHarness.ts";
import { openRealPicker, type RealPicker } from "./realPicker.ts";
import { setTimeout as wait } from "node:timers/promises";

const LIMIT_MS = 60_000;
/** Asks whether the folder is trusted. */
const TRUST = fileURLToPath(new URL("../fixtures/recordings/claude/trust_dialog.txt", import.meta.url));
const ID = "aaaaaaaa-1111-1111-1111-111111111111";
let harness: StartHarness;
let picker: RealPicker;
beforeEach(async () => {
  harness = await openStartHarness();
  const file = join(harness.daemon.home, `.claude/projects/-w/${ID}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  const line = {
    type: "user",
    cwd: harness.root,
    timestamp: "2026-11-22T10:00:00.000Z",
    message: { role: "user", content: "\u001b[2Jmake it smaller" },
  };
  writeFileSync(file, `${JSON.stringify(line)}\n`);
  picker = await openRealPicker(harness);
}, LIMIT_MS);
afterEach(async () => {
  await picker.close();
  await harness.close();
}, LIMIT_MS);

it("an agent, by a form", { timeout: LIMIT_MS }, async () => {
  const { shows, showsNot, type } = picker;
  await shows("No agents in tmux.");
  await type("+");
  // The one that is installed here.
  await shows("❯ Agent    claude");
  await type("Right");
  await showsNot("❯ Agent    claude");
  await type("Left");
  await shows("❯ Agent    claude");
  await type("Tab", "C-u");
  await type("-l", "/no/such");
  // What came in one read with it would be part of a paste.
  await shows("Folder   /no/such");
  await type("Enter");
  await shows("There is no folder /no/such");
  await type("C-u");
  await type("-l", harness.root);
  await type("Down", "Down");
  await type("-l", "split refunds");
  await shows("Task     split refunds");
  await type("Enter");
  await shows("claude runs in session work");
  await until(() => harness.received(harness.root).length > 0, "the task is there", LIMIT_MS);
  expect(harness.received(harness.root)).toEqual(["split refunds"]);
  await type("Escape");
  await shows("Claude Code");
});

it("a session, after a yes; nothing is started without one", { timeout: LIMIT_MS }, async () => {
  const { shows, showsNot, type } = picker;
  await shows("No agents in tmux.");
  await type("h");
  await shows("❯ [2Jmake it smaller");
  await type("r");
  await shows("Resume this session?");
  await wait(READING);
  await type("n");
  await showsNot("Resume this session?");
  expect(harness.starts()).toEqual([]);
  await type("r");
  await shows("Resume this session?");
  await wait(READING);
  await type("y");
  await shows(`claude --resume ${ID} runs in session`);
  expect(harness.starts()).toEqual([{ folder: harness.root, args: `--resume ${ID}` }]);
});

it(
  "an agent that asks first: its card is the selected one, and its task follows",
  { timeout: LIMIT_MS },
  async () => {
    await picker.close();
    await harness.close();
    harness = await openStartHarness({ working: TRUST });
    picker = await openRealPicker(harness);
    const { shows, type } = picker;
    await shows("No agents in tmux.");
    await type("+");
    await shows("❯ Agent    claude");
    await type("Tab", "C-u");
    await type("-l", harness.root);
    await type("Down", "Down");
    await type("-l", "split refunds");
    await shows("Task     split refunds");
    // The letters of its keys, typed on while it starts, answer nothing.
    await type("Enter");
    await shows("starting…");
    await type("a");
    await shows("Answer it; then its task is sent.");
    await shows("Yes, I trust this folder");
    expect(harness.received(harness.root)).toEqual([]);
    const [row] = harness.agents();
    await harness.tmux.run("send-keys", "-t", String(row?.identity.pane_id), "Escape");
    await until(() => harness.received(harness.root).length > 1, "the task is there", LIMIT_MS);
    expect(harness.received(harness.root)).toEqual(["escape", "split refunds"]);
  },
);
