// `agtmux doc watch`: one watch for a project. It holds a lock that the kernel frees, so that another one, --status and --stop know
// whether it is there.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AgtmuxError } from "../../core/model/errors.ts";
import { tryLock } from "../../features/documents/files/documentLock.ts";
import { projectOf } from "../../features/documents/files/documentPaths.ts";
import { readTextIfThere, writeWhole } from "../../features/documents/files/wholeFile.ts";
import type { CliContext } from "../context.ts";
import { parseCount } from "../parse/count.ts";
import { DocumentWatch, type Project } from "./documentWatch.ts";

const STOP_MS = 5_000;

const lockPath = ({ folder }: Project): string => join(folder, "agtmux.watch.db");
const pidPath = ({ folder }: Project): string => join(folder, "watch.pid");

/** The process of the watch that runs, by its own word and by what it is; null where none runs. */
const findWatch = async (project: Project): Promise<number | null> => {
  if (!existsSync(lockPath(project))) return null;
  const held = await tryLock(lockPath(project));
  if (held !== null) {
    held.close();
    return null;
  }
  const pid = Number((await readTextIfThere(pidPath(project)))?.trim());
  const command = await new Promise<string>((done) => {
    execFile("ps", ["-o", "args=", "-p", String(pid)], (_error, stdout) => done(stdout));
  });
  // A file that a watch of before has left may name somebody else's process by now.
  if (Number.isSafeInteger(pid) && pid > 1 && /\bwatch\b/.test(command)) return pid;
  throw new AgtmuxError("E_DOCUMENT_BUSY", "a watch of this project has just begun", {
    remedy: "Repeat it.",
  });
};

const stopWatch = async (context: CliContext, project: Project, pid: number): Promise<void> => {
  process.kill(pid, "SIGTERM");
  const deadline = Date.now() + STOP_MS;
  for (;;) {
    const held = await tryLock(lockPath(project));
    if (held !== null) {
      held.close();
      context.print("Stopped.\n");
      return;
    }
    if (Date.now() > deadline)
      throw new AgtmuxError("E_TIMEOUT", `the watch (process ${pid}) does not end`, {
        remedy: "It may be waiting for an agent's answer; repeat it in a while.",
      });
    await delay(50);
  }
};

export interface WatchOptions {
  stop?: boolean;
  status?: boolean;
  debounce?: string;
  maxCycles?: string;
}

/** Gives the exit status. */
export const runWatch = async (context: CliContext, options: WatchOptions): Promise<number> => {
  const debounceMs = parseCount(options.debounce ?? "500", "--debounce", { min: 0, max: 600_000 });
  const maxCycles = parseCount(options.maxCycles ?? "3", "--max-cycles", { min: 1, max: 1_000 });
  const project = await projectOf(process.cwd());
  if (options.status === true || options.stop === true) {
    const pid = await findWatch(project);
    if (pid === null) context.print("No watch runs in this project.\n");
    else if (options.stop === true) await stopWatch(context, project, pid);
    else context.print(`A watch runs in this project (process ${pid}).\n`);
    return pid === null && options.status === true ? 1 : 0;
  }
  await mkdir(project.folder, { recursive: true });
  const held = await tryLock(lockPath(project));
  if (held === null)
    throw new AgtmuxError("E_USAGE", "a watch runs in this project already", {
      remedy: "See 'agtmux doc watch --status', or end it with --stop.",
    });
  try {
    await writeWhole(pidPath(project), `${process.pid}\n`);
    await new DocumentWatch(context, project, { debounceMs, maxCycles }).run();
    return 0;
  } finally {
    await rm(pidPath(project), { force: true });
    held.close();
  }
};
