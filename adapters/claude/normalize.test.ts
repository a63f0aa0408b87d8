import { describe, expect, it } from "vitest";
import type { Signal } from "../../core/model/evidence.ts";
import { eventsOf } from "../testkit/events.ts";
import type { Payload } from "../testkit/recordings.ts";
import { normalizeClaude } from "./normalize.ts";

const { samples, recorded, normalized: normalize, one, requestOf } = eventsOf("claude", normalizeClaude);
const activityOf = (signal: Signal) => {
  if (signal.kind !== "activity") throw new Error(`${signal.kind} is no activity`);
  return {
    status: signal.status === null ? null : `${signal.status.state}/${signal.status.reasonCode}`,
    agentId: signal.agentId,
    boundary: signal.boundary,
  };
};
describe("turns", () => {
  it.each([
    ["SessionStart", {}, { status: "idle/fresh", agentId: "", boundary: true }],
    ["SessionStart", { source: "compact" }, { status: "running/thinking", agentId: "", boundary: false }],
    ["UserPromptSubmit", {}, { status: "running/thinking", agentId: "", boundary: true }],
    ["PreToolUse", {}, { status: "running/tool", agentId: "", boundary: false }],
    ["PostToolUse", {}, { status: "running/thinking", agentId: "", boundary: false }],
    ["PostToolBatch", {}, { status: "running/thinking", agentId: "", boundary: false }],
    ["Stop", {}, { status: "completed/turn_ended", agentId: "", boundary: true }],
    [
      "Stop",
      { background_tasks: [{ id: "a", type: "subagent", status: "running" }] },
      { status: "running/background_task", agentId: "", boundary: true },
    ],
    [
      "Stop",
      { background_tasks: [{ id: "a", type: "subagent", status: "completed" }] },
      { status: "completed/turn_ended", agentId: "", boundary: true },
    ],
    ["SubagentStart", {}, { status: "running/subagent", agentId: "a1a1a46b7bf1414a8", boundary: false }],
    ["SubagentStop", {}, { status: null, agentId: "a1a1a46b7bf1414a8", boundary: true }],
    ["SubagentStop", { agent_id: 7 }, { status: null, agentId: "", boundary: false }],
    ["PreToolUse", { agent_id: "sub" }, { status: "running/subagent", agentId: "sub", boundary: false }],
    ["Stop", { agent_id: "sub" }, { status: null, agentId: "sub", boundary: true }],
    ["SessionEnd", {}, { status: null, agentId: "", boundary: true }],
    ["Notification", { notification_type: "auth_success" }, { status: null, agentId: "", boundary: false }],
  ] as const)("%s %j", (name, changes, expected) => {
    expect(activityOf(one(name, recorded(name, changes)))).toEqual(expected);
  });

  it.each([
    ["unknown", "API Error: 400 lab failure 400", "api_error"],
    ["server_error", "API Error: 500 lab failure 500", "api_error"],
    ["rate_limit", "API Error: Request rejected (429) · lab failure 429", "rate_limited"],
    ["rate_limit", "You've hit your limit · resets 3pm", "usage_limit"],
    ["authentication_failed", "Please run /login · API Error: 401", "auth_failed"],
    ["billing_error", "Credit balance is too low", "usage_limit"],
    ["a_new_name", "Please run /login · API Error: 401", "auth_failed"],
  ])("StopFailure %s: %s", (error, message, reason) => {
    const signal = one("StopFailure", recorded("StopFailure", { error, last_assistant_message: message }));
    expect(activityOf(signal)).toEqual({ status: `error/${reason}`, agentId: "", boundary: true });
  });

  it("says settled for the idle notification and after a compaction on request", () => {
    const idle = samples.find((sample) => sample.payload["notification_type"] === "idle_prompt");
    expect(one("Notification", idle?.payload ?? null)).toEqual({ kind: "settled" });
    expect(one("PostCompact", { trigger: "manual" })).toEqual({ kind: "settled" });
    expect(activityOf(one("PostCompact", { trigger: "auto" })).status).toBe("running/thinking");
    expect(activityOf(one("PreCompact", { trigger: "auto" })).status).toBe("running/compacting");
  });

  it("tells the end of the program from the end of a conversation", () => {
    const isExit = (reason: string) => normalize("SessionEnd", recorded("SessionEnd", { reason })).isExit;
    expect(["prompt_input_exit", "other", "logout"].map(isExit)).toEqual([true, true, true]);
    expect(["clear", "resume"].map(isExit)).toEqual([false, false]);
    expect(normalize("Stop", recorded("Stop")).isExit).toBe(false);
  });

  it("names the session, and the event by its payload where the hook did not", () => {
    const stop = normalize(null, recorded("Stop"));
    expect(stop.sessionId).toBe("04410b52-d984-4402-87ca-299d79f6c462");
    expect(stop.signals).toEqual(normalize("Stop", recorded("Stop")).signals);
  });
});

