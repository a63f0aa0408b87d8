import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { closeRunRoot, findLeftProcesses, openRunRoot } from "./runRoot.ts";

const started: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

const startIn = async (root: string) => {
  // One step away from the runner, as what a killed test leaves is.
  const shell = spawn("sh", ["-c", "sleep 600 & echo $!; wait"], {
    env: { ...process.env, TMPDIR: root },
    stdio: ["ignore", "pipe", "ignore"],
  });
  started.push(shell);
  const [line] = (await once(shell.stdout, "data")) as [Buffer];
  return { shell, pid: Number(line.toString().trim()) };
};

it("puts every temporary folder of a worker into the root of the run", () => {
  expect(tmpdir()).toMatch(/\/agt-[^/]+$/);
});

it("ends what was left in a root and removes the root, and leaves other roots alone", async () => {
  const [root, other] = [openRunRoot(), openRunRoot()];
  writeFileSync(join(root, "file"), "");
  const left = await startIn(root);
  const neighbour = await startIn(other);

  expect(findLeftProcesses(root).map(({ pid }) => pid)).toContain(left.pid);
  const gone = once(left.shell, "exit");
  expect(closeRunRoot(root).map(({ pid }) => pid)).toContain(left.pid);
  // Its shell is a child of the runner here: it ends because what it waited for did.
  await gone;
  expect(existsSync(root)).toBe(false);
  expect(existsSync(other)).toBe(true);
  expect(findLeftProcesses(other).map(({ pid }) => pid)).toContain(neighbour.pid);
  closeRunRoot(other);
});
