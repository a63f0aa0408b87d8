// Writes of a response that are killed, at a step or at any moment, and what is left of them: the answer is in the document or kept, and
// afterwards there once.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import { build } from "esbuild";
import { putInto, readPatchFile } from "../../editors/vscode/src/applyResponse.ts";
import { locateDocument } from "../../features/documents/files/documentPaths.ts";
import { recoverPending } from "../../features/documents/flow/writeResponse.ts";
import { mergeTexts } from "../../features/documents/model/mergeTexts.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ANY_MOMENT = "at any moment";

/** Those of the way over the disk, and of the way through an editor. */
export const KILL_STEPS = [
  "pending saved",
  "locked",
  "written beside",
  "renamed",
  "in the file",
  "snapshot saved",
  "pending removed",
  ANY_MOMENT,
  "handed over",
  "acknowledged",
] as const;
export type KillStep = (typeof KILL_STEPS)[number];

const isThroughEditor = (step: KillStep): boolean => step === "handed over" || step === "acknowledged";

/** One file, so that a process has it read in an instant. */
export const bundleKilledWrite = async (): Promise<string> => {
  const outfile = join(ROOT, "dist", "test", "killedWrite.mjs");
  await build({
    entryPoints: [join(ROOT, "features/documents/flow/fixtures/killedWriteScript.ts")],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "warning",
  });
  return outfile;
};

const doc = "<!-- agent:exchange mode=append -->\nWhich way?\n<!-- /agent:exchange -->\n";

/** An editor that takes what it is handed a moment later, whether anybody still waits for it or not. */
const playEditor = (folder: string): { untilDone(): Promise<void>; close(): void } => {
  const patches = join(folder, ".agent-doc", "patches");
  const take = (): void => {
    for (const name of readdirSync(patches).filter((one) => one.endsWith(".json") && !one.startsWith("."))) {
      const path = join(patches, name);
      const patch = readPatchFile(readFileSync(path, "utf8"));
      if (patch === null) continue;
      writeFileSync(patch.file, putInto(patch, readFileSync(patch.file, "utf8")));
      rmSync(path, { force: true });
    }
  };
  const timer = setInterval(take, 15);
  return {
    untilDone: async () => {
      while (readdirSync(patches).length > 0) await delay(5);
    },
    close: () => clearInterval(timer),
  };
};

export interface Killer {
  /** What is wrong afterwards; null where nothing is. `number` is in the answer. */
  kill(step: KillStep, number: number): Promise<string | null>;
}

/** Each in a folder of its own, which it may use as it likes. */
export const createKiller = (script: string, folder: string, random: () => number): Killer => {
  /** As long as a write takes, from the start of its process to its last file. */
  let wholeMs = 300;
  const path = (name: string): string => join(folder, name);

  const run = async (step: KillStep): Promise<void> => {
    const from = performance.now();
    const child = spawn(process.execPath, [script, path("plan.md"), path("seen"), path("response"), step], {
      cwd: folder,
      stdio: "ignore",
      env: { ...process.env, NODE_COMPILE_CACHE: join(ROOT, "dist", "test", "cache") },
    });
    const ended = once(child, "exit");
    if (step === ANY_MOMENT) setTimeout(() => child.kill("SIGKILL"), wholeMs * (0.4 + 0.6 * random()));
    await ended;
    if (step === "pending removed") wholeMs = performance.now() - from;
    else if (step !== ANY_MOMENT && child.signalCode !== "SIGKILL")
      throw new Error(`a write never came to '${step}'`);
  };

  const kill = async (step: KillStep, number: number): Promise<string | null> => {
    const isEdited = isThroughEditor(step);
    rmSync(path(".agent-doc"), { recursive: true, force: true });
    mkdirSync(path(isEdited ? ".agent-doc/patches" : ".agent-doc"), { recursive: true });
    for (const name of ["plan.md", "seen"]) writeFileSync(path(name), doc);
    writeFileSync(path("response"), `Over the bridge, number ${number}.\n`);
    const editor = isEdited ? playEditor(folder) : null;
    try {
      await run(step);
      // The editor knows nothing of a command that has ended.
      await editor?.untilDone();
      const paths = await locateDocument(path("plan.md"), folder);
      // What was not whole yet has another name.
      const pending = existsSync(paths.pending)
        ? readdirSync(paths.pending).filter((one) => one.endsWith(".json")).length
        : 0;
      const times = () => readFileSync(path("plan.md"), "utf8").split(`number ${number}.`).length - 1;
      const before = times();
      await recoverPending({
        paths,
        mergeByLines: (...texts) => Promise.resolve(mergeTexts(...texts)),
        way: "auto",
        now: Date.now(),
      });
      // Killed before its first file, it took nothing over: then nothing was promised.
      const wasTaken = step !== ANY_MOMENT || before > 0 || pending > 0;
      const isGood = wasTaken ? (before > 0 || pending === 1) && times() === 1 : times() === 0;
      return isGood ? null : `a kill after '${step}': ${before} times before, ${times()} after`;
    } finally {
      editor?.close();
    }
  };
  return { kill };
};
