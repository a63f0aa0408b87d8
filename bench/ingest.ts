// How many events per second become durable, and that they are: batches through the daemon's own ingest in a process that is
// killed right after it said "committed", and files through the spool of the running daemon.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { SILENT_LOGGER } from "../core/ports/logger.ts";
import { openStore } from "../core/store/openStore.ts";
import { atLeast, atMost, type BenchOptions, type Measured } from "./report/model.ts";
import { ms } from "./report/words.ts";
import { createHarness } from "./benchHarness.ts";
import { medianOf } from "./statistics.ts";

const CHILD = fileURLToPath(new URL("ingestChild.ts", import.meta.url));
const MIN_PER_SECOND = 10_000;
const BATCHES = [
  { batch: 1, events: 4_000 },
  { batch: 100, events: 20_000 },
  // The size of the batches that the drain of the spool commits.
  { batch: 200, events: 40_000 },
] as const;
const KILLED_BATCH = 100;
const DRAIN_LIMIT_MS = 120_000;

/** Runs the child; `onAck` gets the number of durable events and may answer that the child is to be killed. */
const runChild = async (
  path: string,
  options: { events: number; batch: number },
  onAck: (durable: number) => "kill" | "go on",
): Promise<{ durable: number; batchMs: number[]; batchCpuMs: number[] }> => {
  const words = [CHILD, path, String(options.events), String(options.batch)];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  const gone = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  const batchMs: number[] = [];
  const batchCpuMs: number[] = [];
  let durable = 0;
  let isKilled = false;
  for await (const line of createInterface({ input: child.stdout })) {
    const [made = 0, tookMs = 0, cpuMs = 0] = line.split(" ").map(Number);
    durable = made;
    batchMs.push(tookMs);
    batchCpuMs.push(cpuMs);
    if (!isKilled && onAck(made) === "kill") {
      isKilled = true;
      child.kill("SIGKILL");
    }
  }
  const code = await gone;
  if (!isKilled && code !== 0) throw new Error(`bench ingest: the committing process ended with ${code}`);
  return { durable, batchMs, batchCpuMs };
};

const measureRate = async (folder: string, batch: number, events: number) => {
  const ran = await runChild(join(folder, `rate-${batch}.db`), { events, batch }, () => "go on");
  // In the second half all code is already compiled.
  const half = Math.floor(ran.batchMs.length / 2);
  const medianMs = medianOf(ran.batchMs.slice(half));
  const cpuMs = ran.batchCpuMs.slice(half).reduce((sum, one) => sum + one, 0);
  const measured = batch * (ran.batchCpuMs.length - half);
  return {
    batch,
    events,
    /** Milliseconds of one commit; the rate follows from it. */
    medianMs,
    perSecond: (batch * 1_000) / medianMs,
    /** Independent of other load of the machine: events per second of CPU. */
    perCpuSecond: (measured * 1_000) / cpuMs,
  };
};

type BatchFigure = Awaited<ReturnType<typeof measureRate>>;

/**
 * Kills the process right after it reported a commit, opens the database again and counts how many of the reported events are
 * missing.
 */
const killAndCount = async (folder: string, round: number): Promise<{ told: number; lost: number }> => {
  const path = join(folder, `killed-${round}.db`);
  const until = KILLED_BATCH * (2 + round * 3);
  const { durable } = await runChild(path, { events: 1_000_000, batch: KILLED_BATCH }, (made) =>
    made >= until ? "kill" : "go on",
  );
  openStore({ path, logger: SILENT_LOGGER }).close();
  const db = new Database(path, { readonly: true });
  try {
    const there = db.prepare<[], number>("SELECT count(*) FROM spool_names").pluck().get() ?? 0;
    const events = db.prepare<[], number>("SELECT count(DISTINCT dedupe_key) FROM events").pluck().get() ?? 0;
    const check = db.pragma("integrity_check", { simple: true });
    if (check !== "ok") throw new Error(`bench ingest: the database is damaged: ${String(check)}`);
    return { told: durable, lost: Math.max(0, durable - Math.min(there, events)) };
  } finally {
    db.close();
  }
};

