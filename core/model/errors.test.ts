// The error class across bundles: the built command line has several copies of this module in one process.
import { expect, it } from "vitest";
import * as errors from "./errors.ts";

/** Another evaluation of the module, as in another bundle. */
const loadCopy = async (): Promise<typeof errors> => {
  const path: string = "./errors.ts?copy";
  return import(path);
};

it("recognises an error of another copy of itself, and nothing else", async () => {
  const copy = await loadCopy();
  expect(copy.AgtmuxError).not.toBe(errors.AgtmuxError);
  const other = new copy.AgtmuxError("E_DAEMON_UNAVAILABLE", "the daemon is gone");
  expect(other).toBeInstanceOf(errors.AgtmuxError);
  const strange = Object.assign(new Error("x"), { name: "AgtmuxError", code: "E_OF_A_NEWER_VERSION" });
  for (const value of [
    strange,
    new Error("x"),
    { name: "AgtmuxError", code: other.code },
    null,
    "AgtmuxError",
  ])
    expect(value instanceof errors.AgtmuxError).toBe(false);
});
