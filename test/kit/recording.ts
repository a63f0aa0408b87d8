// What one moment of a driven agent is kept as: its screen with and without colours, the pane around it, the processes below its
// shell and the events since the last prompt; in the layout of test/fixtures/recordings, which adapters/testkit/recordings.ts reads.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import type { Label } from "../../adapters/testkit/recordings.ts";
import { pidsBelow } from "../live/drive/hard.ts";
import type { RunTmux } from "../live/rig/livePane.ts";
import { cleanPayload, cleanScreen, cleanText, type Replacement } from "./clean.ts";

const PANE_FIELDS = [
  "pane_current_command",
  "pane_title",
  "alternate_on",
  "window_bell_flag",
  "cursor_flag",
  "cursor_x",
  "cursor_y",
  "mouse_any_flag",
  "pane_dead",
  "pane_width",
  "pane_height",
  "history_size",
] as const;
const SEPARATOR = "\u001f";

const eventSchema = z.object({
  t: z.number(),
  tag: z.string(),
  pane: z.string().nullable(),
  ppid: z.number(),
  payload: z.record(z.string(), z.unknown()).catch({}),
});
export type LoggedEvent = z.infer<typeof eventSchema>;

export interface Snapshot {
  /** A row of the pane each. */
  rows: readonly string[];
  styledRows: readonly string[];
  pane: Readonly<Record<string, string>>;
  processes: readonly { pid_offset: number; ppid_offset: number; comm: string; args: string }[];
}

const fileOf = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    // It ended in this moment.
    return "";
  }
};

/** The pane's shell and what runs below it, by pids relative to the shell's. `isOurs`: a command line of the recorder's own. */
const processesOf = async (
  shell: number,
  isOurs: (args: string) => boolean,
): Promise<Snapshot["processes"]> => {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid=,ppid="]);
  const parents = new Map(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]),
  );
  return [shell, ...pidsBelow(shell, stdout)].flatMap((pid) => {
    const args = fileOf(pid, "cmdline");
    if (args === "" || isOurs(args)) return [];
    return {
      pid_offset: pid - shell,
      ppid_offset: (parents.get(pid) ?? shell) - shell,
      comm: fileOf(pid, "comm"),
      args,
    };
  });
};

/** All of it by one command of tmux, so that it is of one moment. */
export const takeSnapshot = async (
  tmux: RunTmux,
  paneId: string,
  isOurs: (args: string) => boolean,
): Promise<Snapshot> => {
  const on = ["-t", paneId];
  const format = ["pane_pid", ...PANE_FIELDS].map((field) => `#{${field}}`).join(SEPARATOR);
  const capture = ["capture-pane", "-p", ...on, ";", "capture-pane", "-p", "-e", ...on, ";"];
  const lines = (await tmux(...capture, "display-message", "-p", ...on, format)).split("\n");
  const [pid = "", ...values] = (lines.pop() ?? "").split(SEPARATOR);
  const height = lines.length / 2;
  return {
    rows: lines.slice(0, height),
    styledRows: lines.slice(height),
    pane: Object.fromEntries(PANE_FIELDS.map((field, index) => [field, values[index] ?? ""])),
    processes: await processesOf(Number(pid), isOurs),
  };
};

/** What an agent's hooks wrote, oldest first; lines that are half written are left for the next time. */
export const readLoggedEvents = (log: string): LoggedEvent[] =>
  existsSync(log)
    ? readFileSync(log, "utf8")
        .split("\n")
        .slice(0, -1)
        .flatMap((line) => eventSchema.safeParse(JSON.parse(line)).data ?? [])
        .toSorted((one, other) => one.t - other.t)
    : [];

const writeJson = (path: string, value: unknown, space?: number): void =>
  writeFileSync(path, `${JSON.stringify(value, null, space)}\n`);

const withoutTrailingBlanks = (rows: readonly string[]): string =>
  rows.map((row) => row.trimEnd()).join("\n");

/** Writes `<name>.txt` and `<name>.json`, and `<name>.ansi` where the colours are kept too. */
export const writeRecording = (options: {
  folder: string;
  name: string;
  state: string;
  version: string;
  snapshot: Snapshot;
  events: readonly LoggedEvent[];
  replacements: readonly Replacement[];
  hasColours: boolean;
}): void => {
  const { folder, name, snapshot, replacements } = options;
  const clean = (text: string): string => cleanText(text, replacements);
  mkdirSync(folder, { recursive: true });
  const base = join(folder, name);
  writeFileSync(`${base}.txt`, cleanScreen(withoutTrailingBlanks(snapshot.rows), replacements));
  if (options.hasColours)
    writeFileSync(`${base}.ansi`, `${cleanScreen(snapshot.styledRows.join("\n"), replacements)}\n`);
  writeJson(`${base}.json`, {
    state: options.state,
    agent_version: options.version,
    pane: Object.fromEntries(Object.entries(snapshot.pane).map(([field, value]) => [field, clean(value)])),
    process_tree: snapshot.processes.map((process) => ({ ...process, args: clean(process.args) })),
    events: options.events.map((event) => ({ ...event, payload: cleanPayload(event.payload, replacements) })),
  });
};

/** What tells kinds of one event apart. */
const KIND_FIELDS = ["tool_name", "notification_type", "type"] as const;
const kindOf = ({ tag, payload }: LoggedEvent): string =>
  [tag, ...KIND_FIELDS.map((field) => JSON.stringify(payload[field] ?? ""))].join(" ");

/** One payload of each kind, the first that was seen, in the order of recording. */
export const writeEventSamples = (
  folder: string,
  events: readonly LoggedEvent[],
  replacements: readonly Replacement[],
): void => {
  if (events.length === 0) return;
  const kinds = [...new Map(events.toReversed().map((event) => [kindOf(event), event])).values()];
  const lines = kinds
    .toSorted((one, other) => one.t - other.t)
    .map((event) => JSON.stringify({ ...event, payload: cleanPayload(event.payload, replacements) }));
  writeFileSync(join(folder, "events-sample.jsonl"), `${lines.join("\n")}\n`);
};

/** Adds labels to `labels.json` beside the agents' folders. One of the same state stays as it is: a person may know more. */
export const writeLabels = (root: string, agent: string, labels: Readonly<Record<string, Label>>): void => {
  const path = join(root, "labels.json");
  const before: Record<string, Label> = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  for (const [name, label] of Object.entries(labels)) {
    const key = `${agent}/${name}`;
    if (before[key]?.state !== label.state) before[key] = label;
  }
  const sorted = Object.entries(before).toSorted(([one], [other]) => (one < other ? -1 : 1));
  writeJson(path, Object.fromEntries(sorted), 1);
};