/** Puts files into the spool of a running daemon, and waits until it has committed and deleted them all. */
const measureSpool = async (files: number): Promise<{ files: number; perSecond: number }> => {
  const harness = await createHarness({ panes: 12, agents: 6 });
  try {
    const daemon = await harness.startDaemon();
    for (const agent of harness.agents) harness.drop(agent, "UserPromptSubmit");
    await wait(1_000);
    const names: string[] = [];
    for (let index = 0; index < files; index += 1) {
      const agent = harness.agents[index % harness.agents.length];
      if (agent === undefined) break;
      const event = index % 2 === 0 ? "PreToolUse" : "PostToolUse";
      const name = `5${String(index).padStart(8, "0")}-0`;
      const text = harness.textOf(agent, event, { tool_name: "Bash" });
      writeFileSync(join(harness.paths.spoolTmp, name), text, { mode: 0o600 });
      names.push(name);
    }
    const from = performance.now();
    for (const name of names)
      renameSync(join(harness.paths.spoolTmp, name), join(harness.paths.spoolNew, name));
    while (readdirSync(harness.paths.spoolNew).length > 0) {
      if (performance.now() - from > DRAIN_LIMIT_MS)
        throw new Error("bench ingest: the spool was not drained");
      await wait(5);
    }
    const perSecond = (files * 1_000) / (performance.now() - from);
    await daemon.stop();
    return { files, perSecond };
  } finally {
    await harness.close();
  }
};

export const benchIngest = async ({ isQuick }: BenchOptions): Promise<Measured> => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-bench-ingest-"));
  try {
    const batches: BatchFigure[] = [];
    for (const { batch, events } of isQuick ? [{ batch: 100, events: 400 }] : BATCHES)
      batches.push(await measureRate(folder, batch, events));
    const kills: { told: number; lost: number }[] = [];
    for (let round = 0; round < (isQuick ? 1 : 5); round += 1) kills.push(await killAndCount(folder, round));
    const spool = await measureSpool(isQuick ? 100 : 5_000);
    const best = Math.max(...batches.map(({ perSecond }) => perSecond));
    const lost = kills.reduce((sum, kill) => sum + kill.lost, 0);
    return {
      name: "ingest",
      title: "Events made durable",
      how: "A process commits batches of tool events of 50 agents through the daemon's own ingest (normalising, redaction, binding, evidence, state, transition, one transaction for each batch); the rate is that of the median batch of the second half. Another one is ended with SIGKILL right after it said that a batch is committed; the database is opened again and counted. The spool: files renamed into it until the running daemon has committed and deleted them all.",
      tables: [
        {
          caption: "Batches",
          head: ["events in a batch", "median commit", "events/s", "events for a second of CPU"],
          rows: batches.map(({ batch, medianMs, perSecond, perCpuSecond }) => [
            String(batch),
            ms(medianMs),
            Math.round(perSecond).toLocaleString("en"),
            Math.round(perCpuSecond).toLocaleString("en"),
          ]),
        },
      ],
      checks: [
        atLeast("durable events per second, in batches", best, MIN_PER_SECOND, "/s"),
        atMost(`events lost over ${kills.length} × SIGKILL after the commit was told`, lost, 0, "events"),
      ],
      notes: [
        `${spool.files.toLocaleString("en")} event files through the spool of the running daemon: ${Math.round(spool.perSecond).toLocaleString("en")} files/s from the first rename to the last deletion.`,
        `SIGKILL: ${kills.reduce((sum, { told }) => sum + told, 0).toLocaleString("en")} events told as durable in ${kills.length} processes, ${lost} of them missing afterwards; integrity_check ok each time.`,
      ],
      figures: { batches, kills, spool },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
