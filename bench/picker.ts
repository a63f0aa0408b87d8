// `npm run bench:picker`: what `agtmux pick` costs with 200 panes, as it is installed, on a pseudo terminal: from its start to the
// first picture with rows, from a key to its redraw, and its share of a core while ten rows a second change. The daemon is a made-up
// one in this process, so that only the picker is measured. `--panes N`, `--runs N`, `--seconds N`, `--json`. Fails when a target
// is missed.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { makeFakeHome } from "../cli/testing/fakeHome.ts";
import type { PaneView } from "../core/model/view.ts";
import { makePane } from "../test/factories/view.ts";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";
import { commandRequest, waiting } from "../test/picker/pickerPanes.ts";
import { installCommand } from "./benchHarness.ts";
import { familyCpuOf } from "./processCost.ts";
import { spreadOf, type Spread } from "./statistics.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CHANGES_PER_SECOND = 10;
const SIZES = [
  [80, 24],
  [140, 50],
  [250, 60],
] as const;
const TARGETS = { firstPaintMs: 150, keyMs: 30, core: 0.1 };

/** On a pseudo terminal of this size, made by util-linux' `script`. */
const start = (program: string, home: string, [columns, rows]: readonly [number, number]) => {
  const command = `stty cols ${columns} rows ${rows}; echo "pid=$$."; exec ${program}`;
  const env = {
    ...process.env,
    AGTMUX_HOME: home,
    AGTMUX_NO_START: "1",
    TERM: "xterm-256color",
    TMUX: "",
    SHELL: "/bin/sh",
  };
  const child = spawn("script", ["-qfec", command, "/dev/null"], { env, stdio: ["pipe", "pipe", "inherit"] });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  // It may have ended by itself.
  child.stdin.on("error", () => {});
  let text = "";
  let startedAt = performance.now();
  const listeners = new Set<(now: number) => void>();
  child.stdout.setEncoding("utf8").on("data", (data: string) => {
    const now = performance.now();
    if (!text.includes("pid=") && data.includes("pid=")) startedAt = now;
    text += data;
    for (const listener of listeners) listener(now);
  });
  const when = (isThere: () => boolean): Promise<number> =>
    new Promise((resolve) => {
      const look = (now: number): void => {
        if (!isThere()) return;
        listeners.delete(look);
        resolve(now);
      };
      listeners.add(look);
      look(performance.now());
    });
  return {
    child,
    /** When the shell that becomes the command is about to do so. */
    get startedAt() {
      return startedAt;
    },
    /** Resolves with the monotonic time at which the text was written. */
    until: (wanted: string): Promise<number> => when(() => text.includes(wanted)),
    /** Resolves with the time of the next thing that is written. */
    next: (): Promise<number> => {
      const before = text.length;
      return when(() => text.length > before);
    },
    pid: async (): Promise<number> => {
      await when(() => /pid=\d+\./.test(text));
      return Number(/pid=(\d+)\./.exec(text)?.[1]);
    },
    type: (keys: string): void => void child.stdin.write(keys),
    end: async (): Promise<void> => {
      child.stdin.write("\u0003");
      await gone;
    },
  };
};

type Running = ReturnType<typeof start>;

const panesOf = (count: number): PaneView[] =>
  Array.from({ length: count }, (_, index) =>
    index % 20 === 0
      ? waiting(index + 1, commandRequest(`npm run step -- --number ${index}`), {
          session: `session-${index % 12}`,
        })
      : makePane({
          pane: index + 1,
          window: index + 1,
          session: `session-${index % 12}`,
          state: index % 3 === 0 ? "running" : index % 3 === 1 ? "idle" : "completed",
          since: Date.now() - index * 10_000,
          activity: {
            prompt: `Task ${index}: make the exporter keep the order of rows`,
            folder: "/home/me/shop-api",
            repository: "shop-api",
            branch: `fix/rows-${index}`,
            said: "All tests pass; nothing else was changed.",
          },
        }),
  );

const screenOf = (turn: number): string[] =>
  Array.from(
    { length: 60 },
    (_, row) => `\u001B[32m✓\u001B[0m step ${turn + row} of the \u001B[1mexport\u001B[0m took 12 ms`,
  );

/** Ten times a second another row changes; every few of them is in view. */
const change = (daemon: AnsweringDaemon, panes: readonly PaneView[]): (() => void) => {
  let turn = 0;
  const timer = setInterval(() => {
    turn += 1;
    const pane = panes[(turn * 7) % Math.min(panes.length, 40)];
    if (pane === undefined || pane.needs_action) return;
    const tool = { name: "Bash", subject: `npm test -- part-${turn}` };
    daemon.put({
      ...pane,
      state: "running",
      reason_code: "tool",
      activity: pane.activity && { ...pane.activity, tool },
    });
    const first = panes[0];
    if (first !== undefined) daemon.outputs.set(first.identity.pane_ref, { screen: screenOf(turn) });
  }, 1_000 / CHANGES_PER_SECOND);
  return () => clearInterval(timer);
};

