import { describe, expect, it } from "vitest";
import { memoryFiles } from "../testkit/memoryFiles.ts";
import { somePane } from "../testkit/pane.ts";
import { readClaudeStateFile } from "./stateFiles.ts";

const STARTED = 1_795_237_900_000;
const agent = { pid: 4242, ppid: 1, comm: "claude", args: "claude", startedAt: STARTED };
const pane = somePane("%5", { windowId: "@2", panePid: 4000, tty: "/dev/pts/3", sessionName: "dev" });
/** As 2.1.329 writes it. */
const session = {
  pid: 4242,
  sessionId: "04410b52",
  cwd: "/home/dev/project",
  startedAt: STARTED + 900,
  procStart: "1234567",
  version: "2.1.329",
  kind: "interactive",
  entrypoint: "cli",
  tmux: "dev:@2.%5",
  name: "lab",
  status: "idle",
  updatedAt: STARTED + 5_000,
  statusUpdatedAt: STARTED + 5_000,
};

const read = async (text: string | null) => {
  const files = memoryFiles(text === null ? {} : { "/home/dev/.claude/sessions/4242.json": text });
  const request = {
    files,
    homeDir: "/home/dev",
    process: agent,
    pane,
    agentSessionId: null,
    transcriptPath: null,
    cwd: null,
  };
  const reading = await readClaudeStateFile(request);
  return reading === null
    ? null
    : `${reading.status.state}/${reading.status.reasonCode} ${reading.confidence}`;
};
const readWith = (changes: Record<string, unknown>) => read(JSON.stringify({ ...session, ...changes }));

describe("Claude Code's session file", () => {
  it.each([
    [{}, "idle/fresh medium"],
    [{ status: "busy" }, "running/thinking medium"],
    [{ status: "waiting", waitingFor: "permission prompt" }, "waiting_approval/permission_tool medium"],
    [{ status: "waiting", waitingFor: "input needed" }, "waiting_input/question medium"],
    [{ status: "waiting", waitingFor: "input needed", version: "2.2.0" }, "waiting_input/question medium"],
    [{ status: "busy", tmux: undefined }, "running/thinking medium"],
    [{ status: "busy", procStart: STARTED + 400 }, "running/thinking medium"],
  ])("reads %j", async (changes, expected) => {
    expect(await readWith(changes)).toBe(expected);
  });

  it.each([
    ["another process", { pid: 4243 }],
    ["a process that bore the pid before", { startedAt: STARTED - 60_000 }],
    ["a process with another start time", { procStart: STARTED - 60_000 }],
    ["a file not written since the process began", { updatedAt: STARTED - 60_000 }],
    ["another pane", { tmux: "dev:@2.%55" }],
    ["no interactive session", { kind: "background" }],
    ["an unknown status", { status: "thinking" }],
    ["an unknown wait", { status: "waiting", waitingFor: "the weather" }],
    [
      "a version that calls a question a permission prompt too",
      { status: "waiting", waitingFor: "permission prompt", version: "2.1.197" },
    ],
    ["a wait of an unknown version", { status: "waiting", waitingFor: "input needed", version: undefined }],
    ["a wait for nothing", { status: "waiting" }],
    ["no start time", { startedAt: undefined }],
  ])("takes nothing from the file of %s", async (_what, changes) => {
    expect(await readWith(changes)).toBeNull();
  });

  it.each([[null], [""], ["{"], ["[]"], ['"idle"']])("takes nothing from %j", async (text) => {
    expect(await read(text)).toBeNull();
  });
});
