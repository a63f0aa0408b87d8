// A copy of the code of one commit with all mutants in it, and what is done there: run test files with some of them on, learn
// which of them a test file reaches, ask the types about one. The working tree is only read. Owns the copy, the processes that run
// in it, and their removal.
import { type ChildProcess, execFileSync, fork } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createVitest, type Reporter, type TestModule, type TestSpecification } from "vitest/node";
import * as z from "zod";
import { closeRunRoot, findLeftProcesses, openRunRoot, untilWorkersEnd } from "../setup/runRoot.ts";
import { applyMutant, type Mutant, writeSites } from "./mutate.ts";

// A process of its own that runs test files of a copy of the code, for as long as it is asked to: one standing Vitest, which
// keeps what it transformed, and a fresh worker for each file. It can hang, because a mutant can, and is then ended and begun anew
// by whoever started it.

const requestSchema = z.object({
  files: z.array(z.string()),
  /** The first test that fails after its second attempt ends the run. */
  stopsAtFailure: z.boolean(),
});

const outcomeSchema = z.object({
  file: z.string(),
  isOk: z.boolean(),
  ms: z.number(),
  /** On the system's clock. */
  from: z.number(),
  to: z.number(),
});
type Outcome = z.infer<typeof outcomeSchema>;

const replySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready"), files: z.array(z.string()) }),
  z.object({ kind: z.literal("file"), outcome: outcomeSchema }),
  z.object({ kind: z.literal("failed"), file: z.string(), test: z.string() }),
  z.object({ kind: z.literal("over"), errors: z.array(z.string()) }),
]);
type Reply = z.infer<typeof replySchema>;

const tell = (reply: Reply): void => void process.send?.(reply);

const serve = async (root: string): Promise<void> => {
  const startedAt = new Map<string, number>();
  let stopsAtFailure = false;
  const fileOf = ({ moduleId }: TestModule | TestSpecification): string => relative(root, moduleId);
  const fail = (file: string, test: string): void => {
    tell({ kind: "failed", file, test });
    if (stopsAtFailure) void vitest.cancelCurrentRun("test-failure");
  };
  const reporter: Reporter = {
    onTestModuleQueued: (module) => void startedAt.set(fileOf(module), Date.now()),
    onTestCaseResult: (test) => {
      if (test.result().state === "failed") fail(fileOf(test.module), test.fullName);
    },
    onTestModuleEnd: (module) => {
      const file = fileOf(module);
      const state = module.state();
      if (state === "failed") fail(file, "");
      const [from, to] = [startedAt.get(file) ?? Date.now(), Date.now()];
      tell({ kind: "file", outcome: { file, isOk: state !== "failed", ms: to - from, from, to } });
    },
  };
  const vitest = await createVitest(
    {
      root,
      watch: false,
      // A file that shared its worker with another one would keep the modules of the mutant before.
      isolate: true,
      cache: false,
      // Whoever works beside this is not to be slowed down, nor a test to fail because it was.
      maxWorkers: availableParallelism(),
      reporters: [reporter],
      sequence: {
        sequencer: class {
          shard = keep;
          sort = keep;
        },
      },
    },
    { cacheDir: join(root, ".mutants", "cache") },
  );
  for (const { config } of vitest.projects) config.setupFiles.unshift(join(root, ".mutants", "setup.mjs"));
  const specifications = new Map((await vitest.globTestSpecifications()).map((one) => [fileOf(one), one]));

  const run = async ({ files, stopsAtFailure: stops }: z.infer<typeof requestSchema>): Promise<void> => {
    stopsAtFailure = stops;
    const wanted = files.flatMap((file) => specifications.get(file) ?? []);
    const { unhandledErrors } = await vitest.runTestSpecifications(wanted);
    // Who ends the browser of a worker before its page is closed makes an error that looks as if a test had noticed something.
    await untilWorkersEnd();
    for (const { pid } of findLeftProcesses(process.env["TMPDIR"] ?? root)) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended meanwhile.
      }
    }
    tell({
      kind: "over",
      errors: unhandledErrors.map((error) =>
        (error instanceof Error ? error.message : JSON.stringify(error)).slice(0, 200),
      ),
    });
  };
  process.on("message", (message) => void run(requestSchema.parse(message)));
  process.on("disconnect", () => process.exit());
  tell({ kind: "ready", files: [...specifications.keys()] });
};

/** In the order in which they were asked for. */
const keep = (files: TestSpecification[]): TestSpecification[] => files;

if (process.argv[1] === import.meta.filename) await serve(process.argv[2] ?? process.cwd());

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** What stands still for so long, beside what it takes without a mutant, hangs. */
const HANGS_AFTER_MS = 30_000;
/** Other files of a run in which one failed get so long to end. */
const LINGERS_MS = 4_000;
/** The name of the test file, in the environment of its worker and of what that starts. */
const TEST_VARIABLE = "AGTMUX_MUTANTS_TEST";

