import { spawn, type ChildProcess } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { realClock } from "../../test/setup/realClock.ts";
import type { ProcessInfo } from "../model/runtime.ts";
import type { TargetExecutor, ProcessTree } from "../ports/targetExecutor.ts";
import { createLocalExecutor } from "../targets/executors/localExecutor.ts";
import { createProcessTree } from "./processTree.ts";

const IS_LINUX = process.platform === "linux";

let executor: TargetExecutor;
let folder: string;
let children: ChildProcess[];
beforeEach(() => {
  executor = createLocalExecutor({ targetId: "host", env: { ...process.env } });
  folder = mkdtempSync(join(tmpdir(), "agtmux-proc-"));
  children = [];
});
afterEach(async () => {
  // The end of stdin ends the cats, and their shell reaps them.
  for (const child of children) {
    const gone = new Promise((done) => child.once("exit", done));
    child.stdin?.end();
    if (child.exitCode === null && child.signalCode === null) await gone;
  }
  await executor.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A family of its own process group that says "up" once it is complete. */
const family = async (script: string, args: readonly string[] = []): Promise<number> => {
  const child = spawn("sh", ["-c", script, ...args], { detached: true, stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  await new Promise((up) => child.stdout.once("data", up));
  return child.pid ?? 0;
};
/** An executor on which the kernel has no `children` files. */
const withoutChildrenFiles = (): TargetExecutor => ({
  ...executor,
  files: {
    ...executor.files,
    stat: (path) => (path.endsWith("/children") ? Promise.resolve(null) : executor.files.stat(path)),
  },
});

const variants: [string, (options: { linux: boolean }) => ProcessTree][] = [
  ...(IS_LINUX
    ? ([
        ["/proc", () => createProcessTree({ executor, platform: "linux", clock: realClock })],
        [
          "/proc without children files",
          () => createProcessTree({ executor: withoutChildrenFiles(), platform: "linux", clock: realClock }),
        ],
      ] satisfies [string, () => ProcessTree][])
    : []),
  ["ps", () => createProcessTree({ executor, platform: "darwin", clock: realClock })],
];

describe.each(variants)("processes by %s", (_, create) => {
  it("lists a pane's process first, then its descendants, parents before children", async () => {
    const before = Date.now();
    const pid = await family("exec 3<&0; sh -c 'cat <&3 & echo up; wait' nested; wait");
    const tree = create({ linux: IS_LINUX });
    let infos: ProcessInfo[] = [];
    // The inner shell prints the word when it has forked; its child becomes `cat` a moment later.
    do infos = (await tree.ofPanes([pid])).get(pid) ?? [];
    while (infos.at(-1)?.comm === "sh");
    const [root, ...others] = infos;
    expect(root).toMatchObject({ pid, ppid: process.pid, comm: "sh" });
    expect(others.map((info) => info.comm)).toEqual(["sh", "cat"]);
    expect(others[0]?.args).toBe("sh -c cat <&3 & echo up; wait nested");
    expect(others.map((info) => info.ppid)).toEqual([pid, others[0]?.pid]);
    for (const info of [root, ...others])
      expect(Math.abs((info?.startedAt ?? 0) - before)).toBeLessThan(2_500);
  });

  it("gives the same start time every time, and verifies by it", async () => {
    const pid = await family("echo up; exec cat");
    const tree = create({ linux: IS_LINUX });
    const look = async (): Promise<ProcessInfo | undefined> => (await tree.ofPanes([pid])).get(pid)?.[0];
    const first = await look();
    expect((await look())?.startedAt).toBe(first?.startedAt);
    const startedAt = first?.startedAt ?? 0;
    expect(await tree.verify(pid, startedAt)).toBe(true);
    expect(await create({ linux: IS_LINUX }).verify(pid, startedAt)).toBe(true);
    expect(await tree.verify(pid, startedAt - 10_000)).toBe(false);
    const gone = new Promise((done) => children[0]?.once("exit", done));
    process.kill(pid, "SIGKILL");
    await gone;
    expect(await create({ linux: IS_LINUX }).verify(pid, startedAt)).toBe(false);
    expect(await create({ linux: IS_LINUX }).ofPanes([pid, 2 ** 22 + 5])).toEqual(new Map());
  });

  it("bounds the number of processes and the length of what they say", async () => {
    const pid = await family(
      'exec 3<&0; i=0; while [ $i -lt 150 ]; do cat <&3 & i=$((i+1)); done; echo up; wait; : "$0"',
      ["x".repeat(10_000)],
    );
    const family150 = (await create({ linux: IS_LINUX }).ofPanes([pid])).get(pid) ?? [];
    expect(family150).toHaveLength(128);
    expect(family150[0]?.args.length).toBeLessThanOrEqual(4_096);
  });
});

describe.runIf(IS_LINUX)("hostile names", () => {
  it("are read to the last parenthesis and cleaned", async () => {
    const program = join(folder, "a) S 1 (\u001b[31m b");
    copyFileSync("/bin/cat", program);
    const pid = await family('echo up; exec "$0" - "$(printf \'arg\\nument\\033[1m\')"', [program]);
    const tree = createProcessTree({ executor, platform: "linux", clock: realClock });
    // The exec follows the word, and one look may read the name before it and the arguments after it.
    let info: ProcessInfo | undefined;
    do info = (await tree.ofPanes([pid])).get(pid)?.[0];
    while (info?.comm === "sh" || info?.args.includes("argument") !== true);
    expect(info).toMatchObject({ pid, ppid: process.pid, comm: "a) S 1 ([31m b" });
    expect(info?.args).toContain("- argument[1m");
  });
});

describe("meters", () => {
  const treeOf = (platform: NodeJS.Platform) => createProcessTree({ executor, platform, clock: realClock });

  it.runIf(IS_LINUX)("count what a process writes, to the byte, and end with it", async () => {
    const pid = await family('echo up; read -r go; echo "123456789"; read -r end');
    const child = children[0];
    const meter = treeOf("linux").meterOutput?.(pid);
    const before = meter?.read() ?? 0;
    expect(before).toBeGreaterThan(0);
    const written = new Promise((done) => child?.stdout?.once("data", done));
    child?.stdin?.write("go\n");
    await written;
    expect(meter?.read()).toBe(before + 10);
    const gone = new Promise((done) => child?.once("exit", done));
    child?.stdin?.write("end\n");
    await gone;
    expect(meter?.read()).toBeNull();
    meter?.close();
    expect(treeOf("linux").meterOutput?.(2 ** 22 + 5)).toBeNull();
  });

  it.runIf(IS_LINUX)("tell the children of a process", async () => {
    const pid = await family("exec 3<&0; echo up; read -r go; cat <&3 & echo more; wait");
    const child = children[0];
    const meter = treeOf("linux").meterChildren?.(pid);
    expect(meter?.read()).toBe("");
    const more = new Promise((done) => child?.stdout?.once("data", done));
    child?.stdin?.write("go\n");
    await more;
    expect(meter?.read()).toMatch(/^\d+ $/);
    meter?.close();
  });

  it("are not to be had without /proc, nor on another machine", () => {
    expect(treeOf("darwin")).not.toHaveProperty("meterOutput");
    const remote: TargetExecutor = { ...executor };
    delete remote.openProc;
    const tree = createProcessTree({ executor: remote, platform: "linux", clock: realClock });
    expect(tree).not.toHaveProperty("meterOutput");
    expect(tree).not.toHaveProperty("meterChildren");
  });
});
