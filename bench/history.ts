// `npm run bench:history`: what the history costs with many sessions: the first look at all of them, the list, the next look, a
// search through a gigabyte, and how long the loop is held meanwhile. The feature runs in this process over a made-up home. Logs are
// as long as in practice: what is never read of them is a hole in the file. `--sessions N`, `--mb N` of text to search.
import { mkdirSync, openSync, closeSync, ftruncateSync, writeSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { makeHistoryHome, type HistoryHome } from "../test/history/historyHome.ts";
import { describeMachine } from "./machine.ts";
import { spreadOf } from "./statistics.ts";

const { values } = parseArgs({
  options: { sessions: { type: "string", default: "10000" }, mb: { type: "string", default: "1024" } },
});
const SESSIONS = Number(values.sessions);
const SEARCHED_MB = Number(values.mb);
const MB = 1024 * 1024;
const LISTS = 200;

const id = (index: number): string => `${String(index).padStart(8, "0")}-0000-4000-8000-000000000000`;
const at = (index: number): string => new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
const WORDS =
  "the retry budget of payments is computed twice when a request times out and the worker restarts".split(
    " ",
  );
const prose = (seed: number, words: number): string =>
  Array.from({ length: words }, (_, index) => WORDS[(seed * 7 + index * index) % WORDS.length]).join(" ");

const claude = (index: number, text: string): string =>
  `${JSON.stringify({ type: "user", isSidechain: false, cwd: `/home/me/p${index % 50}`, gitBranch: "main", sessionId: id(index), timestamp: at(index), message: { role: "user", content: text } })}\n`;
const codexHead = (index: number): string =>
  `${JSON.stringify({ timestamp: at(index), type: "session_meta", payload: { id: id(index), timestamp: at(index), cwd: `/home/me/p${index % 50}`, source: "cli", base_instructions: { text: "x".repeat(20_000) } } })}\n` +
  `${JSON.stringify({ timestamp: at(index), type: "event_msg", payload: { type: "user_message", message: prose(index, 20) } })}\n`;
const piHead = (index: number): string =>
  `${JSON.stringify({ type: "session", version: 3, id: id(index), timestamp: at(index), cwd: `/home/me/p${index % 50}` })}\n` +
  `${JSON.stringify({ type: "message", id: "a", parentId: null, timestamp: at(index), message: { role: "user", content: prose(index, 20) } })}\n`;

/** Most are short and few are long: the mean is half a megabyte, as people who counted theirs report. */
const sizeOf = (index: number): number => Math.round(((index * 7_919) % 1_000) ** 3 * 0.002) + 4_096;

const writeSparse = (home: string, path: string, head: string, tail: string, size: number): void => {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  const handle = openSync(file, "w");
  writeSync(handle, head);
  if (size > head.length + tail.length) {
    ftruncateSync(handle, size - tail.length);
    writeSync(handle, `\n${tail}`, size - tail.length);
  }
  closeSync(handle);
};

const fill = (home: string): number => {
  let bytes = 0;
  for (let index = 0; index < SESSIONS; index += 1) {
    const size = sizeOf(index);
    bytes += size;
    const tail = claude(index, prose(index, 40));
    if (index % 3 === 0)
      writeSparse(
        home,
        `.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${id(index)}.jsonl`,
        codexHead(index),
        tail,
        size,
      );
    else if (index % 3 === 1)
      writeSparse(
        home,
        `.pi/agent/sessions/--work-p${index % 50}--/2026_${id(index)}.jsonl`,
        piHead(index),
        tail,
        size,
      );
    else
      writeSparse(
        home,
        `.claude/projects/-work-p${index % 50}/${id(index)}.jsonl`,
        claude(index, prose(index, 60)).repeat(12),
        tail,
        size,
      );
  }
  return bytes;
};

/** Text without holes, newer than all others. */
const fillSearched = (home: string): void => {
  const line = claude(0, prose(3, 120));
  const text = line.repeat(Math.ceil((4 * MB) / line.length));
  for (let index = 0; index < SEARCHED_MB / 4; index += 1) {
    const number = SESSIONS + index;
    const own = index === Math.floor(SEARCHED_MB / 8) ? claude(number, "a needle in the middle") : "";
    const file = join(home, `.claude/projects/-searched/${id(number)}.jsonl`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, claude(number, `searched ${index}`) + text + own + claude(number, "end"));
  }
};

const measure = async (work: () => Promise<unknown>) => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const rss = process.memoryUsage().rss;
  const cpu = process.cpuUsage();
  delay.enable();
  const began = performance.now();
  await work();
  const ms = performance.now() - began;
  delay.disable();
  const used = process.cpuUsage(cpu);
  return {
    ms,
    cpuMs: (used.user + used.system) / 1_000,
    lagP99: delay.percentile(99) / 1e6,
    lagMax: delay.max / 1e6,
    rssMb: (process.memoryUsage().rss - rss) / MB,
  };
};

