import { expect, it } from "vitest";
import { realClock } from "../../test/setup/realClock.ts";
import { endsWithin } from "./endsWithin.ts";

it("tells done and late apart, and fails as the work does", async () => {
  expect(await endsWithin(Promise.resolve(), 1_000, realClock)).toBe(true);
  expect(await endsWithin(new Promise(() => {}), 1, realClock)).toBe(false);
  await expect(endsWithin(Promise.reject(new Error("no")), 1_000, realClock)).rejects.toThrow("no");
});
