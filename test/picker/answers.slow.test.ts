// Keys of the picker that answer: each for one request that was on the screen, whole and long enough; anything else presses nothing.
import { setTimeout as wait } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { openPicker, READING, type OpenPicker, type PickerOptions } from "./pickerHarness.ts";
import {
  commandRequest,
  editRequest,
  longEdit,
  questionRequest,
  severalRequest,
  someAgents,
  waiting,
} from "./pickerPanes.ts";

interface Test {
  onTestFinished(close: () => Promise<void>): void;
}
/** Closed with its test. */
const openBare = async (test: Test, options: PickerOptions): Promise<OpenPicker> => {
  const picker = await openPicker(options);
  test.onTestFinished(() => picker.close());
  return picker;
};
const open = async (test: Test, options: PickerOptions): Promise<OpenPicker> => {
  const picker = await openBare(test, options);
  await picker.shows("need");
  return picker;
};
const read = () => wait(READING);

/** Answered waits leave the list, as with a real daemon. */
const takeAnswers = (picker: OpenPicker): void => {
  const answer = picker.daemon.answer.bind(picker.daemon);
  picker.daemon.answer = async (input) => {
    const result = await answer(input);
    picker.daemon.remove(input.ref);
    return result;
  };
};

const waits = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    waiting(count - index, commandRequest(`make step-${index + 1}`)),
  );

it.concurrent("answers ten waits with ten keys and no other", async (test) => {
  const picker = await open(test, { panes: waits(10), rows: 40 });
  takeAnswers(picker);
  for (let count = 1; count <= 10; count += 1) {
    await wait(READING + 150);
    await picker.type("a");
    await picker.untilAsked("answer", count);
  }
  const answered = picker.asked("answer").map((input) => (input as { ref: string }).ref);
  expect(new Set(answered).size).toBe(10);
});

it.concurrent("ticks several options, and sends them together", async (test) => {
  const picker = await open(test, { panes: [waiting(1, severalRequest)], rows: 40 });
  await picker.shows("Question 2 of 2 · Sizes");
  await wait(READING + 150);
  // Keys that follow each other faster than a person answers are taken for a text, and a key that comes again for a held one.
  for (const [key, shown] of [
    ["2", "[x] Large"],
    ["1", "[x] Small"],
    ["2", "[ ] Large"],
  ] as const) {
    await picker.type(key);
    await picker.shows(shown);
    await read();
  }
  expect(picker.asked("answer")).toEqual([]);
  await picker.type("0");
  await picker.untilAsked("answer", 1);
  expect(picker.asked("answer")).toMatchObject([{ choice: { kind: "options", numbers: [1] } }]);
});

it.concurrent("answers nothing that is pasted or typed as a text", async (test) => {
  const picker = await open(test, { panes: waits(3) });
  await read();
  await picker.tmux.run("set-buffer", "a");
  await picker.tmux.run("paste-buffer", "-p", "-t", picker.paneId);
  await wait(400);
  await picker.type("-l", "banana and a");
  await wait(800);
  expect(picker.asked("answer")).toEqual([]);
});

it.concurrent("opens an edit that does not fit instead of approving it, and approves it once it was read to its end", async (test) => {
  const picker = await open(test, { panes: [waiting(1, longEdit(60))], rows: 24 });
  await picker.shows("Show all 60");
  await read();
  await picker.type("a");
  await picker.shows("more lines below");
  await read();
  await picker.type("a");
  await picker.shows("Read it to the end first");
  for (let page = 0; page < 3; page += 1) await picker.type("Space");
  await picker.shows("row59");
  await wait(READING + 800);
  await picker.type("a");
  await picker.untilAsked("answer", 1);
  expect(picker.asked("answer")).toMatchObject([{ choice: { kind: "approve" } }]);
});

it.concurrent("approves an edit that fits the whole screen with three keys from anywhere", async (test) => {
  const picker = await open(test, {
    panes: [...waits(1), waiting(1, longEdit(18), { session: "z" })],
    rows: 34,
  });
  await read();
  await picker.type("n");
  await read();
  await picker.type("w");
  await picker.shows("row17");
  await read();
  await picker.type("a");
  await picker.untilAsked("answer", 1);
});

it.concurrent("denies a request that is not shown whole, and does not approve it", async (test) => {
  const picker = await open(test, {
    panes: [waiting(1, { ...commandRequest("make all"), is_whole: false })],
  });
  await picker.shows("Not shown in full");
  await read();
  await picker.type("a");
  await picker.shows("Refused.");
  expect(picker.asked("answer")).toEqual([]);
  await wait(500);
  await picker.type("d");
  await picker.untilAsked("answer", 1);
});

