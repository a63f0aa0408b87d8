import { describe, expect, it } from "vitest";
import { fitsAtOnce, isOneLine } from "./requestText.ts";

describe("a request fits at once", () => {
  it.each([
    ["one command", { body: "make test" }, true],
    ["twelve lines", { body: Array(12).fill("make").join("\n") }, true],
    ["thirteen lines", { body: Array(13).fill("make").join("\n") }, false],
    ["one long line", { body: "x".repeat(600) }, false],
    ["a path and what is written to it", { body: "a.ts", content: "+one\n+two" }, true],
    ["a path and a long difference", { body: "a.ts", content: Array(40).fill("+x").join("\n") }, false],
    ["nothing", { body: null }, true],
  ])("%s: %j", (_name, request, fits) => expect(fitsAtOnce(request)).toBe(fits));
});

describe("one line has all of it", () => {
  const request = (more: object) => ({
    kind: "command" as const,
    title: "Bash",
    body: "make test",
    is_whole: true,
    tool_name: null,
    options: [],
    expires_at: null,
    ...more,
  });
  it.each([
    ["a plain command", {}, true],
    ["two lines", { body: "make\nrm -rf build" }, false],
    ["two blanks", { body: "rm -rf /tmp/a  b" }, false],
    ["what an edit writes", { kind: "edit" as const, content: "+x" }, false],
  ])("%s", (_name, more, isAll) => expect(isOneLine(request(more))).toBe(isAll));
});
