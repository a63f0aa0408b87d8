import { describe, expect, it } from "vitest";
import { eventsOf } from "../testkit/events.ts";
import { fixtureFolder, listFrames, loadRecording, type Payload } from "../testkit/recordings.ts";
import { normalizeCodex } from "./normalize.ts";

const RECORDINGS = fixtureFolder("codex");
const { samples, normalized: normalize } = eventsOf("codex", normalizeCodex);
const sample = (name: string, index = 0): Payload =>
  samples.filter((one) => one.name === name)[index]?.payload ?? {};
const [, refusedPermission] = samples.filter((one) => one.name === "PermissionRequest");

describe("Codex's events", () => {
  it.each([
    ["UserPromptSubmit", { state: "running", reasonCode: "thinking" }],
    ["Stop", { state: "completed", reasonCode: "turn_ended" }],
    ["Interrupt", { state: "idle", reasonCode: "interrupted" }],
    ["SessionEnd", null],
  ])("%s bounds a turn", (name, status) => {
    expect(normalize(name, sample(name)).signals).toEqual([
      {
        kind: "activity",
        agentId: "",
        status,
        confidence: "high",
        boundary: true,
        closes: [],
        names: null,
      },
    ]);
  });

  it("claim no state at SessionStart and no exit at all", () => {
    expect(normalize("SessionStart", sample("SessionStart")).signals).toMatchObject([
      { kind: "activity", status: null, boundary: false },
    ]);
    for (const { name, payload } of samples) expect(normalize(name, payload).isExit).toBe(false);
  });

  it("make nothing of notify, which also fires for Codex's own title requests", () => {
    for (const { payload } of samples.filter((one) => one.name === "notify"))
      expect(normalize("notify", payload)).toMatchObject({ signals: [], promptText: null });
  });

  it("name a permission request alike when the tool is announced, asked for and done", () => {
    const [before] = normalize("PreToolUse", sample("PreToolUse")).signals;
    const [asked] = normalize("PermissionRequest", sample("PermissionRequest")).signals;
    const [after] = normalize("PostToolUse", sample("PostToolUse")).signals;
    expect(asked).toMatchObject({
      kind: "request",
      status: { state: "waiting_approval", reasonCode: "permission_tool" },
      request: {
        kind: "command",
        body: "touch approved.txt",
        remark: "Lab wants to run this outside the sandbox",
        toolName: "Bash",
        isWhole: true,
      },
      needsConfirmation: false,
      dialogGraceMs: 2_700,
    });
    // Neither folder nor shell nor sandbox is told, so that only a person approves it.
    expect(asked?.kind === "request" && asked.request.runsIn).toBeUndefined();
    const key = asked?.kind === "request" ? asked.requestKey : null;
    expect(key).not.toBeNull();
    expect(before).toMatchObject({ names: { toolUseId: "call_mwpygylv4u", requestKey: key } });
    expect(after).toMatchObject({ closes: ["call_mwpygylv4u", key] });
  });

  it("tell an edit from a command", () => {
    expect(normalize("PermissionRequest", refusedPermission?.payload ?? {}).signals).toMatchObject([
      {
        status: { reasonCode: "permission_edit" },
        request: { kind: "edit", toolName: "apply_patch", isWhole: true },
      },
    ]);
  });

  const patchAsk = (...lines: string[]) => {
    const command = ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
    const payload = { tool_name: "apply_patch", tool_input: { command }, cwd: "/p" };
    const [signal] = normalize("PermissionRequest", payload).signals;
    return signal?.kind === "request" ? signal.request : null;
  };

  it("tell a patch as its file and its lines", () => {
    expect(patchAsk("*** Update File: src/a.ts", "@@", " zero", "-one", "+two")).toMatchObject({
      body: "src/a.ts",
      content: "@@\n zero\n-one\n+two",
      cwd: "/p",
      isWhole: true,
    });
  });

  it("tell with each line which file it is of, and what becomes of a file, where there is more than one change", () => {
    const several = ["*** Add File: a", "+one", "*** Delete File: b"];
    expect(patchAsk(...several)).toMatchObject({ body: "a\nb", content: several.join("\n"), isWhole: true });
    const moved = ["*** Update File: a", "*** Move to: b", "@@", "-one"];
    expect(patchAsk(...moved)).toMatchObject({ body: "a", content: moved.join("\n") });
    expect(patchAsk("*** Delete File: a")).toMatchObject({ body: "a", content: "*** Delete File: a" });
  });

  it("tell a patch whose form is not known, which is not whole", () => {
    expect(patchAsk("@@", "+one")).toMatchObject({ body: null });
    expect(patchAsk("@@", "+one")?.isWhole).toBeUndefined();
  });

  it("open a question that a dialog must confirm, because the tool is refused outside Plan mode", () => {
    const payload = samples.find(
      ({ name, payload }) => name === "PreToolUse" && payload["tool_name"] === "request_user_input",
    )?.payload;
    expect(normalize("PreToolUse", payload ?? {}).signals).toMatchObject([
      { kind: "activity", status: { state: "running", reasonCode: "tool" } },
      {
        kind: "request",
        status: { state: "waiting_input", reasonCode: "question" },
        needsConfirmation: true,
        request: {
          kind: "question",
          title: "Which colour should the lab use?",
          options: [{ label: "Red" }, { label: "Blue" }],
          isWhole: true,
        },
      },
    ]);
  });

  it("want a dialog seen where another may answer, or the payload could not be read", () => {
    const confirmed = (...args: Parameters<typeof normalize>) => normalize(...args).signals[0];
    const payload = sample("PermissionRequest");
    expect(confirmed("PermissionRequest", payload, true)).toMatchObject({ needsConfirmation: true });
    expect(confirmed("PermissionRequest", { ...payload, permission_mode: "dontAsk" })).toMatchObject({
      needsConfirmation: true,
    });
    expect(confirmed("PermissionRequest", null)).toMatchObject({
      needsConfirmation: true,
      confidence: "medium",
      requestKey: null,
    });
  });

  it("leave the parent's turn alone when a sub-thread speaks, by its agent id or by its rollout", () => {
    const sub = sample("SubagentStart");
    const thread = sub["agent_id"];
    expect(normalize("SubagentStart", sub).signals).toMatchObject([
      { agentId: thread, status: { state: "running", reasonCode: "subagent" }, boundary: false },
    ]);
    const { agent_id: _id, ...byRollout } = sub;
    const prompt = normalize("UserPromptSubmit", { ...byRollout, prompt: "SAY sub-agent here" });
    expect(prompt).toMatchObject({
      signals: [{ agentId: thread, status: { reasonCode: "subagent" } }],
      promptText: null,
      transcriptPath: null,
      sessionId: sub["session_id"],
    });
    expect(normalize("SubagentStop", sample("SubagentStop")).signals).toMatchObject([
      { agentId: thread, status: null, boundary: true },
    ]);
    expect(normalize("Stop", byRollout).signals).toMatchObject([{ agentId: thread, status: null }]);
    expect(normalize("SubagentStop", { session_id: "s" }).signals).toMatchObject([
      { agentId: "", status: null, boundary: false },
    ]);
  });

  it("carry session, folder, rollout and prompt", () => {
    const payload = sample("UserPromptSubmit");
    expect(normalize("UserPromptSubmit", payload)).toMatchObject({
      sessionId: payload["session_id"],
      cwd: "/home/dev/project",
      transcriptPath: payload["transcript_path"],
      promptText: "SAY hello from the lab",
    });
  });

  it("end no recording in a wait that is none", () => {
    for (const frame of listFrames(RECORDINGS)) {
      const last = loadRecording(RECORDINGS, frame)
        .events.filter(({ name }) => name !== "notify")
        .at(-1);
      if (last === undefined || frame.startsWith("waiting")) continue;
      const unconfirmed = normalize(last.name, last.payload).signals.filter(
        (signal) => signal.kind === "request" && !signal.needsConfirmation,
      );
      expect(unconfirmed, frame).toEqual([]);
    }
  });
});
