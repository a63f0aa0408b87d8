// `agtmux doc watch`: one watch for a project. It holds a lock that the kernel frees, so that another one, --status and --stop know
// whether it is there.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AgtmuxError } from "../../core/model/errors.ts";
import { ensureHome } from "../../core/rpc/paths.ts";
import { tryLock } from "../../features/documents/files/documentLock.ts";
import { projectOf } from "../../features/documents/files/documentPaths.ts";
import { readKept, removeKept, writeKept } from "../../features/documents/files/wholeFile.ts";
import type { CliContext } from "../context.ts";
import { parseCount } from "../parse/count.ts";
import { DocumentWatch, type Project } from "./documentWatch.ts";

const STOP_MS = 5_000;
const MAX_PID_BYTES = 100;

const lockPath = ({ folder }: Project): string => join(folder, "agtmux.watch.db");
const pidPath = ({ folder }: Project): string => join(folder, "watch.pid");

/** The process of the watch that runs, by its own word and by what it is; null where none runs. */
const findWatch = async (project: Project): Promise<number | null> => {
  if (!existsSync(lockPath(project))) return null;
  const held = await tryLock(project, lockPath(project));
  if (held !== null) {
    held.close();
    return null;
  }
  const pid = Number((await readKept(project, pidPath(project), MAX_PID_BYTES))?.trim());
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
    const held = await tryLock(project, lockPath(project));
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
  acceptEdits?: boolean;
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
  ensureHome(context.paths());
  const held = await tryLock(project, lockPath(project));
  if (held === null)
    throw new AgtmuxError("E_USAGE", "a watch runs in this project already", {
      remedy: "See 'agtmux doc watch --status', or end it with --stop.",
    });
  try {
    await writeKept(project, pidPath(project), `${process.pid}\n`);
    const limits = { debounceMs, maxCycles, acceptsEdits: options.acceptEdits === true };
    await new DocumentWatch(context, project, limits).run();
    return 0;
  } finally {
    await removeKept(project, pidPath(project));
    held.close();
  }
};
