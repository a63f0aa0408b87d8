// `npm run test:start`: `npm start` of this clone, twice, as a person would: what it prints, how long it takes, whether a daemon
// answers, and whether it ends when it is told to. On macOS the app in real Electron with pictures of the screen; with
// AGTMUX_UI=browser the popover for a browser, anywhere. Everything is kept in test-results/start; the exit code is 1 where a
// stage failed, and each stage is named.
import { spawn, execFileSync, type ChildProcess } from "node:child_process";
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createPrivateTmux } from "../harness/privateTmux.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const RESULTS = join(ROOT, "test-results", process.env["AGTMUX_START_RESULTS"] ?? "start");
/** The first start downloads Electron and builds. */
const START_LIMIT_MS = 8 * 60_000;
const END_LIMIT_MS = 30_000;
const POLL_MS = 200;

interface Stage {
  readonly name: string;
  readonly ms: number;
  /** Null: it went well. */
  readonly problem: string | null;
}

const stages: Stage[] = [];
/** Runs what is left even where a stage failed: the pictures and logs of a failure are worth most. */
const stage = async (name: string, work: () => Promise<void> | void): Promise<void> => {
  const began = performance.now();
  let problem: string | null = null;
  try {
    await work();
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  stages.push({ name, ms: performance.now() - began, problem });
  console.log(
    `${problem === null ? "ok    " : "FAILED"} ${name} (${Math.round(performance.now() - began)} ms)`,
  );
  if (problem !== null) console.log(problem);
};

const shoot = (name: string): void => {
  if (process.platform !== "darwin") return;
  try {
    execFileSync("/usr/sbin/screencapture", ["-x", join(RESULTS, `${name}.png`)], { timeout: 10_000 });
  } catch (error) {
    writeFileSync(join(RESULTS, `${name}.txt`), `no picture of the screen: ${String(error)}\n`);
  }
};

const until = async (isTrue: () => boolean, what: string, limitMs: number): Promise<void> => {
  const deadline = performance.now() + limitMs;
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error(`not within ${limitMs / 1_000} s: ${what}`);
    await delay(POLL_MS);
  }
};

mkdirSync(RESULTS, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "agtmux-start-"));
const tmux = createPrivateTmux();
const env = { ...process.env, AGTMUX_HOME: join(folder, "home"), AGTMUX_TMUX_SOCKETS: tmux.socketPath };

interface Started {
  readonly child: ChildProcess;
  output(): string;
}

const start = (name: string): Started => {
  const log = createWriteStream(join(RESULTS, `${name}.txt`));
  // A group of its own, so that one signal reaches all of it, as Ctrl-C does.
  const child = spawn("npm", ["start"], {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const began = performance.now();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      log.write(`[${((performance.now() - began) / 1_000).toFixed(1)} s] ${text}`);
    });
  child.once("close", () => log.end());
  return { child, output: () => output };
};
const hasEnded = ({ child }: Started): boolean => child.exitCode !== null || child.signalCode !== null;
const signal = ({ child }: Started, name: NodeJS.Signals): void => {
  if (child.pid !== undefined) process.kill(-child.pid, name);
};

const tryOnce = async (name: string, limitMs: number): Promise<Started> => {
  const started = start(name);
  await stage(`${name}: the first rows are there`, () =>
    until(
      () => {
        if (hasEnded(started)) throw new Error(`npm start ended: ${started.output().slice(-2_000)}`);
        return started.output().includes("First rows after");
      },
      "the line 'First rows after'",
      limitMs,
    ),
  );
  await stage(`${name}: a daemon answers`, () => {
    const said: unknown = JSON.parse(
      execFileSync(join(ROOT, "bin", "agtmux"), ["daemon", "status", "--json"], { env, encoding: "utf8" }),
    );
    writeFileSync(join(RESULTS, `${name}-daemon.json`), `${JSON.stringify(said, null, 2)}\n`);
  });
  return started;
};
const end = (name: string, started: Started): Promise<void> =>
  stage(`${name}: Ctrl-C ends it`, async () => {
    if (hasEnded(started)) throw new Error("it had ended before");
    signal(started, "SIGINT");
    try {
      await until(() => hasEnded(started), "it ends", END_LIMIT_MS);
    } catch (error) {
      signal(started, "SIGKILL");
      throw error;
    }
  });

try {
  await tmux.newSession("work");
  const first = await tryOnce("first", START_LIMIT_MS);
  shoot("first");
  if (process.env["AGTMUX_UI"] !== "browser")
    await stage("first: the app is not started twice", async () => {
      // The one that runs opens its popover instead.
      const again = start("again");
      await until(() => hasEnded(again), "the second one leaves", END_LIMIT_MS).catch((error: unknown) => {
        signal(again, "SIGKILL");
        throw error;
      });
      shoot("again");
    });
  await end("first", first);
  const second = await tryOnce("second", START_LIMIT_MS / 8);
  await stage("second: nothing is downloaded or built again", () => {
    const found = /Downloading|Building/.exec(second.output());
    if (found !== null) throw new Error(`it said '${found[0]}': ${second.output()}`);
  });
  await end("second", second);
  // The app's ends with it; a command's goes on.
  await stage("its daemon ends", () => {
    execFileSync(join(ROOT, "bin", "agtmux"), ["daemon", "stop"], { env, encoding: "utf8" });
  });
} finally {
  await tmux.close();
  writeFileSync(join(RESULTS, "stages.json"), `${JSON.stringify(stages, null, 2)}\n`);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
if (stages.some(({ problem }) => problem !== null)) process.exitCode = 1;
