import { describe, expect, it } from "vitest";
import { fitsAtOnce } from "./requestText.ts";
import { partOf } from "../../test/fakes/partOf.ts";

describe("a request fits at once", () => {
  it.each([
    ["one command", { body: "make test" }, true],
    ["twelve lines", { body: Array(12).fill("make").join("\n") }, true],
    ["thirteen lines", { body: Array(13).fill("make").join("\n") }, false],
    ["one long line", { body: "x".repeat(600) }, false],
    ["a path and what is written to it", { body: "a.ts", content: "+one\n+two" }, true],
    ["a path and a long difference", { body: "a.ts", content: Array(40).fill("+x").join("\n") }, false],
    ["nothing", { body: null }, true],
  ])("%s: %j", (_name, request, fits) =>
    expect(fitsAtOnce(partOf({ content: undefined, remark: undefined, ...request }))).toBe(fits),
  );
});
