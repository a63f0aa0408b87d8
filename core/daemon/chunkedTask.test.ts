import { expect, it } from "vitest";
import { createChunkedTask } from "./startTicking.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("takes one step in a turn, gives up the run before, and leaves the rest after a failure", async () => {
  const taken: string[] = [];
  const task = createChunkedTask((step) => {
    try {
      step();
    } catch {
      taken.push("failed");
    }
  });
  function* steps(name: string, count: number, failsAt = Infinity): Generator<undefined> {
    for (let index = 0; index < count; index += 1) {
      if (index === failsAt) throw new Error("no");
      taken.push(`${name}${index}`);
      yield;
    }
  }
  const takenAfter = async (turns: number): Promise<string> => {
    for (let index = 0; index < turns; index += 1) await turn();
    return taken.splice(0).join(" ");
  };
  task.run(steps("a", 3));
  expect(await takenAfter(0)).toBe("a0");
  expect(await takenAfter(1)).toBe("a1");
  task.run(steps("b", 3, 1));
  expect(await takenAfter(4)).toBe("b0 failed");
  task.run(steps("c", 9));
  task.stop();
  expect(await takenAfter(3)).toBe("c0");
});
