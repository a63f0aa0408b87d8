import { expect, it } from "vitest";
import { fromErrorShape } from "./wire.ts";

const shapeOf = (data: unknown) => ({ message: "no", data });

it("takes the daemon's own errors as they are", () => {
  const error = fromErrorShape(
    shapeOf({ agtmuxCode: "E_REF_NOT_FOUND", remedy: "List them.", details: ["a"] }),
  );
  expect([error.code, error.remedy, error.details]).toEqual(["E_REF_NOT_FOUND", "List them.", ["a"]]);
});

it.each([
  ["a code that every object has a member of", { agtmuxCode: "toString", remedy: "x", details: [] }],
  ["the prototype as a code", { agtmuxCode: "__proto__", remedy: "x", details: [] }],
  ["details that are no texts", { agtmuxCode: "E_USAGE", remedy: "x", details: [1] }],
  ["nothing", null],
])("counts %s as an internal error", (_what, data) => {
  expect(fromErrorShape(shapeOf(data)).code).toBe("E_INTERNAL");
});
