// Reads the recordings of one agent: frames, the pane around them, process trees, events with their payloads. The player
// and the adapter contract share it. Reads fixtures only.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import type { Cursor, Screen } from "../../core/ports/agentAdapter.ts";

export type Payload = Record<string, unknown>;

/** An event as recorded with a frame: epoch ms, name and payload. */
export interface RecordedEvent {
  at: number;
  name: string;
  payload: Payload;
}

export interface Recording {
  name: string;
  /** What `tmux capture-pane -p` showed, trailing blanks cut. */
  text: string;
  /** The same with its colours; equal to `text` for variants that have none. */
  ansi: string;
  title: string;
  isAlternate: boolean;
  hasMouse: boolean;
  /** Absent where it was not recorded. */
  cursor?: Cursor;
  width: number;
  height: number;
  processes: ProcessInfo[];
  events: RecordedEvent[];
}

/** What a person who looks at the frame would name; `also`: right too when only the screen is known. */
export interface Label {
  /** A canonical state; `none`: no agent runs any more; `unknown`: nothing on the screen proves a state. */
  state: string;
  reason_code?: string;
  also?: readonly string[];
}
export type Labels = Readonly<Record<string, Label>>;

interface RecordingFile {
  pane?: Record<string, string>;
  process_tree?: { pid_offset: number; ppid_offset: number; comm: string; args: string }[];
  events?: { t: number; tag: string; payload: Payload }[];
}

/** Recorded pids are relative to the pane's shell. */
const SHELL_PID = 50_000;

const readRecordingFile = (path: string): RecordingFile =>
  existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};

/** Tags are `<agent>.<event>`; opencode's recorder also told its events from its hooks by a word in between. */
const eventName = (tag: string): string =>
  tag.slice(tag.indexOf(".") + 1).replace(/^(event|hook|plugin)\./, "");

const cursorOf = (pane: Record<string, string>): Cursor => ({
  x: Number(pane["cursor_x"]),
  y: Number(pane["cursor_y"]),
  isVisible: pane["cursor_flag"] === "1",
});

/** Fails where there is no such frame. */
export const loadRecording = (folder: string, name: string): Recording => {
  const base = join(folder, name);
  const text = readFileSync(`${base}.txt`, "utf8");
  const file = readRecordingFile(`${base}.json`);
  const pane = file.pane ?? {};
  return {
    name,
    text,
    ansi: existsSync(`${base}.ansi`) ? readFileSync(`${base}.ansi`, "utf8") : text,
    title: pane["pane_title"] ?? "",
    isAlternate: pane["alternate_on"] === "1",
    hasMouse: pane["mouse_any_flag"] === "1",
    ...(pane["cursor_x"] === undefined ? {} : { cursor: cursorOf(pane) }),
    width: Number(pane["pane_width"] ?? 120),
    height: Number(pane["pane_height"] ?? 40),
    processes: (file.process_tree ?? []).map((entry) => ({
      pid: SHELL_PID + entry.pid_offset,
      ppid: SHELL_PID + entry.ppid_offset,
      comm: entry.comm,
      args: entry.args,
      startedAt: 0,
    })),
    events: (file.events ?? []).map(({ t, tag, payload }) => ({ at: t, name: eventName(tag), payload })),
  };
};

/** Names of all frames in a folder, sorted; none where there is no folder. */
export const listFrames = (folder: string): string[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((file) => file.endsWith(".txt") && existsSync(join(folder, `${file.slice(0, -4)}.json`)))
    .map((file) => file.slice(0, -".txt".length))
    .toSorted();

/** One payload of each kind seen, in order of recording; none where the agent's file is missing. */
export const loadEventSamples = (folder: string): RecordedEvent[] => {
  const path = join(folder, "events-sample.jsonl");
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const { t, tag, payload }: { t: number; tag: string; payload: Payload } = JSON.parse(line);
      return { at: t, name: eventName(tag), payload };
    });
};

/** Where the fixtures of one kind of one agent are. */
export const fixtureFolder = (agent: string, kind = "recordings"): string =>
  join(import.meta.dirname, "../../test/fixtures", kind, agent);

export const loadLabels = (path: string): Labels => JSON.parse(readFileSync(path, "utf8"));

/** Of all frames of one kind, by `<agent>/<frame>`. */
export const labelsOf = (kind: string): Labels => loadLabels(join(fixtureFolder("", kind), "labels.json"));

/** The frame as a screen reader receives it. */
export const screenOf = (recording: Recording): Screen => ({
  lines: recording.text.split("\n").map((line) => line.trimEnd()),
  title: recording.title,
  isAlternate: recording.isAlternate,
  width: recording.width,
  height: recording.height,
  ...(recording.cursor === undefined ? {} : { cursor: recording.cursor }),
});

/** A recorded frame as a screen. */
export const frameOf = (agent: string, name: string, kind = "recordings"): Screen =>
  screenOf(loadRecording(fixtureFolder(agent, kind), name));
