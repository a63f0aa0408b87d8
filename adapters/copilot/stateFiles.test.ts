import { describe, expect, it } from "vitest";
import { memoryFiles } from "../testkit/memoryFiles.ts";
import { somePane } from "../testkit/pane.ts";
import { readSessionLog, readCopilotStateFiles } from "./stateFiles.ts";

const STARTED = 1_795_238_680_000;
const ROOT = "/home/dev/.copilot";
const SESSION = "eef7fd97-cbe1-46a2-9377-81807ee4c851";
const LOG = `${ROOT}/session-state/${SESSION}/events.jsonl`;
const OPEN = `${ROOT}/open-sessions-state.json`;
const LOCK = `${ROOT}/session-state/${SESSION}/inuse.4242.lock`;
const agent = { pid: 4242, ppid: 1, comm: "MainThread", args: "copilot", startedAt: STARTED };
const pane = somePane("%5", { windowId: "@2", panePid: 4000, tty: "/dev/pts/3", sessionName: "dev" });

const line = (type: string, data: Record<string, unknown> = {}, more: Record<string, unknown> = {}): string =>
  `${JSON.stringify({ type, data, id: "e", timestamp: "2026-11-21T05:25:00.000Z", ...more })}\n`;
const log = (...lines: (string | [string, Record<string, unknown>?, Record<string, unknown>?])[]): string =>
  lines.map((one) => (typeof one === "string" ? one : line(...one))).join("");
const PROMPT = log(["user.message", { content: "hi" }], ["assistant.turn_start", { turnId: "0" }]);
const TOOL = line("tool.execution_start", { toolCallId: "c1", toolName: "bash" });
const ASKED = line("permission.requested", {
  requestId: "r1",
  permissionRequest: { kind: "shell", fullCommandText: "make", intention: "Build" },
});
const ANSWERED = line("permission.completed", { requestId: "r1", result: { kind: "approved" } });
const stateOf = (tail: string): string | null => {
  const state = readSessionLog(tail);
  return state === null ? null : `${state.status.state}/${state.status.reasonCode}`;
};

describe("the session log", () => {
  it.each([
    ["a prompt", PROMPT, "running/thinking"],
    ["a tool", PROMPT + TOOL, "running/tool"],
    ["a permission", PROMPT + TOOL + ASKED, "waiting_approval/permission_tool"],
    ["an answered permission", PROMPT + TOOL + ASKED + ANSWERED, "running/tool"],
    [
      "a second permission while the first is open",
      PROMPT + ASKED + log(["permission.requested", { requestId: "r2" }]) + ANSWERED,
      "waiting_approval/permission_tool",
    ],
    [
      "a tool that ended",
      PROMPT + TOOL + line("tool.execution_complete", { toolCallId: "c1" }),
      "running/thinking",
    ],
    [
      "a model's turn that called a tool",
      PROMPT + TOOL + log(["tool.execution_complete", { toolCallId: "c1" }], ["assistant.turn_end"]),
      "running/thinking",
    ],
    [
      "the last model's turn",
      PROMPT + log(["assistant.message"], ["assistant.turn_end"]),
      "completed/turn_ended",
    ],
    ["an interrupt", PROMPT + TOOL + log(["abort", { reason: "user_abort" }]), "idle/interrupted"],
    [
      "what an interrupt leaves behind",
      PROMPT +
        TOOL +
        ASKED +
        log(["abort"], ["tool.execution_complete", { toolCallId: "c1" }], ["assistant.turn_end"]),
      "idle/interrupted",
    ],
    ["a failure", PROMPT + log(["session.error", { statusCode: 500, message: "no" }]), "error/api_error"],
    ["a failed login", PROMPT + log(["session.error", { statusCode: 401 }]), "error/auth_failed"],
    ["too many requests", PROMPT + log(["session.error", { statusCode: 429 }]), "error/rate_limited"],
    ["a failure whose turn ends", PROMPT + log(["session.error"], ["assistant.turn_end"]), "error/api_error"],
    ["a prompt after a failure", log(["session.error"]) + PROMPT, "running/thinking"],
    [
      "a turn in a session that was closed while a permission was open",
      PROMPT + ASKED + log(["session.shutdown"], ["assistant.turn_start"]),
      "running/thinking",
    ],
    ["a shutdown", PROMPT + log(["session.shutdown"]), null],
    ["lines that nobody knows", log(["session.start"], ["something.new"]), null],
    [
      "a sub-agent's turn",
      PROMPT + TOOL + log(["assistant.turn_end", {}, { agentId: "sub" }]),
      "running/subagent",
    ],
    [
      "a sub-agent's permission",
      PROMPT + log(["permission.requested", { requestId: "r9" }, { agentId: "sub" }]),
      "waiting_approval/permission_tool",
    ],
    ["a cut first and a half-written last line", `er":1}\n${PROMPT}{"type":"abo`, "running/thinking"],
    ["nothing", "", null],
  ])("says after %s", (_what, tail, expected) => {
    expect(stateOf(tail)).toBe(expected);
  });

  it("shows what is asked", () => {
    expect(readSessionLog(PROMPT + ASKED)?.ask?.request).toMatchObject({ kind: "command", body: "make" });
    const write = { requestId: "r2", permissionRequest: { kind: "write", fileName: "/p/a.txt" } };
    expect(readSessionLog(log(["permission.requested", write]))?.ask).toMatchObject({
      status: { reasonCode: "permission_edit" },
      request: { kind: "edit", body: "/p/a.txt" },
    });
    const question = { toolCallId: "c2", toolName: "ask_user", arguments: { message: "Which colour?" } };
    expect(readSessionLog(PROMPT + log(["tool.execution_start", question]))?.ask).toMatchObject({
      status: { state: "waiting_input" },
      request: { kind: "question", body: "Which colour?" },
    });
  });
});

