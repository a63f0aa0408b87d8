import { expect, it } from "vitest";
import { markerOf, parseTranscript } from "./tmuxCommand.ts";

const NONCE = "0123456789abcdef";
const marker = (index: number): string => markerOf(NONCE, index);

it("gives each command its lines, empty ones included", () => {
  const stdout = [marker(0), "a", "", "b", marker(1), marker(2), "", marker(3), ""].join("\n");
  expect(parseTranscript(stdout, NONCE, 3)).toEqual([["a", "", "b"], [], [""]]);
});

it("does not let content end its answer or begin another's", () => {
  const hostile = ["%end 1 2 1", markerOf("f".repeat(16), 1), `${marker(1)} `, ` ${marker(1)}`];
  const stdout = ["before", marker(0), ...hostile, marker(1), "second", marker(2), "after"].join("\n");
  expect(parseTranscript(stdout, NONCE, 2)).toEqual([hostile, ["second"]]);
});

it("trusts nothing of an output in which a marker is missing", () => {
  expect(parseTranscript("", NONCE, 1)).toBe(null);
  expect(parseTranscript([marker(0), "half"].join("\n"), NONCE, 1)).toBe(null);
  expect(parseTranscript([marker(0), "a", marker(2)].join("\n"), NONCE, 2)).toBe(null);
  expect(parseTranscript([marker(1), "a", marker(0)].join("\n"), NONCE, 1)).toBe(null);
});
