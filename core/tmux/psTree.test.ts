// A machine without /proc: how often ps is started, and which answers are reused between two starts.
import { expect, test } from "vitest";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import { createProcessTree } from "./processTree.ts";

interface Played {
  ppid: number;
  stat: string;
  started: string;
  args: string;
}

const MONDAY = "Mon Nov 16 08:00:00 2026";
const STARTED_AT = Date.UTC(2026, 10, 16, 8, 0, 0);

/** A machine whose ps is played, and what it was asked. `isLocal`: signals reach its processes. */
const machine = (options: { isLocal: boolean }) => {
  const processes = new Map<number, Played>();
  const asked: string[] = [];
  let now = STARTED_AT + 60_000;
  const add = (pid: number, ppid: number, change: Partial<Played> = {}): void =>
    void processes.set(pid, { ppid, stat: "S", started: MONDAY, args: `/bin/program${pid} --x`, ...change });
  const executor: Pick<TargetExecutor, "run" | "isRunning"> = {
    run: (argv) => {
      const pids = argv.includes("-p") ? (argv.at(-1) ?? "").split(",").map(Number) : [...processes.keys()];
      const found = pids.filter((pid) => processes.has(pid));
      const isNames = argv.includes("args=ARGUMENTS");
      asked.push(
        isNames ? `names ${pids.join(",")}` : argv.includes("-p") ? `rows ${pids.join(",")}` : "table",
      );
      const rows = found.map((pid) => {
        const { ppid, stat, started, args } = processes.get(pid) ?? {
          ppid: 0,
          stat: "",
          started: "",
          args: "",
        };
        return isNames
          ? `${String(pid).padStart(5)} ${(args.split(" ")[0] ?? "").slice(0, 16).padEnd(16)} ${args}`
          : `${String(pid).padStart(5)} ${ppid} ${stat} ${started}`;
      });
      const header = isNames ? ["  PID COMMNAME         ARGUMENTS"] : [];
      return Promise.resolve({
        exitCode: rows.length === 0 ? 1 : 0,
        stdout: rows.length === 0 ? "" : [...header, ...rows, ""].join("\n"),
        stderr: "",
        timedOut: false,
      });
    },
    ...(options.isLocal ? { isRunning: (pid: number) => processes.has(pid) } : {}),
  };
  const tree = createProcessTree({
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a tree needs of it
    executor: executor as TargetExecutor,
    platform: "darwin",
    clock: { now: () => now, setTimer: () => () => {} },
  });
  const advance = (ms: number): void => {
    now += ms;
  };
  return { tree, asked, add, end: (pid: number) => processes.delete(pid), advance };
};

test("asks the names of a pane's own processes only", async () => {
  const { tree, asked, add } = machine({ isLocal: true });
  add(1, 0);
  add(10, 1);
  add(11, 10, { args: "/opt/homebrew/bin/node /opt/homebrew/bin/claude" });
  add(20, 1);
  const found = (await tree.ofPanes([10])).get(10);
  expect(found?.map(({ pid, comm }) => [pid, comm])).toEqual([
    [10, "program10"],
    [11, "node"],
  ]);
  expect(asked).toEqual(["table", "names 10,11"]);
});

test("a zombie is no process of its pane, and not alive", async () => {
  const { tree, add } = machine({ isLocal: true });
  add(10, 1);
  add(11, 10, { stat: "Z+" });
  expect((await tree.ofPanes([10])).get(10)?.map(({ pid }) => pid)).toEqual([10]);
  expect(await tree.lifeOf(11, STARTED_AT)).toBe("gone");
});

test("one ps answers for all that are asked about in one moment", async () => {
  const { tree, asked, add } = machine({ isLocal: true });
  for (const pid of [10, 11, 12]) add(pid, 1);
  expect(await Promise.all([10, 11, 12, 13].map((pid) => tree.verify(pid, STARTED_AT)))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(asked).toEqual(["rows 10,11,12,13"]);
});

test("a process that was seen is alive without another ps until half a minute is over", async () => {
  const { tree, asked, add, end, advance } = machine({ isLocal: true });
  add(10, 1);
  expect(await tree.lifeOf(10, STARTED_AT)).toBe("running");
  advance(29_000);
  expect(await tree.lifeOf(10, STARTED_AT)).toBe("running");
  expect(asked).toHaveLength(1);
  advance(2_000);
  expect(await tree.lifeOf(10, STARTED_AT)).toBe("running");
  expect(asked).toHaveLength(2);
  end(10);
  expect(tree.isGone(10)).toBe(true);
  expect(await tree.lifeOf(10, STARTED_AT)).toBe("gone");
  expect(asked).toHaveLength(2);
});

test("a pid that another process got is found where it counts at once, and else within half a minute", async () => {
  const { tree, add, advance } = machine({ isLocal: true });
  add(10, 1);
  expect(await tree.lifeOf(10, STARTED_AT)).toBe("running");
  add(10, 1, { started: "Mon Nov 16 08:01:00 2026" });
  expect(await tree.verify(10, STARTED_AT)).toBe(false);
  expect(await tree.lifeOf(10, STARTED_AT)).toBe("gone");
  expect(await tree.lifeOf(10, STARTED_AT + 60_000)).toBe("running");
  advance(40_000);
  add(10, 1, { started: "Mon Nov 16 08:02:00 2026" });
  expect(await tree.lifeOf(10, STARTED_AT + 60_000)).toBe("gone");
});

test("where signals do not reach, every question is one to ps", async () => {
  const { tree, asked, add } = machine({ isLocal: false });
  add(10, 1);
  for (let times = 0; times < 3; times += 1) expect(await tree.lifeOf(10, STARTED_AT)).toBe("running");
  expect(asked).toHaveLength(3);
  expect(tree.isGone(99)).toBe(false);
});

test("a ps that fails is no end of anything", async () => {
  const executor: Pick<TargetExecutor, "run"> = {
    run: () => Promise.resolve({ exitCode: 1, stdout: "", stderr: "ps: fork: no memory\n", timedOut: false }),
  };
  const tree = createProcessTree({
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a tree needs of it
    executor: executor as TargetExecutor,
    platform: "darwin",
    clock: { now: () => 0, setTimer: () => () => {} },
  });
  await expect(tree.verify(10, STARTED_AT)).rejects.toThrow("ps failed (ps: fork: no memory)");
  await expect(tree.ofPanes([10])).rejects.toThrow("ps failed");
});