/** What is on in a page, which reads no files: this text in its bundle, with other numbers. */
const PAGE_MARK = /mutants-on:[0-9,]*;/g;

/** The module that every changed source imports. It has no imports, so that it is at home in every bundle and every process. */
const siteSource = (folder: string): string => `
const fs = globalThis.process?.getBuiltinModule?.("node:fs");
const FOLDER = ${JSON.stringify(folder)};
const PAGE = "mutants-on:;";
const on = fs === undefined ? PAGE.slice("mutants-on:".length, -1) : fs.readFileSync(FOLDER + "/on", "utf8");
const isRecording = on === "record";
const active = new Set(isRecording || on === "" ? [] : on.split(",").map(Number));
const now = Date.now.bind(Date);
const seen = new Set();
const note = (number) => {
  if (seen.has(number)) return;
  seen.add(number);
  const test = process.env.${TEST_VARIABLE} ?? "unknown";
  try {
    fs.appendFileSync(FOLDER + "/reached/" + test + "/" + process.pid, number + " " + now() + "\\n");
  } catch {
    // The folder is gone: the process outlived its run.
  }
};
export const isOn = (number) => {
  if (isRecording) note(number);
  return active.has(number);
};
export const pick = (number, changed, original) => {
  if (active.has(number)) return changed();
  if (!isRecording || seen.has(number)) return original();
  const value = original();
  let other = pick;
  try {
    other = changed();
  } catch {
    // It would have thrown, and so be noticed.
  }
  if (!Object.is(value, other)) note(number);
  return value;
};
`;

/** Runs first in every worker. */
const setupSource = (root: string): string => `
import { mkdirSync } from "node:fs";
import { relative } from "node:path";
import { expect } from "vitest";
const test = encodeURIComponent(relative(${JSON.stringify(root)}, expect.getState().testPath));
mkdirSync(${JSON.stringify(join(root, ".mutants", "reached"))} + "/" + test, { recursive: true });
process.env.${TEST_VARIABLE} = test;
`;

const cloneInto = (folder: string, commit: string): void => {
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", args, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
  git("clone", "--quiet", "--local", "--no-checkout", ROOT, folder);
  git("-C", folder, "checkout", "--quiet", "--detach", commit);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
};

export interface Failure {
  /** The file, and the test in it: nothing where the file could not be loaded. */
  readonly file: string;
  readonly test: string;
}

/** Reads the tracked files of a commit: a clone without a mutant in it. */
export const openSources = (commit: string): { readonly folder: string; close(): void } => {
  const folder = mkdtempSync(join(openRunRoot(), "sources-"));
  cloneInto(folder, commit);
  return { folder, close: () => void closeRunRoot(join(folder, "..")) };
};

/** What the types say about a mutant, in the first line of it; null: nothing. */
export const checkTypes = (folder: string, mutant: Mutant): string | null => {
  const path = join(folder, mutant.file);
  const source = readFileSync(path, "utf8");
  try {
    writeFileSync(path, applyMutant(source, mutant));
    execFileSync(join(ROOT, "node_modules", ".bin", "tsc"), ["-b"], { cwd: folder, encoding: "utf8" });
    return null;
  } catch (error) {
    const { stdout = "" } = error as { stdout?: string };
    if (stdout === "") throw error;
    return stdout.split("\n")[0] ?? "";
  } finally {
    writeFileSync(path, source);
  }
};

/** One runner, and what it was asked last. */
class Lane {
  private readonly temporary = openRunRoot();
  private child: ChildProcess | null = null;
  files: string[] = [];

  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async start(): Promise<ChildProcess> {
    if (this.child !== null) return this.child;
    const child = fork(join(import.meta.dirname, "runner.ts"), [this.folder], {
      cwd: this.folder,
      env: { ...process.env, TMPDIR: this.temporary, NODE_ENV: "test" },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.child = child;
    await new Promise<void>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`the runner of the tests ended with ${code}`)));
      child.once("message", (message) => {
        const reply = replySchema.parse(message);
        if (reply.kind === "ready") this.files = reply.files;
        resolve();
      });
    });
    return child;
  }

  /** Ends it, and everything that was started in it. */
  async end(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null) return;
    child.removeAllListeners();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
    closeRunRoot(this.temporary);
    mkdirSync(this.temporary, { recursive: true, mode: 0o700 });
  }

  async close(): Promise<void> {
    await this.end();
    rmSync(this.temporary, { recursive: true, force: true });
  }
}

/** The scripts of the page with the mark in them. */
const findPages = (folder: string): [path: string, text: string][] => {
  const scripts = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".js"),
  );
  const pages = scripts
    .map((name): [string, string] => [join(folder, name), readFileSync(join(folder, name), "utf8")])
    .filter(([, text]) => text.search(PAGE_MARK) >= 0);
  return pages;
};

