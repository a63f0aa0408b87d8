// The order in which a daemon's parts end.
import { expect, it } from "vitest";
import { createClosing } from "./closing.ts";

it("ends what began last first, waits for each, and ends nothing twice", async () => {
  const { own, closeAll } = createClosing();
  const ended: string[] = [];
  own(() => void ended.push("store"));
  own(async () => {
    ended.push("collector stops");
    await Promise.resolve();
    ended.push("collector stopped");
  });
  own(
    () => void ended.push("tick"),
    () => void ended.push("retention"),
  );
  await closeAll();
  await closeAll();
  expect(ended).toEqual(["retention", "tick", "collector stops", "collector stopped", "store"]);
});
