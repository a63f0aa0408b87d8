import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadRecording } from "../../adapters/testkit/recordings.ts";
import { screenRows, fitHeight, reflow, reflowLine, wrapLine } from "../../bench/detect/reflow.ts";

const at = (line: string, from: number, to: number) => reflowLine(line, from, to);

describe("a frame at another width", () => {
  it("stretches and shrinks what is drawn across", () => {
    expect(at("─".repeat(40), 40, 60)).toEqual(["─".repeat(60)]);
    expect(at(`╭─ Allow tool: bash ${"─".repeat(19)}╮`, 40, 30)).toEqual([
      `╭─ Allow tool: bash ${"─".repeat(9)}╮`,
    ]);
    expect(at(`─0.0%${"─".repeat(20)}┃${"─".repeat(12)}─9`, 40, 30)[0]).toHaveLength(30);
  });

  it("keeps the frame of a box around its text, also of a box in a box", () => {
    expect(at(`│ ${"❯ 1. Yes, and do not ask again in here".padEnd(41)}│`, 44, 30)).toEqual([
      "│ ❯ 1. Yes, and do not ask   │",
      "│      again in here         │",
    ]);
    expect(at(`│ ╭${"─".repeat(34)}╮ │`, 40, 50)).toEqual([`│ ╭${"─".repeat(44)}╮ │`]);
    expect(at(`│ │ ${"touch a.txt".padEnd(32)} │ │`, 40, 30)).toEqual([
      `│ │ ${"touch a.txt".padEnd(22)} │ │`,
    ]);
  });

  it("hangs wrapped text under its own beginning, and behind its bar", () => {
    expect(wrapLine("   2. Yes, and always allow it", 20)).toEqual([
      "   2. Yes, and",
      "      always allow",
      "      it",
    ]);
    expect(wrapLine("x".repeat(25), 10)).toEqual(["x".repeat(10), "x".repeat(10), "x".repeat(5)]);
    expect(at("  ┃  one two three four", 40, 18)).toEqual(["  ┃  one two three", "  ┃  four"]);
  });

  it("leaves at the right edge what stands there, and drops it where both no longer fit", () => {
    const line = ` ~/project${" ".repeat(20)}gpt-4.1`.padStart(40);
    expect(at(line, 40, 50)[0]).toMatch(/ gpt-4\.1$/);
    expect(at(line, 40, 50)[0]).toHaveLength(50);
    expect(at("a line that is long     with its hint", 40, 22)).toEqual(["a line that is long"]);
  });

  it("loses trailing blanks first, then gaps, then the top", () => {
    expect(fitHeight(["a", "b", "", ""], 2)).toEqual(["a", "b"]);
    expect(fitHeight(["a", "", "", "", "b"], 3)).toEqual(["a", "", "b"]);
    expect(fitHeight(["a", "b", "c"], 2)).toEqual(["b", "c"]);
  });

  it("is the recording itself at the recorded width, and never wider than asked", () => {
    const folder = join(import.meta.dirname, "../fixtures/recordings/copilot");
    const recording = loadRecording(folder, "waiting_approval");
    expect(screenRows(reflow(recording, recording.width))).toEqual(screenRows(recording));
    for (const width of [60, 80, 100]) {
      const lines = screenRows(reflow(recording, width));
      expect(lines.filter((line) => Array.from(line).length > width)).toEqual([]);
      expect(lines.length).toBeLessThanOrEqual(recording.height);
      expect(lines.join("\n").replaceAll(/[\s│]+/g, " ")).toContain(
        "No, and tell Copilot what to do differently",
      );
    }
  });
});