const keyOfTool = (payload: Payload): string | undefined => {
  const signal = one("PreToolUse", payload);
  return signal.kind === "activity" ? signal.names?.requestKey : undefined;
};

const askedBy = (payload: Payload) => {
  const { status, request } = requestOf("PermissionRequest", payload);
  return { reason: status.reasonCode, kind: request.kind, title: request.title, body: request.body };
};
const keyOfRequest = (changes: Payload): string | null =>
  requestOf("PermissionRequest", recorded("PermissionRequest", changes)).requestKey;

describe("requests", () => {
  it.each(["Bash", "AskUserQuestion", "ExitPlanMode"])("ties the request of %s to its tool use", (tool) => {
    const request = requestOf("PermissionRequest", recorded("PermissionRequest", {}, tool));
    expect(request.requestKey).toBe(keyOfTool(recorded("PreToolUse", {}, tool)));
    expect(request.requestKey).toMatch(/^[0-9a-f]{32}$/);
  });

  it("keeps equal requests of different agents apart", () => {
    expect(new Set([{}, { agent_id: "a" }, { agent_id: "b" }].map(keyOfRequest)).size).toBe(3);
  });

  it.each(["Bash", "AskUserQuestion"])("is closed by the end of its tool use (%s)", (tool) => {
    const key = keyOfTool(recorded("PreToolUse", {}, tool));
    for (const name of ["PostToolUse", "PostToolUseFailure", "PermissionDenied"]) {
      const signal = one(name, recorded("PostToolUse", {}, tool));
      // The question's input gains its answers by then; the request's name stays.
      expect(signal).toMatchObject({ closes: [recorded("PostToolUse", {}, tool)["tool_use_id"], key] });
    }
  });

  it("is closed by the end of the batch that holds it", () => {
    expect(one("PostToolBatch", recorded("PostToolBatch"))).toMatchObject({
      closes: ["toolu_mwpyc33wt", keyOfTool(recorded("PreToolUse", {}, "Bash"))],
    });
  });

  it("shows what is asked", () => {
    const tool = (tool_name: string, tool_input: unknown) =>
      recorded("PermissionRequest", { tool_name, tool_input });
    expect([
      askedBy(recorded("PermissionRequest", {}, "Bash")),
      askedBy(tool("Write", { file_path: "/p/edit.txt", content: "x" })),
      askedBy(tool("ExitPlanMode", { plan: "1. Do\n2. Done" })),
      askedBy(tool("WebFetch", { url: "https://example.org" })),
      askedBy(tool("Bash", "not an object")),
    ]).toEqual([
      { reason: "permission_tool", kind: "command", title: "Bash command", body: "sleep 6; touch x.txt" },
      { reason: "permission_edit", kind: "edit", title: "Write /p/edit.txt", body: "/p/edit.txt" },
      { reason: "plan", kind: "plan", title: "Exit plan mode?", body: "1. Do\n2. Done" },
      { reason: "permission_tool", kind: "tool", title: "Use WebFetch", body: "https://example.org" },
      { reason: "permission_tool", kind: "tool", title: "Use Bash", body: null },
    ]);
  });

  it("shows a question with the digits that answer it", () => {
    const signal = requestOf("PermissionRequest", recorded("PermissionRequest", {}, "AskUserQuestion"));
    expect(signal.status).toEqual({ state: "waiting_input", reasonCode: "question" });
    expect(signal.request).toEqual({
      kind: "question",
      title: "Which colour should the lab use?",
      body: "Which colour should the lab use?",
      toolName: "AskUserQuestion",
      options: [
        { label: "Red", keys: ["1"], description: "a warm colour" },
        { label: "Blue", keys: ["2"], description: "a cold colour" },
      ],
      expiresAt: null,
      isWhole: true,
    });
  });

  it.each([
    ["default", "Bash", false],
    ["plan", "Bash", false],
    ["auto", "Bash", true],
    ["bypassPermissions", "Bash", true],
    ["dontAsk", "Bash", true],
    ["acceptEdits", "Bash", false],
    ["acceptEdits", "Write", true],
  ])("in mode %s for %s needs confirmation: %s", (permission_mode, tool_name, expected) => {
    const payload = recorded("PermissionRequest", { permission_mode, tool_name });
    expect(requestOf("PermissionRequest", payload).needsConfirmation).toBe(expected);
    expect(requestOf("PermissionRequest", payload, true).needsConfirmation).toBe(true);
  });

  it("waits at least three drawing times for the dialog", () => {
    expect(requestOf("PermissionRequest", recorded("PermissionRequest")).dialogGraceMs).toBe(1_000);
  });

  it("knows from the notification that a dialog is open, not which", () => {
    const signal = requestOf("Notification", recorded("Notification"));
    expect(signal).toMatchObject({ requestKey: null, needsConfirmation: false });
  });

  it("opens and closes an elicitation", () => {
    const opened = requestOf("Elicitation", {
      mcp_server_name: "db",
      elicitation_id: "e1",
      message: "Which table?",
    });
    expect(opened.status).toEqual({ state: "waiting_input", reasonCode: "question" });
    const closed = one("ElicitationResult", {
      mcp_server_name: "db",
      elicitation_id: "e1",
      action: "accept",
    });
    expect(closed.kind === "activity" ? closed.closes : []).toContain(opened.requestKey);
  });

  it("strips control characters from what is shown, which is not whole then", () => {
    const tool_input = { command: "echo \u001b[2Jhi\u0007\nnext" };
    const { request } = requestOf("PermissionRequest", recorded("PermissionRequest", { tool_input }));
    expect(request).toMatchObject({ body: "echo [2Jhi\nnext", hasMore: true });
    expect(request.isWhole).toBeUndefined();
  });

  it.each([
    ["Edit", { old_string: "one", new_string: "two", replace_all: true }, "-one\n+two"],
    ["NotebookEdit", { new_source: "one\ntwo\n" }, "+one\n+two"],
    [
      "MultiEdit",
      {
        edits: [
          { old_string: "a", new_string: "b" },
          { old_string: "c", new_string: "" },
        ],
      },
      "-a\n+b\n-c",
    ],
  ])("tells what %s changes where that is not all, and is not whole then", (tool_name, input, content) => {
    const tool_input = { file_path: "/p/a", ...input };
    const { request } = requestOf(
      "PermissionRequest",
      recorded("PermissionRequest", { tool_name, tool_input }),
    );
    expect(request).toMatchObject({ kind: "edit", body: "/p/a", content });
    expect(request.isWhole).toBeUndefined();
  });

  it("tells nothing of an edit of which a part has an unknown form", () => {
    const tool_input = { file_path: "/p/a", edits: [{ old_string: "a", new_string: "b" }, { delete: 1 }] };
    const payload = recorded("PermissionRequest", { tool_name: "MultiEdit", tool_input });
    expect(requestOf("PermissionRequest", payload).request.content ?? null).toBeNull();
  });

  it("is whole with all that is asked, which what no dialog draws is a part of", () => {
    const isWhole = (tool_name: string, tool_input: unknown) =>
      requestOf("PermissionRequest", recorded("PermissionRequest", { tool_name, tool_input })).request
        .isWhole;
    const hasMore = (tool_input: unknown) =>
      requestOf("PermissionRequest", recorded("PermissionRequest", { tool_input })).request.hasMore;
    const command = "touch a.txt";
    expect(isWhole("Bash", { command, description: "Makes a file", timeout: 1_000 })).toBe(true);
    expect(isWhole("Bash", { command, dangerouslyDisableSandbox: true })).toBeUndefined();
    expect(hasMore({ command, run_in_background: true })).toBe(true);
    expect(isWhole("Bash", { command, dangerouslyDisableSandbox: false, run_in_background: false })).toBe(
      true,
    );
    expect(isWhole("Bash", { command: "x".repeat(70_000) })).toBeUndefined();
    expect(isWhole("Write", { file_path: "/p/a", content: "x" })).toBe(true);
    expect(isWhole("Edit", { file_path: "/p/a", old_string: "x" })).toBeUndefined();
    expect(isWhole("WebFetch", { url: "https://example.org", prompt: "and?" })).toBeUndefined();
  });
});

