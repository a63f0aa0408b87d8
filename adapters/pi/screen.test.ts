import { expect, it } from "vitest";
import { frameOf } from "../testkit/recordings.ts";
import { readPiScreen } from "./screen.ts";

const frame = (name: string) => frameOf("pi", name);
const INTERRUPTED = frame("interrupted_70");
const reasonWith = (...blocks: string[]): string | undefined => {
  const at = INTERRUPTED.lines.indexOf(" Operation aborted");
  const below = blocks.flatMap((block) => ["", block]);
  const lines = INTERRUPTED.lines.toSpliced(at + 1, 0, ...below);
  return readPiScreen({ ...INTERRUPTED, lines })?.status.reasonCode;
};

it("a turn has ended well where its answer stands last, and not where a single block follows an interrupt", () => {
  expect(reasonWith()).toBe("interrupted");
  expect(reasonWith(" Session name set")).toBe("fresh");
  expect(reasonWith(" go on", " done")).toBe("turn_ended");
  expect(reasonWith(" go on", " Took 3.2s")).toBe("fresh");
});

it("retries that the person cancelled are an interrupt, whatever failed before", () => {
  const screen = frame("retry_cancelled");
  expect(readPiScreen(screen)?.status).toEqual({ state: "idle", reasonCode: "interrupted" });
  const more = screen.lines.map((line) => line.replace("after 1 retry attempt", "after 3 retry attempts"));
  expect(readPiScreen({ ...screen, lines: more })?.status.reasonCode).toBe("interrupted");
});

it("no turn has ended in a session in which nothing was answered", () => {
  const { lines, ...rest } = frame("completed_70");
  const unanswered = lines.map((line) => line.replace(/↑\d+ ↓\d+ /, ""));
  expect(readPiScreen({ ...rest, lines })?.status.reasonCode).toBe("turn_ended");
  expect(readPiScreen({ ...rest, lines: unanswered })?.status.reasonCode).toBe("fresh");
});

it("the box has at most four rows with text below it", () => {
  const { lines, ...rest } = frame("completed_70");
  const usage = lines.findIndex((line) => line.startsWith("↑10"));
  const below = (rows: number) =>
    readPiScreen({
      ...rest,
      lines: lines.toSpliced(usage + 1, 0, ...Array.from({ length: rows - 2 }, () => " of an extension")),
    });
  expect(below(4)?.status.state).toBe("completed");
  expect(below(5)).toBeNull();
});
