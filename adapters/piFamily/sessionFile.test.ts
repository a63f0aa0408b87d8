import { describe, expect, it } from "vitest";
import { memoryFiles } from "../testkit/memoryFiles.ts";
import { somePane } from "../testkit/pane.ts";
import { readPiSessionFile, terminalId } from "./sessionFile.ts";

const STARTED = 1_795_237_900_000;
const HOME = "/home/dev";
const CWD = "/home/dev/project";
const SESSION = `${HOME}/.gjc/agent/sessions/--home-dev-project--/2026_s.jsonl`;
const CRUMB = `${HOME}/.gjc/agent/terminal-sessions/pts-3`;
const agent = { pid: 4242, ppid: 1, comm: "gjc", args: "gjc", startedAt: STARTED };
const pane = somePane("%5", { windowId: "@2", panePid: 4000, tty: "/dev/pts/3", sessionName: "dev" });
const at = (offsetMs: number): string => new Date(STARTED + offsetMs).toISOString();
const message = (fields: Record<string, unknown>, offsetMs = 5_000) => ({
  type: "message",
  id: "aaaaaaaa",
  timestamp: at(offsetMs),
  message: fields,
});
const answer = (stopReason: string, ...calls: [string, string, unknown][]) =>
  message({
    role: "assistant",
    stopReason,
    content: calls.map(([id, name, input]) => ({ type: "toolCall", id, name, arguments: input })),
  });
const result = (toolCallId: string) => message({ role: "toolResult", toolCallId, content: [] });
const question = { questions: [{ question: "Which colour?", options: [{ label: "Red" }] }] };

interface SessionFixture {
  entries?: unknown[];
  mtimeMs?: number;
  crumb?: string;
  link?: string;
  terminal?: string;
  namespace?: string;
  transcriptPath?: string;
  tail?: string;
}
const read = async ({
  entries = [],
  mtimeMs = STARTED + 100,
  crumb,
  link = CWD,
  terminal,
  namespace = "mnt:[1]",
  transcriptPath,
  tail = "",
}: SessionFixture) => {
  const header = { type: "session", version: 3, id: "s", timestamp: at(0), cwd: CWD };
  const files = memoryFiles(
    {
      [SESSION]: [header, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join("") + tail,
      [terminal === undefined ? CRUMB : CRUMB.replace("pts-3", terminal)]: crumb ?? `${CWD}\n${SESSION}\n`,
    },
    {
      mtimeMs,
      links: {
        "/proc/4242/cwd": link,
        "/proc/4242/ns/mnt": namespace,
        "/proc/self/ns/mnt": "mnt:[1]",
        ...(terminal === undefined ? {} : { "/proc/4242/fd/0": `/dev/${terminal.replace("-", "/")}` }),
      },
    },
  );
  const reading = await readPiSessionFile({
    files,
    configDir: `${HOME}/.gjc/agent`,
    process: agent,
    pane,
    agentSessionId: null,
    transcriptPath: transcriptPath ?? null,
    cwd: null,
  });
  return reading === null ? null : `${reading.status.state}/${reading.status.reasonCode}`;
};

describe("a session file of the pi family", () => {
  it.each<[string, unknown[], string | null]>([
    ["a prompt", [message({ role: "user", content: "hi" })], "running/thinking"],
    ["an ended answer", [answer("stop")], "completed/turn_ended"],
    ["an aborted answer", [answer("aborted")], "idle/interrupted"],
    ["a question", [answer("toolUse", ["c", "ask", question])], "waiting_input/question"],
    ["an answered question", [answer("toolUse", ["c", "ask", question]), result("c")], "running/thinking"],
    ["a tool that may wait for a permission", [answer("toolUse", ["c", "bash", {}])], null],
    ["a question behind such a tool", [answer("toolUse", ["c", "bash", {}], ["d", "ask", question])], null],
    ["one of two tools done", [answer("toolUse", ["c", "bash", {}], ["d", "bash", {}]), result("c")], null],
    [
      "an answer before this process began",
      [message({ role: "assistant", stopReason: "stop" }, -60_000)],
      null,
    ],
    ["entries that say nothing", [answer("stop"), { type: "label", id: "b" }], "completed/turn_ended"],
    ["an unknown stop reason", [answer("pause")], null],
    ["no entry yet", [], null],
  ])("reads %s", async (_what, entries, expected) => {
    expect(await read({ entries })).toBe(expected);
  });

  it("tells a failure that is final from one that may be tried again", async () => {
    const failed = (errorMessage: string) => [
      message({ role: "assistant", stopReason: "error", errorMessage }),
    ];
    expect(await read({ entries: failed("400: bad request") })).toBe("error/api_error");
    expect(await read({ entries: failed("503 overloaded") })).toBeNull();
  });

  it("is found where the agent's terminal is not its pane's, as behind script", async () => {
    expect(await read({ entries: [answer("aborted")], terminal: "pts-9" })).toBe("idle/interrupted");
  });

  it("is not taken by a terminal of the same name in a container", async () => {
    const scene = { entries: [answer("aborted")], terminal: "pts-9", namespace: "mnt:[2]" };
    expect(await read(scene)).toBeNull();
  });

  it("is not confused by a half written last line", async () => {
    expect(await read({ entries: [answer("stop")], tail: '{"type":"message","mess' })).toBe(
      "completed/turn_ended",
    );
  });

  it.each<[string, SessionFixture]>([
    ["older than the process", { mtimeMs: STARTED - 60_000 }],
    ["of another folder than the process's", { link: "/elsewhere" }],
    ["that names a file elsewhere", { crumb: `${CWD}\n/etc/passwd\n` }],
    ["that climbs out of the sessions", { crumb: `${CWD}\n${HOME}/.gjc/agent/sessions/../agent.jsonl\n` }],
    ["that is empty", { crumb: "" }],
  ])("takes nothing from a breadcrumb %s", async (_what, scene) => {
    expect(await read({ entries: [answer("stop")], ...scene })).toBeNull();
  });

  it("goes by the path that the agent's own events named before the breadcrumb", async () => {
    expect(await read({ entries: [answer("stop")], mtimeMs: 0, transcriptPath: SESSION })).toBe(
      "completed/turn_ended",
    );
    expect(await read({ entries: [answer("stop")], transcriptPath: "/tmp/other.jsonl" })).toBeNull();
  });

  it.each([
    ["/dev/pts/3", "pts-3"],
    ["/dev/ttys003", "ttys003"],
    ["", null],
    ["/dev/../etc", null],
  ])("names the terminal %s", (tty, expected) => {
    expect(terminalId(tty)).toBe(expected);
  });
});
