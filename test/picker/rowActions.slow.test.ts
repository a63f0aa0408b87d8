// What the picker keeps about a row for the person, by one key each, against a daemon with made-up panes.
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { AgtmuxError } from "../../core/model/errors.ts";
import { FakeAutomation } from "../fakes/fakeAutomation.ts";
import { makePane } from "../factories/view.ts";
import { openPicker, READING } from "./pickerHarness.ts";

interface Test {
  onTestFinished(close: () => Promise<void>): void;
}

const open = async (test: Test) => {
  const automation = new FakeAutomation();
  const pane = makePane({ state: "running", title: "Split the refund" });
  const picker = await openPicker({ panes: [pane], features: [automation] });
  test.onTestFinished(() => picker.close());
  await picker.shows("1 working");
  await wait(READING);
  return { picker, automation, pane };
};

it.concurrent("arms and ends a watch for the end of the turn; one that nobody would hear says so", async (test) => {
  const { picker, automation, pane } = await open(test);
  automation.failures.set(
    "watch",
    new AgtmuxError("E_UNSUPPORTED", "nobody would hear it; nothing was armed", {
      remedy: "Open the app or 'agtmux ui'.",
    }),
  );
  await picker.type("t");
  await picker.shows("Refused. Nobody would hear it; nothing was armed. Open the app or 'agtmux ui'.");
  await picker.type("t");
  await picker.shows("You'll be told when this turn is over.");
  expect(automation.items).toMatchObject([{ when: "done", runtime_id: "rt1", surface: "picker" }]);
  picker.daemon.refine(pane.identity.pane_ref, { armed: "tells when done" });
  await picker.shows("tells when done");
  await picker.type("t");
  await picker.shows("You won't be told");
  expect(automation.items).toMatchObject([{ state: "cancelled" }]);
  await picker.type("?");
  await picker.shows("Tell me when it's done; again: don't");
});
