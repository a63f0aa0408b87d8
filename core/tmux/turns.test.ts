import { expect, it } from "vitest";
import { createTurns } from "./turns.ts";

it("lets so many work at once, the others in their order, also after failures", async () => {
  const inTurn = createTurns(2);
  const begun: number[] = [];
  let atOnce = 0;
  let most = 0;
  const work = (index: number) => async (): Promise<number> => {
    begun.push(index);
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce -= 1;
    if (index % 3 === 0) throw new Error(`failed ${index}`);
    return index;
  };
  const run = (count: number) =>
    Promise.allSettled(Array.from({ length: count }, (_, index) => inTurn(work(index))));
  const results = await run(7);
  expect(results.map((result) => (result.status === "fulfilled" ? result.value : "failed"))).toEqual([
    "failed",
    1,
    2,
    "failed",
    4,
    5,
    "failed",
  ]);
  expect([most, atOnce]).toEqual([2, 0]);
  await run(3);
  expect([most, begun]).toEqual([2, [0, 1, 2, 3, 4, 5, 6, 0, 1, 2]]);
});