const pressMany = async (picker: Running, count: number): Promise<Spread> => {
  const sample: number[] = [];
  for (let press = 0; press < count; press += 1) {
    const from = performance.now();
    const drawn = picker.next();
    picker.type(press % 20 < 10 ? "j" : "k");
    sample.push((await drawn) - from);
    await wait(70);
  }
  return spreadOf(sample);
};

const measureSize = async (
  agtmux: string,
  size: readonly [number, number],
  options: { panes: number; runs: number; seconds: number },
) => {
  const pick = `'${agtmux}' pick`;
  const home = makeFakeHome();
  const panes = panesOf(options.panes);
  const daemon = new AnsweringDaemon(panes);
  for (const pane of panes) daemon.outputs.set(pane.identity.pane_ref, { screen: screenOf(0) });
  await home.serve(daemon);
  try {
    const first: number[] = [];
    const empty: number[] = [];
    for (let run = -2; run < options.runs; run += 1) {
      const from = performance.now();
      spawnSync(process.execPath, ["-e", "0"]);
      if (run >= 0) empty.push(performance.now() - from);
      const picker = start(pick, home.paths.home, size);
      const at = await picker.until("need you");
      // The first two fill the compile cache.
      if (run >= 0) first.push(at - picker.startedAt);
      await picker.end();
    }
    const picker = start(pick, home.paths.home, size);
    await picker.until("need you");
    const pid = await picker.pid();
    await wait(1_500);
    const key = await pressMany(picker, 100);
    const coreOf = async (): Promise<number> => {
      // Threads of Node's own are of the process.
      const [from, cpu] = [performance.now(), familyCpuOf(pid).own];
      await wait(options.seconds * 1_000);
      return ((familyCpuOf(pid).own - cpu) * 1_000) / (performance.now() - from);
    };
    const idle = await coreOf();
    const stop = change(daemon, panes);
    const core = await coreOf();
    const keyBusy = await pressMany(picker, 100);
    stop();
    await picker.end();
    return {
      size: `${size[0]} × ${size[1]}`,
      firstPaint: spreadOf(first),
      /** `node -e 0`, in turns with the above. */
      emptyNode: spreadOf(empty),
      key,
      keyBusy,
      /** Shares of a core. */
      core,
      idle,
    };
  } finally {
    await home.close();
  }
};

type Figures = Awaited<ReturnType<typeof measureSize>>;

const ms = ({ median, p95, max }: Spread): string =>
  `${median.toFixed(0)} / ${p95.toFixed(0)} / ${max.toFixed(0)}`;
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const misses = (all: readonly Figures[]): string[] =>
  all.flatMap(({ size, firstPaint, key, core }) => [
    ...(firstPaint.median > TARGETS.firstPaintMs
      ? [`${size}: the first picture takes ${firstPaint.median.toFixed(0)} ms`]
      : []),
    ...(key.p95 > TARGETS.keyMs ? [`${size}: a key takes ${key.p95.toFixed(0)} ms (p95)`] : []),
    ...(core > TARGETS.core ? [`${size}: ${percent(core)} of a core`] : []),
  ]);

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    panes: { type: "string", default: "200" },
    runs: { type: "string", default: "15" },
    seconds: { type: "string", default: "10" },
  },
});
const options = { panes: Number(values.panes), runs: Number(values.runs), seconds: Number(values.seconds) };
const installed = mkdtempSync(join(tmpdir(), "agtmux-bp-"));
const agtmux = installCommand(installed);
const all: Figures[] = [];
try {
  for (const size of SIZES) all.push(await measureSize(agtmux, size, options));
} finally {
  rmSync(installed, { recursive: true, force: true });
}
if (values.json) console.log(JSON.stringify(all, null, 2));
else
  console.log(
    [
      `# agtmux pick, ${options.panes} panes`,
      "",
      `${cpus()[0]?.model.trim() ?? "?"}, ${cpus().length} cores, Node ${process.version}; load ${loadavg()[0]?.toFixed(1) ?? "?"}; bundle ${(readFileSync(join(ROOT, "dist/cli/picker.cjs")).length / 1_024).toFixed(0)} kB; median / p95 / max in ms`,
      "",
      "| columns × rows | start to first picture | an empty Node | key to redraw | the same, 10 changes/s | of a core at 10 changes/s | idle |",
      "|---|---|---|---|---|---|---|",
      ...all.map(
        (one) =>
          `| ${one.size} | ${ms(one.firstPaint)} | ${ms(one.emptyNode)} | ${ms(one.key)} | ${ms(one.keyBusy)} | ${percent(one.core)} | ${percent(one.idle)} |`,
      ),
    ].join("\n"),
  );
for (const miss of misses(all)) {
  console.error(`missed: ${miss}`);
  process.exitCode = 1;
}