it.concurrent("types an answer to a question; letters of it answer nothing", async (test) => {
  const picker = await open(test, { panes: [waiting(9, questionRequest), ...waits(2)], rows: 40 });
  await picker.shows(/▌\? Question/);
  await read();
  await picker.type("r");
  await picker.shows("Answer the question");
  await picker.type("-l", "half to even, as a bank does");
  await picker.shows("as a bank does");
  await picker.type("Enter");
  await picker.untilAsked("answer", 1);
  expect(picker.asked("answer")).toMatchObject([
    { choice: { kind: "text", text: "half to even, as a bank does" } },
  ]);
});

it.concurrent("interrupts and kills after it asked once", async (test) => {
  const picker = await open(test, { panes: [...waits(1)] });
  await picker.type("i");
  await picker.shows("Interrupt “");
  await read();
  await picker.type("y");
  await picker.untilAsked("interrupt", 1);
  await wait(400);
  await picker.type("x");
  await picker.shows("process 4242");
  await read();
  await picker.type("z");
  await picker.showsNot("process 4242");
  expect(picker.asked("kill")).toEqual([]);
  await wait(400);
  await picker.type("x");
  await picker.shows("process 4242");
  await read();
  await wait(900);
  await picker.type("y");
  await picker.untilAsked("kill", 1);
});

it.concurrent("keeps an edit's sign and text to the letter at every width", async (test) => {
  const line = `+  ${"const value = compute(first, second); ".repeat(6)}END`;
  const picker = await open(test, { panes: [waiting(1, editRequest("src/a.ts", line))], rows: 40 });
  for (const columns of [60, 80, 140, 250]) {
    await picker.resize(columns, 40);
    await picker.shows("END");
    await vi.waitFor(
      async () => {
        const screen = await picker.screen();
        const shown = screen
          .split("\n")
          .map((row) => row.split("│")[0]!.replace(/^▌ {2}/, ""))
          .join("");
        expect(shown.replaceAll(/\s/g, "")).toContain(line.replaceAll(/\s/g, ""));
      },
      { timeout: 5_000, interval: 50 },
    );
  }
});

// One by one: how fast keys follow each other is what they are about.
it("answers one wait when the key is pressed twenty times in 200 ms", async (test) => {
  const picker = await open(test, { panes: waits(6), rows: 40 });
  takeAnswers(picker);
  await read();
  for (let press = 0; press < 20; press += 1) {
    void picker.type("a");
    await wait(10);
  }
  await wait(1_500);
  expect(picker.asked("answer")).toHaveLength(1);
});

it("answers one wait while the key is held: after half a second, thirty times a second", async (test) => {
  const picker = await open(test, { panes: waits(6), rows: 40 });
  takeAnswers(picker);
  await read();
  await picker.hold("a", { firstMs: 500, everyMs: 33, times: 40 });
  await wait(1_000);
  expect(picker.asked("answer")).toHaveLength(1);
});

it("says so when another answer is pressed while one is under way, and sends only the first", async (test) => {
  const picker = await open(test, { panes: someAgents() });
  const release = picker.daemon.gate.hold();
  await read();
  await picker.type("a");
  await picker.shows("Answering…");
  await wait(150);
  await picker.type("d");
  await picker.shows("Answering… The second answer wasn't sent.");
  release();
  await picker.shows(/Delivered\..*The second answer wasn't sent\./);
  expect(picker.asked("answer")).toMatchObject([{ choice: { kind: "approve" } }]);
});

it("drops keys that were typed before anything was drawn", async (test) => {
  const picker = await openBare(test, { panes: waits(3) });
  for (let press = 0; press < 8; press += 1) await picker.type("a", "d", "1");
  await picker.shows("need you");
  await wait(1_000);
  expect(picker.asked("answer")).toEqual([]);
});

it("drops a key that comes together with the card that it would answer", async (test) => {
  const picker = await openBare(test, { panes: [] });
  await picker.shows("No agents in tmux");
  picker.daemon.put(waiting(2, commandRequest("rm -rf /tmp/build")));
  await picker.type("a");
  await picker.shows("rm -rf");
  await wait(600);
  expect(picker.asked("answer")).toEqual([]);
  await picker.type("a");
  await picker.untilAsked("answer", 1);
});