interface Disk {
  files: Record<string, string>;
  lockedAt?: number;
}
const read = (disk: Disk, more: { agentSessionId?: string | null; transcriptPath?: string | null } = {}) => {
  const lock = disk.lockedAt === undefined ? {} : { [LOCK]: "" };
  const files = memoryFiles({ ...disk.files, ...lock }, { mtimeMs: disk.lockedAt ?? 0 });
  return readCopilotStateFiles({
    files,
    configDir: "/home/dev/.copilot",
    process: agent,
    pane,
    agentSessionId: SESSION,
    transcriptPath: null,
    cwd: null,
    ...more,
  });
};
const statusOf = async (disk: Disk, more?: Parameters<typeof read>[1]): Promise<string | null> => {
  const reading = await read(disk, more);
  return reading === null ? null : `${reading.status.state}/${reading.status.reasonCode}`;
};
const open = (working: boolean, refreshedAt: string): string =>
  JSON.stringify({ [SESSION]: { openedAt: refreshedAt, refreshedAt, working }, other: { working: true } });
const LATER = "2026-11-21T05:25:01.000Z";
const BEFORE = "2026-11-21T05:24:59.000Z";

describe("Copilot's files", () => {
  it("are read for the session that the hooks named, at the place that they named", async () => {
    expect(await statusOf({ files: { [LOG]: PROMPT } })).toBe("running/thinking");
    const elsewhere = `/moved/session-state/${SESSION}/events.jsonl`;
    expect(
      await statusOf({ files: { [LOG]: PROMPT, [elsewhere]: PROMPT + TOOL } }, { transcriptPath: elsewhere }),
    ).toBe("running/tool");
  });

  it("are not read where an event names another session's log, or no session at all", async () => {
    const foreign = "/etc/passwd";
    expect(
      await statusOf({ files: { [LOG]: PROMPT, [foreign]: PROMPT + TOOL } }, { transcriptPath: foreign }),
    ).toBe("running/thinking");
    expect(await statusOf({ files: { [LOG]: PROMPT } }, { agentSessionId: "../../x" })).toBeNull();
  });

  it("are tied to the process by its lock where no hook named the session", async () => {
    const disk = { files: { [LOG]: PROMPT, [OPEN]: open(true, LATER) } };
    const unnamed = { agentSessionId: null };
    expect(await statusOf(disk, unnamed)).toBeNull();
    expect(await statusOf({ ...disk, lockedAt: STARTED - 60_000 }, unnamed)).toBeNull();
    expect(await statusOf({ ...disk, lockedAt: STARTED + 500 }, unnamed)).toBe("running/thinking");
  });

  it("say idle where the list, written after the log, says that nothing works", async () => {
    expect(await statusOf({ files: { [LOG]: PROMPT, [OPEN]: open(false, LATER) } })).toBe("idle/fresh");
    expect(await statusOf({ files: { [LOG]: PROMPT, [OPEN]: open(false, BEFORE) } })).toBe(
      "running/thinking",
    );
    expect(await statusOf({ files: { [LOG]: PROMPT, [OPEN]: open(true, LATER) } })).toBe("running/thinking");
    expect(await statusOf({ files: { [LOG]: PROMPT + ASKED, [OPEN]: open(false, LATER) } })).toBe(
      "waiting_approval/permission_tool",
    );
  });

  it("are read further back where one line fills the newest bytes", async () => {
    const huge = line("tool.execution_progress", { output: "x".repeat(200_000) });
    expect(await statusOf({ files: { [LOG]: PROMPT + ASKED + huge } })).toBe(
      "waiting_approval/permission_tool",
    );
  });

  it("say nothing where they are missing or cannot be parsed", async () => {
    expect(await statusOf({ files: {} })).toBeNull();
    expect(await statusOf({ files: { [LOG]: PROMPT, [OPEN]: '{"a":' } })).toBe("running/thinking");
    expect(await statusOf({ files: { [OPEN]: open(true, LATER) } })).toBeNull();
  });
});

