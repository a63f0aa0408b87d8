// One temporary root per run: whatever the tests of a run put into the system's temporary folder is inside of it and goes
// with it. Processes that a killed or timed-out test left behind have a variable that leads into the root and are ended by
// their pids. Nothing outside of the run's own root is touched.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How long workers may take to end what they own. */
const WORKERS_MS = 10_000;
/** Longest temporary folder under which the sockets of the tests stay within a socket's path of 104 bytes (macOS). */
const MAX_ROOT_PARENT = 24;

export interface LeftProcess {
  pid: number;
  command: string;
}

const readProc = (pid: number, file: string): string | null => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch (error) {
    // It ended meanwhile (ESRCH while it is read), or it is another user's and so none of this run.
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return null;
    throw error;
  }
};

const parentOf = (pid: number): number =>
  Number(
    readProc(pid, "stat")
      ?.replace(/^.*\) \S /s, "")
      .split(" ")[0],
  );

/** A variable is the root or a path in it: what a test started has its HOME, its TMPDIR or its TMUX_TMPDIR there. */
const hasRoot = (environment: readonly string[], root: string): boolean =>
  environment.some((variable) => /^[A-Z_]+=(.*)$/s.exec(variable)?.[1]?.startsWith(root) === true);

const leftOnLinux = (root: string): LeftProcess[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .filter((pid) => hasRoot((readProc(pid, "environ") ?? "").split("\0"), root))
    // The runner's own workers are not left behind.
    .filter((pid) => parentOf(pid) !== process.pid)
    .map((pid) => ({ pid, command: (readProc(pid, "cmdline") ?? "").replaceAll("\0", " ").trim() }));

/** `ps` of macOS shows the environment of the user's own processes with `-E`. */
const leftByPs = (root: string): LeftProcess[] =>
  execFileSync("ps", ["-axEww", "-o", "pid=,ppid=,command="], { encoding: "utf8", maxBuffer: 1 << 26 })
    .split("\n")
    .flatMap((line) => {
      const [, pid = "", parent = "", command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      const isOurs = hasRoot(command.split(" "), root);
      return isOurs && Number(parent) !== process.pid ? [{ pid: Number(pid), command }] : [];
    })
    .filter(({ pid }) => pid !== process.pid);

/** Processes whose environment leads into the root, the runner and its workers left out. */
export const findLeftProcesses = (root: string): LeftProcess[] =>
  process.platform === "linux" ? leftOnLinux(root) : leftByPs(root);

const end = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
};

/** Ends what runs inside of the root and removes it. Gives what had been left. */
export const closeRunRoot = (root: string): LeftProcess[] => {
  const left: LeftProcess[] = [];
  // Whoever is ended may have started one more in the meantime.
  for (let round = 0; round < 3; round += 1) {
    const found = findLeftProcesses(root);
    if (found.length === 0) break;
    for (const { pid } of found) end(pid);
    left.push(...found.filter(({ pid }) => !left.some((known) => known.pid === pid)));
  }
  rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  return left;
};

/** Makes the root of a run: short, because the path of a Unix socket is. */
export const openRunRoot = (): string => {
  const parent = tmpdir().length <= MAX_ROOT_PARENT ? tmpdir() : "/tmp";
  return mkdtempSync(join(parent, "agt-"));
};

const hasWorkers = (): boolean => {
  const children = execFileSync("ps", ["-axo", "ppid=,args="], { encoding: "utf8", maxBuffer: 1 << 26 });
  return children
    .split("\n")
    .some((line) => line.trimStart().startsWith(`${process.pid} `) && line.includes("/vitest/dist/workers/"));
};

/** The runner has told its workers to stop, but does not wait for them: they may still be ending what their files share. */
export const untilWorkersEnd = async (): Promise<void> => {
  const deadline = Date.now() + WORKERS_MS;
  while (hasWorkers() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
};

/** Global setup of the runner: workers inherit the environment, so their `tmpdir()` is the root. */
const setup = (): (() => Promise<void>) => {
  const root = openRunRoot();
  const outer = process.env["TMPDIR"];
  process.env["TMPDIR"] = root;
  return async () => {
    await untilWorkersEnd();
    if (outer === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = outer;
    for (const { pid, command } of closeRunRoot(root))
      console.log(`left behind by a test and ended: ${pid} ${command.slice(0, 120)}`);
  };
};

export default setup;
