// More than anybody meant: a flood of event files, a spool that grew while no daemon ran, and lines without an end.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { dropEvent } from "../harness/eventFile.ts";
import { openFaultHarness, type FaultHarness } from "./faultHarness.ts";
import { injectFault, timed } from "./injectFault.ts";
import { memoryMb } from "./memory.ts";
import type { Outcome } from "./outcome.ts";

const WRITER = fileURLToPath(new URL("fixtures/floodScript.ts", import.meta.url));
const MEMORY_DISK = "/dev/shm";
const WARM_UP = 2_000;
const LIST_EVERY_MS = 100;

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** In memory where that is possible: many disks make some thousand files a second at best, and slow down whoever reads them. */
const openQuickHarness = (): Promise<FaultHarness> => {
  if (!existsSync(MEMORY_DISK)) return openFaultHarness();
  const folder = mkdtempSync(join(MEMORY_DISK, "agtmux-f-"));
  return openFaultHarness({
    homeOf: () => folder,
    release: () => rmSync(folder, { recursive: true, force: true }),
  });
};

/** Runs a writer that drops `count` events at `perSecond` at most; resolves with the seconds it took. */
const flood = async (
  harness: FaultHarness,
  options: { first: number; count: number; perSecond: number },
): Promise<number> => {
  const { paneId, sessionId, pid } = harness.agents.running.player;
  const socket = `${harness.tmux.socketPath},${await harness.tmux.serverPid()},0`;
  const given = { spool: harness.paths.spool, socket, paneId, sessionId, pid, ...options };
  const from = performance.now();
  const child = spawn(process.execPath, [WRITER, JSON.stringify(given)], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`the writer ended with ${code}`);
  return (performance.now() - from) / 1_000;
};
const namesOf = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `p-${String(first + index).padStart(9, "0")}`);

/** Asks for the lists until `work` is done, with the running agent drawing on; what there is to say of it for the table. */
const askMeanwhile = async (harness: FaultHarness, pid: number, work: Promise<unknown>): Promise<string> => {
  const times: number[] = [];
  let peakMb = 0;
  const over = new AbortController();
  void work.finally(() => over.abort()).catch(() => {});
  while (!over.signal.aborted) {
    await harness.redraw();
    times.push(await timed(() => harness.look()));
    peakMb = Math.max(peakMb, memoryMb(pid));
    await wait(LIST_EVERY_MS);
  }
  await work;
  return `lists p95 ${percentile(times, 0.95).toFixed(0)} ms, at most ${peakMb.toFixed(0)} MB`;
};
const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Files come faster than they can be applied: they wait on the disk, the lists are answered, and in the end all are stored. */
export const eventFlood = (seconds: number, perSecond: number): Promise<Outcome> =>
  injectFault({ fault: "flood of event files", times: 1, open: openQuickHarness }, async (trial) => {
    const { harness } = trial;
    // What a daemon takes that has seen many events is its base.
    await flood(harness, { first: 0, count: WARM_UP, perSecond });
    await harness.untilDrained();
    trial.takeBase();
    const count = seconds * perSecond;
    let note = "";
    await trial.rounds(async () => {
      let [tookS, asked] = [0, ""];
      const work = async (): Promise<void> => {
        tookS = await flood(harness, { first: WARM_UP, count, perSecond });
        await harness.untilDrained();
      };
      const drainedMs = await timed(async () => {
        asked = await askMeanwhile(harness, trial.daemon.pid, work());
      });
      note = `${count} files at ${Math.round(count / tookS)}/s, all stored after ${inSeconds(drainedMs)}, ${asked}`;
      return harness.untilTrue();
    });
    trial.count(namesOf(0, WARM_UP + count), harness.stored());
    return note;
  });

/** The spool as it is after a weekend without a daemon. */
export const backlogAtStart = (files: number): Promise<Outcome> =>
  injectFault({ fault: "backlog at start", times: 1, open: openQuickHarness }, async (trial) => {
    const { harness } = trial;
    await trial.daemon.stop();
    await flood(harness, { first: 0, count: files, perSecond: Infinity });
    let note = "";
    await trial.rounds(async () => {
      const from = performance.now();
      const answeredMs = await timed(() => trial.restart());
      await harness.look();
      const asked = await askMeanwhile(harness, trial.daemon.pid, harness.untilDrained());
      const drainedMs = performance.now() - from;
      await harness.untilTrue();
      note = `${files} files, answers after ${inSeconds(answeredMs)}, all stored after ${inSeconds(drainedMs)}, ${asked}`;
      return performance.now() - from;
    });
    trial.count(namesOf(0, files), harness.stored());
    return note;
  });

const LONG = 10_000_000;
const ofLength = (length: number): string => "x".repeat(length);

/** Status of a request whose body or path has ten million characters; 0 where the connection was ended. */
const sendLong = (socketPath: string, where: "body" | "path"): Promise<number> =>
  new Promise((resolve) => {
    const long = ofLength(LONG);
    const outgoing = request({
      socketPath,
      method: where === "body" ? "POST" : "GET",
      path: where === "body" ? "/doctor" : `/panes?input=${long}`,
      headers: { host: "agtmux", ...(where === "body" ? { "content-type": "application/json" } : {}) },
    });
    outgoing.once("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    outgoing.once("error", () => resolve(0));
    outgoing.end(where === "body" ? JSON.stringify(long) : undefined);
  });

const sendLongLines = async (harness: FaultHarness, round: number): Promise<void> => {
  const { paths, tmux, agents } = harness;
  const { player } = agents.running;
  const header = `agtmux-event 1\nagent=claude\nevent=Notification\npane=${player.paneId}\n`;
  dropEvent(paths.spool, `long-${round}`, `${header}\n{"message":"${ofLength(LONG)}"}`);
  dropEvent(paths.spool, `header-${round}`, header + ofLength(LONG));
  await player.transcriptLine({ type: "assistant", message: ofLength(LONG) });
  const print = `head -c ${LONG} /dev/zero | tr '\\0' x`;
  await tmux.run("new-window", "-d", "-n", `out${round}`, `${print}; exec cat`);
  await tmux.run(
    "new-window",
    "-d",
    "-n",
    `title${round}`,
    `printf '\\033]2;'; ${print}; printf '\\007'; exec cat`,
  );
  for (const where of ["body", "path"] as const) {
    const status = await sendLong(paths.socket, where);
    if (status >= 200 && status < 300) throw new Error(`a ${where} of 10 MB was taken`);
  }
};

/** Lines of ten million characters wherever a line can come from. */
export const longLines = (times: number): Promise<Outcome> =>
  injectFault({ fault: "lines of 10 MB", times }, async (trial) => {
    const { harness } = trial;
    await trial.rounds(async (round) => {
      await sendLongLines(harness, round);
      harness.drop();
      const tookMs = await harness.untilTrue();
      await harness.untilDrained();
      return tookMs;
    });
    const kept = readdirSync(harness.paths.spoolBad).length;
    await wait(2_000);
    return `payload, header (${kept} set aside), transcript, output, title, request body and path`;
  });
