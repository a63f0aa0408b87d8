// A question that takes several answers, on real panes with the real daemon: which boxes are turned, and when nothing is submitted.
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { AnswerChoice } from "../../core/model/action.ts";
import { answerTo, openHarness, type Harness } from "./actionHarness.ts";
import { dialogOf, openDialogs } from "./dialogPane.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const SIZES = dialogOf("recordings/claude/question_multi_96_columns", {
  options: ["Small", "Large", "Type something", "Submit"],
  mark: "❯",
  boxes: 2,
});
const several = (...numbers: number[]): AnswerChoice => ({ kind: "options", numbers });
const shown = async (paneId: string, text: string): Promise<void> =>
  vi.waitFor(async () => expect(await harness.screen(paneId)).toContain(text));

it.concurrent.each([
  [several(1, 2), "Small+Large"],
  [several(2), "Large"],
])("%j is what is submitted", async (choice, chosen) => {
  const pane = await openDialogs(harness, "claude", [SIZES]);
  expect(pane.row.request).toMatchObject({
    is_whole: true,
    options: [
      { label: "Small", ticked: false, toggle: "1" },
      { label: "Large", ticked: false, toggle: "2" },
      { keys: null },
      { keys: ["4"] },
    ],
    submit: ["Down", "Down", "Down", "Enter"],
  });
  expect(await answerTo(harness, pane.row, choice)).toMatchObject({ outcome: "delivered" });
  expect(pane.chosen()).toEqual([["question_multi_96_columns", chosen]]);
});

it.concurrent("what somebody ticked meanwhile, and is not wanted, is turned back", async () => {
  const pane = await openDialogs(harness, "claude", [SIZES]);
  await harness.tmux.run("send-keys", "-t", pane.paneId, "1", "Down");
  await shown(pane.paneId, "1. [✔] Small");
  await shown(pane.paneId, "❯ 2. [ ] Large");
  expect(await answerTo(harness, pane.row, several(2))).toMatchObject({ outcome: "delivered" });
  expect(pane.chosen()).toEqual([["question_multi_96_columns", "Large"]]);
});

it.concurrent("nothing is submitted where a box does not turn", async () => {
  const pane = await openDialogs(harness, "claude", [{ ...SIZES, stuckBox: 1 }]);
  expect(await answerTo(harness, pane.row, several(1, 2))).toMatchObject({
    outcome: "not_delivered",
    detail: expect.stringContaining("Nothing was submitted") as string,
  });
  expect(pane.chosen()).toEqual([]);
});

it.concurrent.each([
  ["the field for a text", ["Down", "Down"], "❯ 3. [ ] Type something"],
  ["the row that submits", ["Down", "Down", "Down"], "❯    Submit"],
])("no key is sent while the mark stands on %s: it would be typed there", async (_where, keys, mark) => {
  const pane = await openDialogs(harness, "claude", [SIZES]);
  await harness.tmux.run("send-keys", "-t", pane.paneId, ...keys);
  await shown(pane.paneId, mark);
  await expect(answerTo(harness, pane.row, several(1))).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  expect(pane.chosen()).toEqual([]);
  // It is asked still, and read as that.
  await harness.daemon.until(
    pane.paneId,
    ({ state, request }) => state === "waiting_input" && request !== null,
  );
});

it.concurrent("an option without a box, and one that is not there, are refused before a key is sent", async () => {
  const pane = await openDialogs(harness, "claude", [SIZES]);
  for (const choice of [several(1, 4), several(9)])
    await expect(answerTo(harness, pane.row, choice)).rejects.toMatchObject({ code: "E_USAGE" });
  expect(pane.chosen()).toEqual([]);
  expect(await harness.screen(pane.paneId)).toContain("❯ 1. [ ] Small");
});

it.concurrent("a question that takes one answer refuses several, and takes one number as that option", async () => {
  const one = dialogOf("recordings/claude/question_one_96_columns", {
    options: ["Red", "Blue"],
    digits: "too",
  });
  const pane = await openDialogs(harness, "claude", [one]);
  await expect(answerTo(harness, pane.row, several(1, 2))).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  expect(pane.chosen()).toEqual([]);
  await answerTo(harness, pane.row, several(2));
  expect(pane.chosen()).toEqual([["question_one_96_columns", "Blue"]]);
});
