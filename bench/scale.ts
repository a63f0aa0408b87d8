// Cost as panes grow: the same fifty targets with a hundred, a thousand and ten thousand panes, each size in a process of its own.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { atMost, type BenchOptions, type Measured } from "./report/model.ts";
import { digits, mb, ms } from "./report/words.ts";
import { scaleFigureSchema, type ScaleFigure } from "./report/scaleFigure.ts";
import { fitExponent } from "./statistics.ts";

const CHILD = fileURLToPath(new URL("scaleChild.ts", import.meta.url));
const TARGETS = 50;
const SIZES = [100, 1_000, 10_000];
const SIMULATED_SECONDS = 60;
const EVENTS = 2_000;
/** Linear, plus the error of a sample of three sizes. */
const MAX_EXPONENT = 1.1;
const LIMIT_MS = 300_000;

const run = promisify(execFile);

const measureSize = async (...sizes: number[]): Promise<ScaleFigure> => {
  const words = ["--expose-gc", CHILD, ...sizes.map(String)];
  const { stdout } = await run(process.execPath, words, { timeout: LIMIT_MS });
  return scaleFigureSchema.parse(JSON.parse(stdout));
};

/** Only for sizes from a thousand on: below that, costs that do not depend on panes dominate. */
const exponentOf = (sizes: readonly ScaleFigure[], pick: (size: ScaleFigure) => number): number =>
  fitExponent(sizes.slice(-2).map((size) => ({ x: size.panes, y: pick(size) })));

const columns: readonly (readonly [string, (size: ScaleFigure) => string])[] = [
  ["panes (agents)", ({ panes, agents }) => `${panes.toLocaleString("en")} (${agents.toLocaleString("en")})`],
  ["watching, CPU for a second", ({ cpuMsPerSecond }) => ms(cpuMsPerSecond)],
  ["CPU for an event", ({ cpuMsPerEvent }) => ms(cpuMsPerEvent)],
  ["list of all panes", ({ cpuMsPerList }) => ms(cpuMsPerList)],
  ["the same, no row known", ({ cpuMsPerListAnew }) => ms(cpuMsPerListAnew)],
  ["list of sessions", ({ cpuMsPerSessions }) => ms(cpuMsPerSessions)],
  ["list size", ({ listBytes }) => `${digits(listBytes / 1_024)} kB`],
  ["memory that the panes and their list add", ({ memoryMb }) => mb(memoryMb)],
  ["resident", ({ residentMb }) => mb(residentMb)],
];

const toMeasured = (sizes: readonly ScaleFigure[]): Measured => {
  const [small, large] = [sizes.at(-2), sizes.at(-1)];
  if (small === undefined || large === undefined) throw new Error("bench scale: two sizes are needed");
  const bytesPerPane = ((large.memoryMb - small.memoryMb) * 1e6) / (large.panes - small.panes);
  const exponents = {
    watching: exponentOf(sizes, ({ cpuMsPerSecond }) => cpuMsPerSecond),
    event: exponentOf(sizes, ({ cpuMsPerEvent }) => cpuMsPerEvent),
    list: exponentOf(sizes, ({ cpuMsPerList }) => cpuMsPerList),
    listAnew: exponentOf(sizes, ({ cpuMsPerListAnew }) => cpuMsPerListAnew),
    sessions: exponentOf(sizes, ({ cpuMsPerSessions }) => cpuMsPerSessions),
  };
  return {
    name: "scale",
    title: "Cost as panes and targets grow",
    how: `${large.targets} simulated targets, one pane in ten with an idle Claude; the real collectors, engine, database and lists over tmux servers that answer from memory, ${SIMULATED_SECONDS} simulated seconds of watching, then ${EVENTS} events that each change a state. A list is every pane, from the rows to the bytes that are sent, in CPU on average over as many rows of each size; between two lists a second passes and one agent in ten changes its state. "No row known": the texts of all rows are written again, as for the first list after a start.`,
    tables: [
      {
        caption: "By size",
        head: columns.map(([title]) => title),
        rows: sizes.map((size) => columns.map(([, cell]) => cell(size))),
      },
    ],
    checks: [
      atMost("watching: exponent of its cost by panes", exponents.watching, MAX_EXPONENT, ""),
      atMost("an event: exponent of its cost by panes", exponents.event, 0.3, ""),
      atMost("a list: exponent of its cost by panes", exponents.list, MAX_EXPONENT, ""),
    ],
    notes: [
      `Exponents between the two largest sizes (1 is linear): watching ${exponents.watching.toFixed(2)}, an event ${exponents.event.toFixed(2)}, a list ${exponents.list.toFixed(2)}. Without a limit: a list with no row known ${exponents.listAnew.toFixed(2)}, a list of sessions ${exponents.sessions.toFixed(2)}; both look into every row, and ten thousand rows no longer fit the processor's nearest caches.`,
      `The constants at ${large.panes.toLocaleString("en")} panes: ${digits((large.cpuMsPerSecond * 1_000) / large.panes)} µs of CPU for a pane and second, ${digits((large.cpuMsPerList * 1_000) / large.panes)} µs of a list for a pane, ${digits((large.cpuMsPerListAnew * 1_000) / large.panes)} µs with no row known, ${digits(bytesPerPane / 1_000)} kB of memory for a pane, the kept bytes of the list included.`,
      "Not in it: tmux, SSH and the reading of their answers; the other tables have those, up to 1,000 panes.",
    ],
    figures: { sizes, exponents, bytesPerPane },
  };
};

export const benchScale = async ({ isQuick }: BenchOptions): Promise<Measured> => {
  const sizes: ScaleFigure[] = [];
  for (const panes of isQuick ? [20, 40] : SIZES)
    sizes.push(
      await (isQuick
        ? measureSize(2, panes, 1, 100)
        : measureSize(TARGETS, panes, SIMULATED_SECONDS, EVENTS)),
    );
  return toMeasured(sizes);
};
