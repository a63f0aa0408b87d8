import { describe, expect, it } from "vitest";
import { markerOf, parseControlTranscript, parseProcessTranscript } from "./transcript.ts";

const NONCE = "0123456789abcdef";
let number = 0;
const block = (lines: readonly string[], end = "%end"): string[] => {
  const numbers = `1700000000 ${++number} 1`;
  return [`%begin ${numbers}`, ...lines, `${end} ${numbers}`];
};
const marker = (index: number): string[] => block([markerOf(NONCE, index)]);
/** As received: the last marker's own end comes later. */
const transcript = (...parts: readonly string[][]): string[] => parts.flat().slice(0, -1);

describe("parseControlTranscript", () => {
  it("gives each command its answer, failed ones included, and the notifications around them", () => {
    const lines = transcript(
      ["%session-changed $1 x"],
      marker(0),
      ["%unlinked-window-add @1"],
      block(["a", "", "b"]),
      ["%sessions-changed"],
      marker(1),
      block(["can't find pane: %9"], "%error"),
      marker(2),
      block([]),
      marker(3),
    );
    expect(parseControlTranscript(lines, NONCE, 3)).toEqual({
      answers: [
        { isOk: true, lines: ["a", "", "b"] },
        { isOk: false, lines: ["can't find pane: %9"] },
        { isOk: true, lines: [] },
      ],
      notifications: ["%session-changed $1 x", "%unlinked-window-add @1", "%sessions-changed"],
    });
  });

  it("does not let content close its block or open another's, even with the right numbers", () => {
    const own = number + 2;
    const hostile = [
      `%end 1700000000 ${own} 1`,
      `%error 1700000000 ${own} 1`,
      `%begin 1700000000 ${own + 1} 1`,
      markerOf("f".repeat(16), 1),
      "%exit",
      `%end 1700000000 ${own + 1} 1`,
    ];
    const lines = transcript(marker(0), block(hostile), marker(1), block(["second"]), marker(2));
    expect(parseControlTranscript(lines, NONCE, 2)).toEqual({
      answers: [
        { isOk: true, lines: hostile },
        { isOk: true, lines: ["second"] },
      ],
      notifications: [],
    });
  });

  it("trusts nothing of a transcript that is not of the form", () => {
    expect(parseControlTranscript([], NONCE, 1)).toBe(null);
    expect(parseControlTranscript(transcript(marker(0), marker(1)), NONCE, 1)).toBe(null);
    expect(parseControlTranscript(transcript(marker(0), block(["x"]), marker(2)), NONCE, 1)).toBe(null);
    const unclosed = transcript(marker(0), ["%begin 1 2 3", "x"], marker(1));
    expect(parseControlTranscript(unclosed, NONCE, 1)).toBe(null);
  });
});

describe("parseProcessTranscript", () => {
  it("splits at the markers and stops where tmux stopped", () => {
    const stdout = [
      markerOf(NONCE, 0),
      "a",
      markerOf(NONCE, 1),
      "",
      "%end 1 2 3",
      markerOf(NONCE, 2),
      "half",
    ].join("\n");
    expect(parseProcessTranscript(stdout, NONCE, 3)).toEqual([
      { isOk: true, lines: ["a"] },
      { isOk: true, lines: ["", "%end 1 2 3"] },
    ]);
    expect(parseProcessTranscript("", NONCE, 1)).toEqual([]);
  });
});
