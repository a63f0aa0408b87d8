// Keys of the picker that answer: each for one request that was on the screen, whole and long enough; anything else presses nothing.
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { openPicker, READING, type OpenPicker, type PickerOptions } from "./pickerHarness.ts";
import {
  commandRequest,
  editRequest,
  longEdit,
  questionRequest,
  someAgents,
  waiting,
} from "./pickerPanes.ts";

let picker: OpenPicker;
afterEach(() => picker.close());

const open = async (options: PickerOptions): Promise<void> => {
  picker = await openPicker(options);
  await picker.shows("need");
};
const read = () => wait(READING);
const untilAsked = (action: string, count: number) =>
  vi.waitFor(() => expect(picker.asked(action)).toHaveLength(count), { timeout: 5_000, interval: 20 });

/** Answered waits leave the list, as with a real daemon. */
const takeAnswers = (): void => {
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

it("approves the first wait with one key, bound to the prompt that was shown", async () => {
  await open({ panes: someAgents() });
  await read();
  await picker.type("a");
  await untilAsked("answer", 1);
  expect(picker.asked("answer")).toMatchObject([
    { surface: "picker", choice: { kind: "approve" }, guards: { ifPrompt: "print-12", ifRuntime: "rt12" } },
  ]);
  await picker.shows("Delivered.");
});

it.each([
  [["d"], { kind: "deny" }],
  [["2"], { kind: "option", number: 2 }],
])("answers by %j", async (keys, choice) => {
  await open({ panes: someAgents() });
  await read();
  await picker.type(...keys);
  await untilAsked("answer", 1);
  expect(picker.asked("answer")).toMatchObject([{ choice, guards: { ifPrompt: "print-12" } }]);
});

it("answers ten waits with ten keys and no other", async () => {
  await open({ panes: waits(10), rows: 40 });
  takeAnswers();
  for (let count = 1; count <= 10; count += 1) {
    await wait(READING + 150);
    await picker.type("a");
    await untilAsked("answer", count);
  }
  const answered = picker.asked("answer").map((input) => (input as { ref: string }).ref);
  expect(new Set(answered).size).toBe(10);
});

it("answers one wait when the key is pressed twenty times in 200 ms", async () => {
  await open({ panes: waits(6), rows: 40 });
  takeAnswers();
  await read();
  for (let press = 0; press < 20; press += 1) {
    void picker.type("a");
    await wait(10);
  }
  await wait(1_500);
  expect(picker.asked("answer")).toHaveLength(1);
});

it("answers one wait while the key is held: after half a second, thirty times a second", async () => {
  await open({ panes: waits(6), rows: 40 });
  takeAnswers();
  await read();
  await picker.type("a");
  await wait(500);
  for (let press = 0; press < 40; press += 1) {
    void picker.type("a");
    await wait(33);
  }
  await wait(1_000);
  expect(picker.asked("answer")).toHaveLength(1);
});

it("says so when another answer is pressed while one is under way, and sends only the first", async () => {
  await open({ panes: someAgents() });
  const release = picker.daemon.gate.hold();
  await read();
  await picker.type("a");
  await picker.shows("Answering…");
  await wait(150);
  await picker.type("d");
  await picker.shows("Answering… The further answer was not sent.");
  release();
  await picker.shows(/Delivered\..*The further answer was not sent\./);
  expect(picker.asked("answer")).toMatchObject([{ choice: { kind: "approve" } }]);
});

it("drops keys that were typed before anything was drawn", async () => {
  picker = await openPicker({ panes: waits(3) });
  for (let press = 0; press < 8; press += 1) await picker.type("a", "d", "1");
  await picker.shows("need you");
  await wait(1_000);
  expect(picker.asked("answer")).toEqual([]);
});

it("drops a key that comes together with the card that it would answer", async () => {
  picker = await openPicker({ panes: [] });
  await picker.shows("No agent runs");
  picker.daemon.put(waiting(2, commandRequest("rm -rf /tmp/build")));
  await picker.type("a");
  await picker.shows("rm -rf");
  await wait(600);
  expect(picker.asked("answer")).toEqual([]);
  await picker.type("a");
  await untilAsked("answer", 1);
});

it("answers nothing that is pasted or typed as a text", async () => {
  await open({ panes: waits(3) });
  await read();
  await picker.tmux.run("set-buffer", "a");
  await picker.tmux.run("paste-buffer", "-p", "-t", picker.paneId);
  await wait(400);
  await picker.type("-l", "banana and a");
  await wait(800);
  expect(picker.asked("answer")).toEqual([]);
});

it("opens an edit that does not fit instead of approving it, and approves it once it was read to its end", async () => {
  await open({ panes: [waiting(1, longEdit(60))], rows: 24 });
  await picker.shows("Show all 61");
  await read();
  await picker.type("a");
  await picker.shows("more lines below");
  await read();
  await picker.type("a");
  await picker.shows("Read it to its end first");
  for (let page = 0; page < 3; page += 1) await picker.type("Space");
  await picker.shows("row59");
  await wait(READING + 800);
  await picker.type("a");
  await untilAsked("answer", 1);
  expect(picker.asked("answer")).toMatchObject([{ choice: { kind: "approve" } }]);
});

it("approves an edit that fits the whole screen with three keys from anywhere", async () => {
  await open({ panes: [...waits(1), waiting(1, longEdit(18), { session: "z" })], rows: 34 });
  await read();
  await picker.type("n");
  await read();
  await picker.type("w");
  await picker.shows("row17");
  await read();
  await picker.type("a");
  await untilAsked("answer", 1);
});

it("denies a request that is not shown whole, and does not approve it", async () => {
  await open({ panes: [waiting(1, { ...commandRequest("make all"), is_whole: false })] });
  await picker.shows("Not shown whole");
  await read();
  await picker.type("a");
  await picker.shows("Refused.");
  expect(picker.asked("answer")).toEqual([]);
  await wait(500);
  await picker.type("d");
  await untilAsked("answer", 1);
});

it("types an answer to a question; letters of it answer nothing", async () => {
  await open({ panes: [waiting(9, questionRequest), ...waits(2)], rows: 40 });
  await picker.shows(/▌\? Question/);
  await read();
  await picker.type("r");
  await picker.shows("Answer the question");
  await picker.type("-l", "half to even, as a bank does");
  await picker.shows("as a bank does");
  await picker.type("Enter");
  await untilAsked("answer", 1);
  expect(picker.asked("answer")).toMatchObject([
    { choice: { kind: "text", text: "half to even, as a bank does" } },
  ]);
});

it("interrupts and kills after it asked once", async () => {
  await open({ panes: [...waits(1)] });
  await picker.type("i");
  await picker.shows("Interrupt Claude Code");
  await read();
  await picker.type("y");
  await untilAsked("interrupt", 1);
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
  await untilAsked("kill", 1);
});

it("keeps an edit's sign and text to the letter at every width", async () => {
  const line = `+  ${"const value = compute(first, second); ".repeat(6)}END`;
  await open({ panes: [waiting(1, editRequest("src/a.ts", line))], rows: 40 });
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