it("tells where a command runs, unless a part of its call is not drawn", () => {
  const runsIn = (more: object, tool_name = "Bash") => {
    const tool_input = { command: "git status", ...more };
    const payload = recorded("PermissionRequest", { tool_name, tool_input, cwd: "/p" });
    return requestOf("PermissionRequest", payload).request.runsIn;
  };
  expect(runsIn({ description: "Looks", timeout: 1_000 })).toBe("/p");
  expect(runsIn({ dangerouslyDisableSandbox: true })).toBeUndefined();
  expect(runsIn({}, "mcp__ssh__run")).toBeUndefined();
});

describe("payloads that could not be read", () => {
  it.each([
    ["UserPromptSubmit", { status: "running/thinking", agentId: "", boundary: true }],
    ["Stop", { status: "completed/turn_ended", agentId: "", boundary: true }],
    ["StopFailure", { status: "error/api_error", agentId: "", boundary: true }],
    ["SessionStart", { status: null, agentId: "", boundary: false }],
    ["SubagentStop", { status: null, agentId: "", boundary: false }],
    ["PostToolUse", { status: "running/thinking", agentId: "", boundary: false }],
    ["Notification", { status: null, agentId: "", boundary: false }],
  ])("%s counts as far as its name proves something", (name, expected) => {
    expect(activityOf(one(name, null))).toEqual(expected);
  });

  it("leaves a permission request a request, to be confirmed", () => {
    expect(requestOf("PermissionRequest", null)).toMatchObject({
      requestKey: null,
      confidence: "medium",
      needsConfirmation: true,
      status: { state: "waiting_approval", reasonCode: "permission_tool" },
    });
  });
});
