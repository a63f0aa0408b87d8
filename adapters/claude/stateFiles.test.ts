import { describe, expect, it } from "vitest";
import { memoryFiles } from "../testkit/memoryFiles.ts";
import { somePane } from "../testkit/pane.ts";
import { claudeBackground, readClaudeStateFile } from "./stateFiles.ts";

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
    configDir: "/home/dev/.claude",
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

describe("a session that its person moved to the background with an arrow", () => {
  const log = "/home/dev/.claude/projects/-home-dev-project/04410b52.jsonl";
  // The lines as 2.1.329 writes them; the file of its process stays `busy` for ever.
  const moved = '{"type":"continued-in","sessionId":"04410b52","continuedInSessionId":"5c47ffa7"}\n';
  const readBusy = (text: string, mtimeMs = 0) =>
    readClaudeStateFile({
      files: memoryFiles(
        {
          "/home/dev/.claude/sessions/4242.json": JSON.stringify({ ...session, status: "busy" }),
          [log]: text,
        },
        { mtimeMs },
      ),
      configDir: "/home/dev/.claude",
      process: agent,
      pane,
      agentSessionId: null,
      transcriptPath: null,
      cwd: null,
    });

  it("is no longer what its file says", async () => {
    expect(await readBusy(`{"type":"user"}\n${moved}`)).toBeNull();
  });

  it("has ended here at first, which no hook tells", async () => {
    expect((await readBusy(moved, Date.now() - 1_000))?.status.state).toBe("idle");
    expect(await readBusy(moved, Date.now() - 60_000)).toBeNull();
  });

  it.each([
    ["another last line", `${moved}{"type":"user"}\n`],
    ["words in a prompt", `{"type":"user","message":${JSON.stringify(moved)}}\n`],
    ["a cut line", moved.slice(0, 40)],
    ["no log", ""],
  ])("is told by the end of its log alone: %s", async (_what, text) => {
    expect((await readBusy(text))?.status.state).toBe("running");
  });
});

describe("a terminal that goes from session to session", () => {
  const { roams } = claudeBackground;
  const gaveAway = (changes: Record<string, unknown>) =>
    roams?.gaveAway({
      files: memoryFiles({
        "/home/dev/.claude/sessions/4242.json": JSON.stringify({ ...session, ...changes }),
      }),
      configDir: "/home/dev/.claude",
      process: agent,
    });
  const named = (id: string, title: string) => ({
    id,
    title,
    pid: 1,
    sessionId: null,
    isAtWork: false,
    beganAt: 0,
    changedAt: 0,
    isOf: () => true,
  });

  it("is known by the file of its process, which says no more of a state then", async () => {
    expect(await gaveAway({ parkedJobId: "3165f908" })).toBe("3165f908");
    expect(await gaveAway({})).toBeNull();
    expect(await gaveAway({ parkedJobId: "../x" })).toBeNull();
    expect(await gaveAway({ parkedJobId: "3165f908", pid: 7 })).toBeNull();
    expect(await readWith({ parkedJobId: "3165f908" })).toBeNull();
  });

  it.each([
    ["2 awaiting input · claude agents", true],
    ["1 awaiting input · 2 working · claude agents", true],
    ["claude agents", true],
    ["✳ Claude Code", false],
    ["fix the claude agents", false],
    ["current session", false],
  ])("has begun to with the title %s: %s", (title, expected) => {
    expect(roams?.title.test(title)).toBe(expected);
  });

  it("shows what its title names, where that is one session alone", () => {
    const sessions = [
      named("a1", "lab session"),
      named("b1", "twice"),
      named("c1", "twice"),
      named("d1", ""),
    ];
    const shown = (title: string) => roams?.shown(title, "d1", sessions);
    expect([shown("current session"), shown("lab session")]).toEqual(["d1", "a1"]);
    for (const title of ["twice", "2 awaiting input · claude agents", "✳ Claude Code", "gone"])
      expect(shown(title), title).toBeNull();
    expect(roams?.shown("current session", "d1", [named("e1", "current session")])).toBeNull();
  });
});

