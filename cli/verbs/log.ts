// `agtmux log`, and `readLog` for `agtmux report`: the daemon's log for a person. It reads the files, which are redacted already,
// so it needs no daemon.
import { open, readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { AgtmuxError, isMissing } from "../../core/model/errors.ts";
import type { CliContext } from "../command/context.ts";
import { parseCount, parseSince } from "../parse/values.ts";
import { cleanLine } from "../render/clean.ts";
import type { Colour } from "../render/table.ts";

const DEFAULT_LINES = 100;
const MAX_LINES = 100_000;
const LOOK_EVERY_MS = 500;

/** As pino numbers them. */
const LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 } as const;
type Level = keyof typeof LEVELS;
const COLOURS: Readonly<Record<Level, Colour>> = {
  trace: "dim",
  debug: "dim",
  info: "dim",
  warn: "yellow",
  error: "red",
  fatal: "red",
};
const NAMES = ["trace", "debug", "info", "warn", "error", "fatal"] as const satisfies readonly Level[];

const parseLevel = (text: string): Level => {
  const level = NAMES.find((name) => name === text);
  if (level === undefined)
    throw new AgtmuxError("E_USAGE", `--level: unknown value '${text}'`, {
      remedy: `It is ${NAMES.join(", ")}.`,
    });
  return level;
};

interface Wanted {
  level: Level;
  /** Epoch ms; null: all. */
  since: number | null;
  isRaw: boolean;
  /** Chooses what is shown of a record's fields; without it all of them. */
  choose?: ChooseFields;
}

type ChooseFields = (fields: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

const levelOf = (value: unknown): Level =>
  NAMES.findLast((name) => typeof value === "number" && LEVELS[name] <= value) ?? "info";

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const parseRecord = (line: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    // Not from the daemon, or half written: then it is read again when it is whole.
    return null;
  }
};

/** A line as a person reads it; null for one that is not wanted, or that is no record. */
const renderLine = (
  line: string,
  { level, since, isRaw, choose }: Wanted,
  paint: CliContext["paint"],
): string | null => {
  const record = parseRecord(line);
  if (record === null) return null;
  const { level: number, time, msg, ...fields } = record;
  const date = new Date(typeof time === "number" ? time : Number.NaN);
  const at = date.getTime();
  const own = levelOf(number);
  if (Number.isNaN(at) || LEVELS[own] < LEVELS[level] || (since !== null && at < since)) return null;
  if (isRaw) return line;
  const moment = date.toISOString().slice(0, 19).replace("T", " ");
  const textOf = (value: unknown): string =>
    typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const more = Object.entries(choose?.(fields) ?? fields).map(([name, value]) => `${name}=${textOf(value)}`);
  const said = cleanLine([textOf(msg), ...more].join(" "));
  return `${paint("dim", moment)} ${paint(COLOURS[own], own.padEnd(5))} ${said}`;
};

const readOrEmpty = async (path: string): Promise<string> => {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw new AgtmuxError("E_INTERNAL", `${path} cannot be read`, { cause: error });
  }
};

/** What was appended after `from`, in whole lines, and where they end. A file that is shorter is a new one. */
const readAfter = async (path: string, from: number): Promise<{ text: string; end: number }> => {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const start = size < from ? 0 : from;
      const bytes = Buffer.alloc(size - start);
      await file.read(bytes, 0, bytes.length, start);
      const end = bytes.lastIndexOf(10) + 1;
      return { text: bytes.toString("utf8", 0, end), end: start + end };
    } finally {
      await file.close();
    }
  } catch (error) {
    // Between two files while the log is rotated.
    if (isMissing(error)) return { text: "", end: 0 };
    throw error;
  }
};

/** The newest lines of the log and of the file before it, as a person reads them. */
export const readLog = async (
  path: string,
  {
    lines,
    level,
    paint,
    choose,
  }: { lines: number; level: Level; paint: CliContext["paint"]; choose: ChooseFields },
): Promise<string[]> =>
  `${await readOrEmpty(`${path}.1`)}\n${await readOrEmpty(path)}`
    .split("\n")
    .flatMap((line) => renderLine(line, { level, since: null, isRaw: false, choose }, paint) ?? [])
    .slice(-lines);

export const runLog = async (
  context: CliContext,
  options: { lines?: string; level?: string; since?: string; follow?: boolean; raw?: boolean },
): Promise<void> => {
  const { log } = context.paths();
  const lines =
    options.lines === undefined
      ? DEFAULT_LINES
      : parseCount(options.lines, "--lines", { min: 1, max: MAX_LINES });
  const since = options.since === undefined ? null : parseSince(options.since, context.now()).time;
  const wanted: Wanted = { level: parseLevel(options.level ?? "info"), since, isRaw: options.raw === true };
  const render = (text: string): string[] =>
    text.split("\n").flatMap((line) => renderLine(line, wanted, context.paint) ?? []);
  const print = (shown: readonly string[]): void => {
    if (shown.length > 0) context.print(`${shown.join("\n")}\n`);
  };
  const now = await readOrEmpty(log);
  const shown = render(`${await readOrEmpty(`${log}.1`)}\n${now}`).slice(-lines);
  print(shown);
  if (shown.length === 0 && options.follow !== true)
    context.stderr.write(`agtmux: No line of ${log} matches the options.\n`);
  if (options.follow !== true) return;
  for (let end = Buffer.byteLength(now.slice(0, now.lastIndexOf("\n") + 1)); !context.signal.aborted;) {
    const next = await readAfter(log, end);
    print(render(next.text));
    ({ end } = next);
    // Ctrl-C ends the wait.
    await wait(LOOK_EVERY_MS, undefined, { signal: context.signal }).catch(() => {});
  }
};
