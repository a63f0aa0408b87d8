// How the code is divided: no folder of core outgrows the others, and no file needs one that needs it.
import { describe, expect, it } from "vitest";
import { readSources, type SourceFile, TOP_FOLDERS } from "./sources.ts";

/** Of core's lines. */
const MAX_SHARE = 0.16;
/** It puts the daemon together; what a part of it does has a room of its own. */
const MAX_DAEMON_LINES = 2_000;

const linesOf = ({ text }: SourceFile): number => text.split("\n").length - 1;

/** Groups of files that import each other, types included (Tarjan). */
const findCircles = (sources: readonly Pick<SourceFile, "path" | "imports">[]): string[][] => {
  const files = new Map(sources.map((file) => [file.path, file]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): number => {
    const index = order.size;
    order.set(path, index);
    lowest.set(path, index);
    stack.push(path);
    for (const { to } of files.get(path)?.imports ?? []) {
      if (!files.has(to)) continue;
      const reached = order.has(to) ? (stack.includes(to) ? (order.get(to) ?? index) : index) : visit(to);
      lowest.set(path, Math.min(lowest.get(path) ?? index, reached));
    }
    const low = lowest.get(path) ?? index;
    if (low === index) {
      const circle = stack.splice(stack.indexOf(path));
      if (circle.length > 1) circles.push(circle.toSorted());
    }
    return low;
  };
  for (const path of files.keys()) if (!order.has(path)) visit(path);
  return circles;
};

describe("the rooms of core", () => {
  const core = readSources("core");
  const total = core.reduce((sum, file) => sum + linesOf(file), 0);
  const byRoom = Map.groupBy(core, ({ path }) => path.split("/", 2).join("/"));
  const rooms = [...byRoom].map(([room, files]) => ({
    room,
    lines: files.reduce((sum, file) => sum + linesOf(file), 0),
  }));

  it("are all about as large: divide the one that grew", () => {
    expect(rooms.length).toBeGreaterThan(12);
    const large = rooms.filter(({ lines }) => lines > total * MAX_SHARE);
    expect(large).toEqual([]);
  });

  it("leave to core/daemon what puts the daemon together", () => {
    expect(rooms.find(({ room }) => room === "core/daemon")?.lines).toBeLessThan(MAX_DAEMON_LINES);
  });
});

describe("files", () => {
  it("import each other in one direction: move what both need into a file of its own", () => {
    expect(TOP_FOLDERS.flatMap((folder) => findCircles(readSources(folder)))).toEqual([]);
  });

  it("that import each other are found", () => {
    const file = (path: string, ...to: string[]) => ({
      path,
      imports: to.map((one) => ({ to: one, isType: true })),
    });
    expect(
      findCircles([file("a", "b"), file("b", "c"), file("c", "b"), file("d", "a"), file("e", "d", "zod")]),
    ).toEqual([["b", "c"]]);
  });
});
