// The watch that is always there, on every recording of an agent at work: twenty minutes of its own time with nothing but its spinner,
// its seconds or its words moving, and then it stands still. The runner, its timers and its decisions are the product's; the clock is
// the test's.
import { join } from "node:path";
import { expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { screenOf, type Recording } from "../../adapters/testkit/recordings.ts";
import { loadCorpus } from "../../bench/detect/corpus.ts";
import { DEFAULT_CONFIG } from "../../core/model/config.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { WatchRunner } from "../../features/automation/watches/watchRunner.ts";
import { makePane } from "../factories/view.ts";

const MINUTE = 60_000;
const WORKS_MS = 20 * MINUTE;
const LIMIT_MS = DEFAULT_CONFIG.notifications.stalled_after_ms ?? 0;
/** It is told so long after that at the latest. */
const LATE_MS = 5_000;
const LOOK_MS = 2_000;
/** Signs of life are too old by then. */
const STALE_MS = 45_000;

const FOLDER = join(import.meta.dirname, "../fixtures/recordings");
const FRAMES = loadCorpus(FOLDER).frames.filter(({ label }) => label.state === "running");

const turned =
  (glyphs: string, by: number) =>
  (glyph: string): string => {
    const all = Array.from(glyphs);
    return all[(all.indexOf(glyph) + by) % all.length] ?? glyph;
  };

/** What agents move while they work; the first of these that a recording has is all that moves. */
const MOVES: readonly [what: string, seen: RegExp, move: (text: string, step: number) => string][] = [
  ["stars", /^[·✢✳✶✻✽](?= \p{Lu}\p{L}+…)/gmu, (sign, step) => turned("·✢✳✶✻✽", step % 6)(sign)],
  ["dots", /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/gu, (sign, step) => turned("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", step % 10)(sign)],
  [
    "a bar",
    /[■⬝]{4,}/gu,
    (bar, step) => Array.from(bar, (_, at) => (at === step % bar.length ? "■" : "⬝")).join(""),
  ],
  ["a ring", /[◉◎](?= Working)/gu, (sign, step) => turned("◉◎", step % 2)(sign)],
  ["seconds", /(?<=Working \()\d+(?=s)/g, (seconds, step) => String(Number(seconds) + 2 * step)],
  [
    "seconds of a turn",
    /(?<=^[*∗] \S+… \()\d+(?=s)/gm,
    (seconds, step) => String(Number(seconds) + 2 * step),
  ],
  [
    "seconds of a command",
    /(?<=Running… \()\d+(?=s\))/g,
    (seconds, step) => String(Number(seconds) + 2 * step),
  ],
  ["seconds of a sub-agent", /(?<= )\d+(?=s · )/g, (seconds, step) => String(Number(seconds) + 2 * step)],
  [
    "seconds in brackets",
    /(?<=\()\d+(?=s · .*esc to cancel\))/g,
    (seconds, step) => String(Number(seconds) + 2 * step),
  ],
  ["words", /(?<=word)\d+$/gm, (number, step) => String(Number(number) + step)],
];

const moveOf = ({ text }: Recording) => MOVES.find(([, seen]) => text.search(seen) >= 0) ?? null;

/** A frame as it is so many looks later. */
const atStep = (recording: Recording, step: number): Recording => {
  const move = moveOf(recording);
  const text =
    move === null ? recording.text : recording.text.replaceAll(move[1], (found) => move[2](found, step));
  return { ...recording, text, ansi: text };
};

/** A daemon's watches over one agent, on a clock that goes from timer to timer. */
const open = (row: PaneView) => {
  let now = new Date(2026, 10, 23, 9, 0).getTime();
  let timers: { at: number; run: () => void }[] = [];
  let show: (runtimeId: string, lines: readonly string[]) => void = () => {};
  let rows = [row];
  const told: { title: string; at: number }[] = [];
  const clock = {
    now: () => now,
    setTimer: (delayMs: number, run: () => void) => {
      const timer = { at: now + delayMs, run };
      timers.push(timer);
      return () => void (timers = timers.filter((one) => one !== timer));
    },
  };
  const context = {
    rows: { all: () => rows, onScreens: (listener: typeof show) => ((show = listener), () => {}) },
    config: () => DEFAULT_CONFIG,
    jobs: { listArmedJobs: () => [], listTold: () => [], pausedAt: () => null },
    isReady: () => true,
    clock,
    logger: SILENT_LOGGER,
  } as unknown as FeatureContext;
  const runner = new WatchRunner({
    context,
    rules: () => [],
    tell: ({ title }) => told.push({ title, at: now }),
    hears: () => true,
  });
  return {
    told,
    now: () => now,
    setRow: (next: PaneView) => {
      rows = [next];
      runner.handleChanges([{ kind: "pane", pane: next } as never]);
    },
    see: ({ text }: Recording) => show(row.identity.runtime_id ?? "", text.split("\n")),
    pass: (ms: number) => {
      const end = now + ms;
      for (;;) {
        const next = timers.toSorted((a, b) => a.at - b.at).find(({ at }) => at <= end);
        if (next === undefined) break;
        timers = timers.filter((one) => one !== next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = end;
    },
  };
};

it("has recordings of every agent at work, and knows what moves in each", () => {
  const agents = new Set(FRAMES.map(({ agent }) => agent));
  expect([...agents].toSorted()).toEqual([
    "claude",
    "cline",
    "codex",
    "copilot",
    "gemini",
    "kilo",
    "omp",
    "opencode",
    "pi",
    "qwen",
  ]);
  expect(FRAMES.length).toBeGreaterThan(25);
  expect(FRAMES.filter(({ recording }) => moveOf(recording) === null).map(({ name }) => name)).toEqual([]);
});

it.each(FRAMES.map((frame) => [`${frame.agent}/${frame.name}`, frame] as const))(
  "%s is not told of while it moves, and in time once it stands still",
  (_name, { agent, recording }) => {
    const adapter = createAdapterRegistry().byAgentType(agent);
    const readAt = (step: number) =>
      adapter?.readScreen(screenOf(atStep(recording, step)))?.status.state ?? null;
    for (const step of [1, 7, 100]) expect(readAt(step)).toBe(readAt(0));
    const row = makePane({ agent, state: "running" });
    const { told, see, pass, now, setRow } = open(row);
    for (let step = 0; step * LOOK_MS < WORKS_MS; step += 1) {
      see(atStep(recording, step));
      pass(LOOK_MS);
    }
    expect(told).toEqual([]);
    const last = WORKS_MS / LOOK_MS - 1;
    const stoodAt = now() - LOOK_MS;
    for (let waited = 0; waited < LIMIT_MS + LATE_MS; waited += LOOK_MS) {
      see(atStep(recording, last));
      if (waited === STALE_MS - (STALE_MS % LOOK_MS))
        setRow({ ...row, state: "unknown", reason_code: "stale_signal", state_version: 9 });
      pass(LOOK_MS);
    }
    expect(told.map(({ title }) => title)).toEqual([
      expect.stringContaining("has shown nothing new for 15m"),
    ]);
    const afterMs = (told[0]?.at ?? 0) - stoodAt;
    expect(afterMs).toBeGreaterThanOrEqual(LIMIT_MS);
    expect(afterMs).toBeLessThanOrEqual(LIMIT_MS + LATE_MS);
  },
);