/** `numbered`: the place of a mutant in here is its number. */
export const openCopy = async (commit: string, numbered: readonly Mutant[]) => {
  const root = openRunRoot();
  const folder = join(root, "copy");
  const own = join(folder, ".mutants");
  cloneInto(folder, commit);
  mkdirSync(join(own, "reached", "unknown"), { recursive: true });
  writeFileSync(join(own, "site.mjs"), siteSource(own));
  writeFileSync(join(own, "setup.mjs"), setupSource(folder));
  writeFileSync(join(own, "on"), "");
  const byFile = Map.groupBy(
    numbered.map((mutant, number) => ({ mutant, number })),
    ({ mutant }) => mutant.file,
  );
  for (const [file, mutants] of byFile) {
    const path = join(folder, file);
    const site = relative(join(path, ".."), join(own, "site.mjs"));
    writeFileSync(path, writeSites(readFileSync(path, "utf8"), mutants, site));
  }
  execFileSync(process.execPath, ["scripts/build.mjs"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const pages = findPages(join(folder, "dist", "renderer"));
  const turnOn = (numbers: readonly number[] | "record"): void => {
    const what = numbers === "record" ? numbers : numbers.join(",");
    writeFileSync(join(own, "on"), what);
    for (const [path, text] of pages)
      writeFileSync(path, text.replaceAll(PAGE_MARK, `mutants-on:${numbers === "record" ? "" : what};`));
  };
  const lane = new Lane(folder);
  await lane.start();

  /** Numbers with the time at which each was reached first, of one test file, or of processes that could not tell theirs. */
  const readReached = (test: string): { number: number; at: number }[] => {
    const reached = join(own, "reached", test);
    // A file that could not be loaded has none.
    if (!existsSync(reached)) return [];
    return readdirSync(reached).flatMap((pid) =>
      readFileSync(join(reached, pid), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => line.split(" ").map(Number))
        .map(([number = 0, at = 0]) => ({ number, at })),
    );
  };
  const reachedBy = ({ file, from, to }: Outcome): number[] => {
    const told = readReached(encodeURIComponent(file));
    // Whoever could not tell belongs to everybody who ran then.
    const untold = readReached("unknown").filter(({ at }) => at >= from && at <= to);
    // Nor can the page: what is drawn there may be any of this.
    const drawn = file.startsWith("e2e/")
      ? numbered.flatMap((mutant, number) => (mutant.file.startsWith("ui/") ? [number] : []))
      : [];
    const numbers = new Set([...[...told, ...untold].map(({ number }) => number), ...drawn]);
    return [...numbers].toSorted((a, b) => a - b);
  };

  return {
    /** Its test files, from its root. */
    get files() {
      return lane.files;
    },
    /** Runs all of them without a mutant, and tells of each how it did and which mutants it reaches. */
    record: async (
      files: readonly string[],
      each: (outcome: Outcome, reached: number[]) => void,
    ): Promise<void> => {
      turnOn("record");
      const child = await lane.start();
      await new Promise<void>((resolve, reject) => {
        child.once("exit", (code) => reject(new Error(`the runner of the tests ended with ${code}`)));
        child.on("message", (message) => {
          const reply = replySchema.parse(message);
          if (reply.kind === "file") each(reply.outcome, reachedBy(reply.outcome));
          if (reply.kind === "over") resolve();
        });
        child.send({ files, stopsAtFailure: false });
      });
      child.removeAllListeners();
      turnOn([]);
    },
    /**
     * Runs the files with these mutants on until one fails; null: none did. A run that takes much longer than `expectedMs` failed
     * as well.
     */
    run: async (
      files: readonly string[],
      mutants: readonly number[],
      expectedMs: number,
    ): Promise<Failure | null> => {
      turnOn(mutants);
      const child = await lane.start();
      const { promise, resolve } = Promise.withResolvers<{ failure: Failure | null; isOver: boolean }>();
      let failure: Failure | null = null;
      const limits = [
        setTimeout(
          () => resolve({ failure: { file: files[0] ?? "", test: "hangs" }, isOver: false }),
          HANGS_AFTER_MS + 4 * expectedMs,
        ),
      ];
      child.once("exit", () =>
        resolve({ failure: { file: files[0] ?? "", test: "ends the runner" }, isOver: false }),
      );
      child.on("message", (message) => {
        const reply = replySchema.parse(message);
        if (reply.kind === "failed" && failure === null) {
          failure = { file: reply.file, test: reply.test };
          limits.push(setTimeout(() => resolve({ failure, isOver: false }), LINGERS_MS));
        }
        if (reply.kind === "over")
          resolve({
            failure:
              failure ??
              (reply.errors[0] === undefined ? null : { file: files[0] ?? "", test: reply.errors[0] }),
            isOver: true,
          });
      });
      child.send({ files, stopsAtFailure: true });
      const { failure: found, isOver } = await promise;
      for (const limit of limits) clearTimeout(limit);
      child.removeAllListeners();
      if (!isOver) await lane.end();
      turnOn([]);
      return found;
    },
    close: async (): Promise<void> => {
      await lane.close();
      closeRunRoot(root);
    },
  };
};

export type Copy = Awaited<ReturnType<typeof openCopy>>;