describe("Several sessions of one process", () => {
  const OTHER = "f40858da-eb57-47bd-9c6c-f67848920c3b";
  const DONE = PROMPT + log(["assistant.message"], ["assistant.turn_end"]);
  /** As 1.0.102 leaves them after `n` in its sidebar: a lock in each, one list, and the title of the one in front. */
  const several = (first: string, second: string, title: string, agentSessionId: string | null = null) => {
    const of = (id: string, text: string, name: string): Record<string, string> => ({
      [`${ROOT}/session-state/${id}/events.jsonl`]: text,
      [`${ROOT}/session-state/${id}/inuse.4242.lock`]: "4242",
      [`${ROOT}/session-state/${id}/workspace.yaml`]: `id: ${id}\nname: ${name}\n`,
    });
    const list = { [SESSION]: { working: true }, [OTHER]: { working: true } };
    const disk = { ...of(SESSION, first, "SLOW 60"), ...of(OTHER, second, "RUN touch s2.txt") };
    return readCopilotStateFiles({
      files: memoryFiles({ ...disk, [OPEN]: JSON.stringify(list) }, { mtimeMs: STARTED + 500 }),
      configDir: ROOT,
      process: agent,
      pane: { ...pane, title: `${title} - GitHub Copilot` },
      agentSessionId,
      transcriptPath: null,
      cwd: null,
    });
  };

  it.each([null, SESSION, OTHER])("tell what any of them asks, whichever was named (%s)", async (named) => {
    for (const title of ["SLOW 60", "RUN touch s2.txt", "renamed"]) {
      const reading = await several(DONE, PROMPT + TOOL + ASKED, title, named);
      expect(reading).toMatchObject({
        status: { state: "waiting_approval" },
        request: { body: "make" },
      });
      const isInFront = title === "RUN touch s2.txt";
      expect(reading?.progress).toBe(isInFront ? "1 of 2 sessions" : "asked by another of 2 sessions");
    }
  });

  it("prefer what the one in front asks, because that is what the pane shows", async () => {
    const second = line("permission.requested", {
      requestId: "r2",
      permissionRequest: { kind: "shell", fullCommandText: "ls" },
    });
    const reading = await several(PROMPT + ASKED, PROMPT + second, "RUN touch s2.txt", SESSION);
    expect(reading?.request).toMatchObject({ body: "ls" });
  });

  it("are as the one in front, else as one that works", async () => {
    expect(await several(PROMPT, DONE, "RUN touch s2.txt")).toMatchObject({ status: { state: "completed" } });
    expect(await several(PROMPT, DONE, "SLOW 60")).toMatchObject({ status: { state: "running" } });
    expect(await several(DONE, PROMPT, "renamed")).toMatchObject({ status: { state: "running" } });
    expect(await several(DONE, PROMPT + TOOL + log(["abort"]), "renamed")).toBeNull();
  });

  it("do not let one without a word hide the other", async () => {
    expect(await several("", PROMPT + ASKED, "GitHub Copilot", SESSION)).toMatchObject({
      status: { state: "waiting_approval" },
    });
  });
});