type Cost = Awaited<ReturnType<typeof measure>>;

const show = (name: string, { ms, cpuMs, lagP99, lagMax, rssMb }: Cost, more = ""): void =>
  console.log(
    `${name.padEnd(26)} ${ms.toFixed(0).padStart(7)} ms, CPU ${cpuMs.toFixed(0).padStart(6)} ms, loop p99 ${lagP99.toFixed(1)} ms (max ${lagMax.toFixed(1)}), memory ${rssMb.toFixed(0)} MB${more}`,
  );

const searchAll = async (
  home: HistoryHome,
  text: string,
): Promise<{ bytes: number; firstMs: number | null }> => {
  const began = performance.now();
  let firstMs: number | null = null;
  let bytes = 0;
  for (let cursor: string | null = null; ;) {
    const page: Awaited<ReturnType<typeof home.ask<"search">>> = await home.ask("search", { text, cursor });
    bytes += page.bytes;
    if (page.hits.length > 0) firstMs ??= performance.now() - began;
    cursor = page.cursor;
    if (cursor === null) return { bytes, firstMs };
  }
};

const home = makeHistoryHome();
try {
  console.log(describeMachine());
  const bytes = fill(home.home);
  console.log(`${SESSIONS} sessions, ${(bytes / 1024 ** 3).toFixed(1)} GB`);
  show("first look", await measure(() => home.refresh()));
  show("next look, nothing new", await measure(() => home.refresh()));
  const times: number[] = [];
  for (let index = 0; index < LISTS; index += 1) {
    const began = performance.now();
    await home.ask(
      "list",
      index % 4 === 0
        ? { text: "budget", offset: index }
        : index % 4 === 1
          ? { folder: `/home/me/p${index % 50}` }
          : { offset: index * 10 },
    );
    times.push(performance.now() - began);
  }
  const list = spreadOf(times);
  console.log(
    `list                       median ${list.median.toFixed(1)} ms, p95 ${list.p95.toFixed(1)} ms`,
  );
  fillSearched(home.home);
  await home.refresh();
  let found = { bytes: 0, firstMs: null as number | null };
  // Once before, so that the files are in memory as far as there is room.
  await searchAll(home, "no such text anywhere");
  const cost = await measure(async () => {
    found = await searchAll(home, "no such text anywhere");
  });
  show(
    "search, all bytes",
    cost,
    `, ${(found.bytes / 1e6 / (cost.ms / 1_000)).toFixed(0)} MB/s over ${(found.bytes / 1e9).toFixed(1)} GB`,
  );
  const needle = await searchAll(home, "a needle in the middle");
  const common = await searchAll(home, "searched");
  console.log(
    `first hit                  ${needle.firstMs?.toFixed(0)} ms behind ${SEARCHED_MB / 2} MB, ${common.firstMs?.toFixed(0)} ms for a common text`,
  );
  show(
    "usage, all bytes",
    await measure(async () => {
      while (!(await home.ask("readUsage", undefined)).isDone);
    }),
  );
} finally {
  await home.close();
}
