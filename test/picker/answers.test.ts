// The heart of the picker: one key answers the request that was on the screen. What answers nothing is in answers.slow.test.ts.
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { openPicker, READING, type OpenPicker } from "./pickerHarness.ts";
import { someAgents } from "./pickerPanes.ts";

const pickers: OpenPicker[] = [];
afterAll(async () => {
  for (const picker of pickers) await picker.close();
});

/** Read by the person who then presses a key. */
const open = async (): Promise<OpenPicker> => {
  const picker = await openPicker({ panes: someAgents() });
  pickers.push(picker);
  await picker.shows("need");
  await wait(READING);
  return picker;
};

it.concurrent("approves the first wait with one key, bound to the prompt that was shown", async () => {
  const picker = await open();
  await picker.type("a");
  await picker.untilAsked("answer", 1);
  expect(picker.asked("answer")).toMatchObject([
    { surface: "picker", choice: { kind: "approve" }, guards: { ifPrompt: "print-12", ifRuntime: "rt12" } },
  ]);
  await picker.shows("Delivered.");
});

it.concurrent.each([
  [["d"], { kind: "deny" }],
  [["2"], { kind: "option", number: 2 }],
])("answers by %j", async (keys, choice) => {
  const picker = await open();
  await picker.type(...keys);
  await picker.untilAsked("answer", 1);
  expect(picker.asked("answer")).toMatchObject([{ choice, guards: { ifPrompt: "print-12" } }]);
});
