// A recording is written in the layout that the readers of recordings read.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadEventSamples, loadRecording } from "../../adapters/testkit/recordings.ts";
import { loadCorpus } from "../../bench/detect/corpus.ts";
import {
  type LoggedEvent,
  readLoggedEvents,
  type Snapshot,
  writeEventSamples,
  writeLabels,
  writeRecording,
} from "./recording.ts";
import { labelOf, nameOf } from "./recordingStage.ts";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "agtmux-kit-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const SNAPSHOT: Snapshot = {
  rows: ["Allow it?   ", "❯ 1. Yes", ""],
  styledRows: ["\u001b[1mAllow it?\u001b[0m", "❯ 1. Yes", ""],
  pane: {
    pane_title: "ada asks",
    pane_width: "80",
    pane_height: "3",
    cursor_x: "0",
    cursor_y: "1",
    cursor_flag: "1",
    alternate_on: "0",
  },
  processes: [
    { pid_offset: 0, ppid_offset: -10, comm: "bash", args: "bash --norc" },
    { pid_offset: 7, ppid_offset: 0, comm: "node", args: "node /opt/ada/agent.js" },
  ],
};
const event = (t: number, tag: string, payload: LoggedEvent["payload"]): LoggedEvent => ({
  t,
  tag,
  pane: "%1",
  ppid: 9,
  payload,
});

const write = (name: string, hasColours: boolean): void =>
  writeRecording({
    folder: join(root, "claude"),
    name,
    state: "waiting_approval",
    version: "agent 1.2.3",
    snapshot: SNAPSHOT,
    events: [event(5, "claude.PermissionRequest", { tool_name: "Bash", cwd: "/home/ada" })],
    replacements: [
      ["ada", "dev"],
      ["/home/ada", "/home/dev"],
    ],
    hasColours,
  });

describe("a recording", () => {
  it("is read back as it was drawn, without the machine's names", () => {
    write("waiting_approval", true);
    const recording = loadRecording(join(root, "claude"), "waiting_approval");
    expect(recording).toMatchObject({
      text: "Allow it?\n❯ 1. Yes\n",
      title: "dev asks",
      width: 80,
      cursor: { x: 0, y: 1, isVisible: true },
      events: [{ at: 5, name: "PermissionRequest", payload: { tool_name: "Bash", cwd: "/home/dev" } }],
    });
    expect(recording.ansi).toContain("\u001b[1mAllow it?");
    expect(recording.processes[1]).toMatchObject({ comm: "node", args: "node /opt/dev/agent.js" });
  });

  it("is part of a corpus with its label, and a person's label of the same state stays", () => {
    write("waiting_approval", false);
    writeLabels(root, "claude", { waiting_approval: labelOf("waiting_approval", "waiting_approval") });
    writeLabels(root, "claude", { waiting_approval: { state: "waiting_approval" } });
    const { frames, problems } = loadCorpus(root);
    expect(problems).toEqual([]);
    expect(frames).toMatchObject([
      {
        agent: "claude",
        version: "agent 1.2.3",
        label: { state: "waiting_approval", reason_code: "permission_tool" },
      },
    ]);
  });
});

describe("what hooks wrote", () => {
  it("is read in order, without a line that is half written", () => {
    const log = join(root, "events.jsonl");
    const lines = [event(9, "claude.Stop", {}), event(3, "claude.SessionStart", {})].map((one) =>
      JSON.stringify(one),
    );
    writeFileSync(log, `${lines.join("\n")}\n{"t":10,"tag":"cl`);
    expect(readLoggedEvents(log).map(({ t }) => t)).toEqual([3, 9]);
    expect(readLoggedEvents(join(root, "none"))).toEqual([]);
  });

  it("is kept as one payload of each kind, the first seen", () => {
    const events = [
      event(1, "claude.PreToolUse", { tool_name: "Bash", n: 1 }),
      event(2, "claude.PreToolUse", { tool_name: "Bash", n: 2 }),
      event(3, "claude.PreToolUse", { tool_name: "Write" }),
    ];
    writeEventSamples(join(root, "claude"), events, []);
    expect(loadEventSamples(join(root, "claude")).map(({ payload }) => payload)).toEqual([
      { tool_name: "Bash", n: 1 },
      { tool_name: "Write" },
    ]);
    expect(readFileSync(join(root, "claude/events-sample.jsonl"), "utf8").endsWith("}\n")).toBe(true);
  });
});

describe("names and labels", () => {
  it("are those of the recordings that are there", () => {
    expect(["idle", "tool", "waiting_input", "error", "denied"].map((step) => nameOf(step, 120))).toEqual([
      "idle_fresh",
      "tool_running",
      "waiting_input_question",
      "error_400",
      "denied",
    ]);
    expect(nameOf("denied", 60)).toBe("denied_60_columns");
    expect(labelOf("idle", "idle")).toEqual({ state: "idle", reason_code: "fresh" });
    expect(labelOf("denied", "idle")).toEqual({
      state: "idle",
      reason_code: "interrupted",
      also: ["completed"],
    });
    expect(labelOf("denied", "completed")).toEqual({ state: "completed", also: ["idle"] });
    expect(labelOf("exited", "gone")).toEqual({ state: "none" });
  });
});
