// What is armed, in the picker, as a person meets it: a text that waits for the end of a turn, held, released, sent and cancelled, on
// a real daemon and an agent in tmux.
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { openHarness, type Harness } from "../actions/actionHarness.ts";
import { openAgent } from "../actions/agentPane.ts";
import { serveDaemon } from "../harness/commandLine.ts";
import { until } from "../setup/realClock.ts";
import { READING } from "./pickerHarness.ts";
import { openRealPicker, type RealPicker } from "./realPicker.ts";

const AFTER_TYPING = 800;

interface Test {
  onTestFinished(close: () => Promise<void>): void;
}
/** Gone with its test. */
const openServed = async (test: Test): Promise<Harness> => {
  const harness = await openHarness();
  const stopServing = await serveDaemon(harness.daemon);
  test.onTestFinished(async () => {
    await stopServing();
    await harness.close();
  });
  return harness;
};
const openPicker = async (test: Test, harness: Harness): Promise<RealPicker> => {
  const picker = await openRealPicker(harness);
  test.onTestFinished(() => picker.close());
  return picker;
};

it.concurrent("waits for the end of the turn, is held and released, and says what it did", async (test) => {
  const harness = await openServed(test);
  const agent = await openAgent(harness, { turnMs: 8_000 });
  await harness.tmux.run("send-keys", "-t", agent.paneId, "-l", "a turn");
  await wait(300);
  await harness.tmux.run("send-keys", "-t", agent.paneId, "Enter");
  await harness.daemon.untilState(agent.paneId, "running");
  const { shows, showsNot, type } = await openPicker(test, harness);
  await shows("1 working");
  await type("r");
  await shows("Tab: when it is ready");
  await type("-l", "now the docs");
  await type("Tab");
  await shows("Reply when it is ready");
  await shows("Sends when the agent is idle and its input box is empty.");
  await type("Enter");
  await shows("Scheduled. Sends when");
  await shows("1 queued");

  // Letters right after the text field closed are meant for it.
  await wait(AFTER_TYPING);
  await type("l");
  await shows("❯ now the docs");
  await shows("once it is idle");
  await type("p");
  await shows("held");
  await harness.daemon.until(agent.paneId, ({ state }) => state === "completed", 15_000);
  await wait(2_000);
  expect(agent.received()).toEqual(["a turn"]);
  await type("p");
  await until(() => agent.received().length === 2, "the text has arrived", 15_000);
  expect(agent.received()).toEqual(["a turn", "now the docs"]);
  await shows("❯ A text that was sent");
  await type("Enter");
  await shows("What it did");
  await shows("ago  sent");
  await type("Escape");
  await showsNot("What it did");
  await type("Escape");
  await shows("all keys");
});

it.concurrent("is paused with all others, and cancelled once the person says so again", async (test) => {
  const harness = await openServed(test);
  const agent = await openAgent(harness);
  const { shows, type } = await openPicker(test, harness);
  await shows("Nobody waits");
  await type("l");
  await shows("No automation yet.");
  await type("P");
  await shows("Paused for");
  await type("Escape");
  await shows("all keys");
  await type("r");
  await shows("Reply to the agent");
  await type("-l", "not any more");
  await type("Tab");
  await shows("Enter: schedule");
  await type("Enter");
  await shows("1 queued");
  await wait(AFTER_TYPING);
  await type("l");
  await shows("❯ not any more");
  await type("x");
  await shows("Cancel this job?");
  await wait(READING);
  await type("n");
  await shows("❯ not any more");
  await type("x");
  await shows("Cancel this job?");
  await wait(READING);
  await type("y");
  await shows("❯ A text that was not sent");
  await shows("cancelled");
  await type("P");
  await wait(2_500);
  expect(agent.received()).toEqual([]);
});
