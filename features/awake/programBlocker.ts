// Keeps this machine awake by a program of its system: `caffeinate` on a Mac, `systemd-inhibit` on Linux. Each holds for as long as
// the `cat` that it runs, and that reads from us: when this process ends, even by `kill -9`, its input ends, and so do both. Also here:
// whether the machine is on power, by `pmset` and by /sys.
import { spawn, execFile, type ChildProcessWithoutNullStreams } from "node:child_process";
import { constants } from "node:fs";
import { access, open, readdir, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { BlockProblem, SleepBlock, SleepBlocker } from "../../core/ports/sleepBlocker.ts";

/** How long the program may take until it holds; a session bus that hangs must not count as held. */
const HOLD_MS = 5_000;
/** How long it may take to end by itself once its input has ended. */
const END_MS = 1_000;
const POWER_MS = 3_000;
const MAX_OUTPUT = 64 * 1024;
/** Characters of what it says when it fails. */
const MAX_SAID = 200;
/** Supplies that are looked at. */
const MAX_SUPPLIES = 32;

/** `words`: what follows the program, before the command that it runs. */
interface Program {
  name: string;
  words: readonly string[];
}

const PROGRAMS: Partial<Record<NodeJS.Platform, Program>> = {
  darwin: { name: "caffeinate", words: ["-i"] },
  linux: {
    name: "systemd-inhibit",
    words: ["--what=idle", "--mode=block", "--who=agtmux", "--why=An agent works, or a text is due"],
  },
};

const isProgram = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
};

/** Its path; null where it is not installed. A folder of PATH that means the present one does not count. */
const findProgram = async (name: string, path: string): Promise<string | null> => {
  for (const folder of path.split(":").filter((one) => isAbsolute(one))) {
    const found = join(folder, name);
    if (await isProgram(found)) return found;
  }
  return null;
};

/** The first line that a program said, without what could draw on a terminal. */
const firstLine = (text: string): string => {
  const [line = ""] = text.trim().split("\n");
  return line.replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ").slice(0, MAX_SAID);
};

// Holding.

/** The group is ours: the child was made its leader. */
const endGroup = (child: ChildProcessWithoutNullStreams): void => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
};

/** A child that was started, until it has ended. */
class Held implements SleepBlock {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly name: string;
  private isReleased = false;
  private said = "";
  private onEnd: ((why: string) => void) | null = null;
  readonly ended: Promise<void>;
  /** Resolves once the command runs, which it does when the machine is kept awake; rejects with a clause. */
  readonly holds: Promise<void>;

  constructor(name: string, argv: readonly string[], env: NodeJS.ProcessEnv) {
    this.name = name;
    const [program = "", ...words] = argv;
    // In a session of its own it has no terminal on which it could ask for a password.
    this.child = spawn(program, words, { env, cwd: "/", stdio: ["pipe", "pipe", "pipe"], detached: true });
    const { promise: ended, resolve: resolveEnd } = Promise.withResolvers<void>();
    const { promise: holds, resolve, reject } = Promise.withResolvers<void>();
    this.ended = ended;
    this.holds = holds;
    // Whoever holds has the error.
    holds.catch(() => {});
    const limit = setTimeout(() => {
      reject(new Error(`${name} did not answer within ${HOLD_MS / 1_000} s`));
      this.release();
    }, HOLD_MS);
    const settle = (why: string): void => {
      clearTimeout(limit);
      reject(new Error(why));
      resolveEnd();
      if (!this.isReleased) this.onEnd?.(why);
    };
    this.child.once("error", (error) => settle(`${name} could not be started: ${firstLine(error.message)}`));
    this.child.once("exit", (status) => settle(this.describeEnd(status)));
    this.child.stderr.on("data", (chunk: Buffer) => {
      if (this.said.length < MAX_SAID) this.said += chunk.toString("utf8");
    });
    this.child.stdout.once("data", () => {
      clearTimeout(limit);
      resolve();
    });
    this.child.stdout.resume();
    this.child.stdin.on("error", () => {});
    // `cat` gives it back as soon as it runs.
    this.child.stdin.write("held\n");
  }

  watch(onEnd: (why: string) => void): void {
    this.onEnd = onEnd;
  }

  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.child.stdin.end();
    const timer = setTimeout(() => endGroup(this.child), END_MS);
    void this.ended.then(() => clearTimeout(timer));
  }

  private describeEnd(status: number | null): string {
    const said = firstLine(this.said);
    if (said !== "") return `${this.name} ended: ${said}`;
    return status === null ? `${this.name} was ended` : `${this.name} ended with status ${status}`;
  }
}