describe("the files of a background session", () => {
  const ID = "1981d014";
  const readJob = async (status: Record<string, unknown>, job: string | null) => {
    const file = { ...session, kind: "bg", jobId: ID, tmux: undefined, ...status };
    const reading = await readClaudeStateFile({
      files: memoryFiles({
        "/home/dev/.claude/sessions/4242.json": JSON.stringify(file),
        ...(job === null ? {} : { [`/home/dev/.claude/jobs/${ID}/state.json`]: job }),
      }),
      configDir: "/home/dev/.claude",
      process: agent,
      pane: { ...pane, server: "background", paneId: `bg-${ID}` },
      agentSessionId: null,
      transcriptPath: null,
      cwd: null,
    });
    if (reading === null) return null;
    const { request } = reading;
    const asked = request === null ? "" : ` ${request.kind}: ${request.body ?? request.title}`;
    expect(request?.isWhole).not.toBe(true);
    return `${reading.status.state}/${reading.status.reasonCode}${asked}`;
  };
  const waits = { status: "waiting", waitingFor: "permission prompt" };

  // As `claude --bg` of 2.1.329 writes them.
  it.each([
    [{ status: "busy" }, { state: "working", tempo: "active" }, "running/thinking"],
    [
      waits,
      { state: "working", tempo: "blocked", needs: "approve Bash: touch a.txt" },
      "waiting_approval/permission_tool command: touch a.txt",
    ],
    [
      waits,
      { state: "working", tempo: "blocked", needs: "approve Write: a.txt" },
      "waiting_approval/permission_tool tool: a.txt",
    ],
    [
      { status: "waiting", waitingFor: "input needed" },
      { state: "working", tempo: "blocked", needs: "answer: Which? (Red · Blue)" },
      "waiting_input/question question: Which? (Red · Blue)",
    ],
    [{ status: "idle" }, { state: "working", tempo: "idle", detail: "hello" }, "completed/turn_ended"],
    [
      { status: "idle" },
      { state: "failed", tempo: "idle", detail: "API Error: 400 lab failure" },
      "error/api_error",
    ],
    [
      { status: "idle" },
      { state: "failed", tempo: "idle", detail: "API Error: 401 Invalid API key" },
      "error/auth_failed",
    ],
    // `claude respawn` of a session that never said anything.
    [
      { status: "idle" },
      { state: "working", tempo: "blocked", needs: "send a prompt to start" },
      "idle/fresh",
    ],
    [{ status: "idle" }, { state: "working", tempo: "blocked" }, "idle/fresh"],
    // The job is written a moment later than the session file.
    [waits, { state: "working", tempo: "active" }, "waiting_approval/permission_tool"],
    [{ status: "busy" }, { state: "failed", tempo: "idle", detail: "API Error: 400" }, "running/thinking"],
  ])("%j and %j are %s", async (status, job, expected) => {
    expect(await readJob(status, JSON.stringify(job))).toBe(expected);
  });

  it.each([
    [
      "a turn's end that the job does not know yet",
      { status: "idle" },
      { state: "working", tempo: "active" },
    ],
    ["a state of a later version", { status: "idle" }, { state: "archived", tempo: "idle" }],
    ["a status of a later version", { status: "thinking" }, { state: "working", tempo: "active" }],
    [
      "the session of another job",
      { status: "busy", jobId: "ffffffff" },
      { state: "working", tempo: "active" },
    ],
    [
      "a session in a terminal",
      { status: "busy", kind: "interactive" },
      { state: "working", tempo: "active" },
    ],
  ])("%s proves nothing", async (_what, status, job) => {
    expect(await readJob(status, JSON.stringify(job))).toBeNull();
  });

  it("are not looked for in what another version writes of a session in a terminal", async () => {
    const files = memoryFiles({ "/h/sessions/7.json": '{"pid":7,"kind":"interactive"}' });
    expect(await claudeBackground.read({ files, configDir: "/h", name: "7.json" })).toBeNull();
    const half = memoryFiles({ "/h/sessions/7.json": '{"pid":7,"kin' });
    await expect(claudeBackground.read({ files: half, configDir: "/h", name: "7.json" })).rejects.toThrow();
  });

  it("say what is known where the job's file is half written or gone", async () => {
    expect(await readJob(waits, '{"state": "work')).toBe("waiting_approval/permission_tool");
    expect(await readJob({ status: "idle" }, null)).toBe("idle/fresh");
  });
});
