import { expect, it } from "vitest";
import { captureScreens, cleanScreen } from "./topology.ts";
import type { TmuxServer } from "./tmuxServer.ts";
import { partOf } from "../../test/fakes/partOf.ts";

it("draws the tabs of a screen as blanks up to the next stop", () => {
  expect(cleanScreen(["first", "\tsecond;", "ab\tc\t\td"])).toEqual([
    "first",
    "        second;",
    "ab      c               d",
  ]);
});

it.each([
  ["direct", [50, 10]],
  ["polling", [20, 20, 20]],
] as const)("asks a server that is %s for %j screens at a time", async (mode, sizes) => {
  const asked: number[] = [];
  const server = partOf<TmuxServer>({
    mode,
    query: (commands) => {
      asked.push(commands.length);
      return Promise.resolve({
        status: "ok",
        answers: commands.map(() => ({ isOk: true, lines: ["a"] })),
        at: 0,
      });
    },
  });
  const panes = Array.from({ length: 60 }, (_, index) => `%${index}`);
  expect((await captureScreens(server, panes)).size).toBe(60);
  expect(asked).toEqual(sizes);
});