// Power.

const readShort = async (path: string): Promise<string> => {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(64), 0, 64, 0);
      return buffer.toString("utf8", 0, bytesRead).trim();
    } finally {
      await file.close();
    }
  } catch {
    // A supply need not have it.
    return "";
  }
};

interface Supply {
  type: string;
  online: string;
  status: string;
  scope: string;
}

/**
 * By the supplies of a Linux machine (its documentation, sysfs-class-power); null: they do not tell. One without any has no battery.
 * A battery whose scope is a device is that of a mouse or a headset.
 */
export const isPowered = (supplies: readonly Supply[]): boolean | null => {
  const adapters = supplies.filter(({ type }) => type === "Mains" || type.startsWith("USB"));
  const batteries = supplies.filter(({ type, scope }) => type === "Battery" && scope !== "Device");
  if (adapters.some(({ online }) => /^[1-9]/.test(online))) return true;
  if (batteries.length === 0) return adapters.length === 0 ? true : null;
  if (batteries.some(({ status }) => status === "Discharging")) return false;
  if (adapters.length > 0 && adapters.every(({ online }) => online === "0")) return false;
  const isCharged = ({ status }: Supply): boolean =>
    status === "Charging" || status === "Full" || status === "Not charging";
  return batteries.every(isCharged) ? true : null;
};

const powerOfLinux = async (folder: string): Promise<boolean | null> => {
  let names: string[];
  try {
    names = (await readdir(folder)).slice(0, MAX_SUPPLIES);
  } catch {
    return null;
  }
  const supplies = await Promise.all(
    names.map(async (name): Promise<Supply> => {
      const [type = "", online = "", status = "", scope = ""] = await Promise.all(
        ["type", "online", "status", "scope"].map((part) => readShort(join(folder, name, part))),
      );
      return { type, online, status, scope };
    }),
  );
  return isPowered(supplies);
};

/** `pmset -g batt` begins with `Now drawing from 'AC Power'`; null for any other form (its manual, not a recording). */
export const readPmset = (output: string): boolean | null => {
  const source = /^Now drawing from '([^']{1,40})'/.exec(output)?.[1];
  if (source === "AC Power") return true;
  return source === "Battery Power" || source === "UPS Power" ? false : null;
};

const powerOfMac = (program: string, env: NodeJS.ProcessEnv): Promise<boolean | null> =>
  new Promise((resolve) => {
    const options = { env, cwd: "/", timeout: POWER_MS, maxBuffer: MAX_OUTPUT, encoding: "utf8" as const };
    execFile(program, ["-g", "batt"], options, (error, stdout) =>
      resolve(error === null ? readPmset(stdout) : null),
    );
  });

/** `supplies`: the folder of the supplies of a Linux machine. */
export const createProgramBlocker = ({
  platform,
  env,
  supplies = "/sys/class/power_supply",
}: {
  platform: NodeJS.Platform;
  env: NodeJS.ProcessEnv;
  supplies?: string;
}): SleepBlocker => {
  const path = env["PATH"] ?? "";
  const program = PROGRAMS[platform];
  const held = new Set<Held>();
  /** The command; else why there is none. */
  const findCommand = async (): Promise<readonly string[] | BlockProblem> => {
    const turnOff = "set keep_awake to never.";
    if (program === undefined)
      return {
        problem: `agtmux knows no program that keeps ${platform} awake`,
        remedy: `Use the desktop app, or ${turnOff}`,
      };
    const [own, cat] = await Promise.all([findProgram(program.name, path), findProgram("cat", path)]);
    const missing = own === null ? program.name : cat === null ? "cat" : null;
    if (own === null || cat === null)
      return {
        problem: `there is no program '${missing}' on the PATH of the daemon`,
        remedy: `Install it, start the daemon with it on its PATH, or ${turnOff}`,
      };
    return [own, ...program.words, cat];
  };
  return {
    findProblem: async () => {
      const found = await findCommand();
      return "problem" in found ? found : null;
    },
    hold: async (onEnd) => {
      const found = await findCommand();
      if ("problem" in found) throw new Error(found.problem);
      const one = new Held(program?.name ?? "", found, env);
      held.add(one);
      void one.ended.then(() => held.delete(one));
      await one.holds;
      one.watch(onEnd);
      return one;
    },
    isOnPower: async () => {
      if (platform === "linux") return powerOfLinux(supplies);
      const pmset = platform === "darwin" ? await findProgram("pmset", path) : null;
      return pmset === null ? null : powerOfMac(pmset, env);
    },
    close: async () => {
      const all = [...held];
      for (const one of all) one.release();
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
};
