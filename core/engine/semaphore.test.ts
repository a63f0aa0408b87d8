import { expect, it } from "vitest";
import { createKeyedMutex, createSemaphore } from "./semaphore.ts";

it("lets so many work at once, the others in their order, also after failures", async () => {
  const semaphore = createSemaphore(2);
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
    Promise.allSettled(Array.from({ length: count }, (_, index) => semaphore.run(work(index))));
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

it("gives its places in order, and never more than there are", async () => {
  const semaphore = createSemaphore(2);
  const taken: number[] = [];
  const releases = await Promise.all([semaphore.acquire(), semaphore.acquire()]);
  const third = semaphore.acquire().then((release) => (taken.push(3), release));
  const fourth = semaphore.acquire().then((release) => (taken.push(4), release));
  expect(taken).toEqual([]);
  releases[0]();
  releases[0]();
  await third;
  expect(taken).toEqual([3]);
  (await third)();
  await fourth;
  expect(taken).toEqual([3, 4]);
});

it("under one key lets one work at a time, in order and whatever becomes of it; other keys go on beside it", async () => {
  const mutex = createKeyedMutex();
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const work = (name: string) => async (): Promise<string> => {
    begun.push(name);
    await new Promise<void>((end) => ends.push(end));
    if (name === "a") throw new Error("a failed");
    return name;
  };
  const [a, b, c] = [mutex.run("one", work("a")), mutex.run("one", work("b")), mutex.run("one", work("c"))];
  const other = mutex.run("two", work("d"));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  expect(begun).toEqual(["a", "d"]);
  for (const end of ends) end();
  await expect(a).rejects.toThrow("a failed");
  await settle();
  expect(begun).toEqual(["a", "d", "b"]);
  ends[2]?.();
  await settle();
  ends[3]?.();
  expect(await Promise.all([b, c, other])).toEqual(["b", "c", "d"]);
  expect(begun).toEqual(["a", "d", "b", "c"]);
});
