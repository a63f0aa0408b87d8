import { describe, expect, it } from "vitest";
import type { Signal } from "../../core/model/evidence.ts";
import { fixtureFolder, loadRecording, type Payload } from "../testkit/recordings.ts";
import { eventsOf, toldBy } from "../testkit/events.ts";
import { normalizeGemini } from "./normalize.ts";

const { recorded, normalized: normalize, requestOf, closedBy: closed } = eventsOf("gemini", normalizeGemini);
const said = (signals: readonly Signal[]): string[] =>
  signals.map((signal) =>
    signal.kind === "activity" ? `${toldBy(signal)} ${signal.confidence}` : toldBy(signal),
  );
const closedBy = (payload: Payload) => closed("AfterTool", payload);

describe("turns", () => {
  it.each([
    ["SessionStart", {}, ["idle/fresh! high"]],
    ["BeforeAgent", {}, ["running/thinking! high"]],
    ["BeforeTool", {}, ["running/tool high"]],
    ["AfterTool", {}, ["running/thinking high"]],
    ["PreCompress", {}, ["alive high"]],
    ["AfterAgent", {}, ["completed/turn_ended! medium"]],
    ["AfterAgent", { prompt_response: "[no response text]" }, ["error/api_error! medium"]],
    ["SessionEnd", {}, ["alive! high"]],
    ["Notification", {}, ["asks permission_tool"]],
    ["Notification", { notification_type: "Other" }, ["alive high"]],
    ["BeforeTool", { tool_name: "ask_user", tool_input: {} }, ["running/tool high", "asks question?"]],
    ["Unheard", {}, []],
  ] as const)("%s %j", (name, changes, expected) => {
    expect(said(normalize(name, recorded(name, changes)).signals)).toEqual(expected);
  });

  it("knows the end of the program from that of a conversation", () => {
    expect(normalize("SessionEnd", recorded("SessionEnd")).isExit).toBe(true);
    expect(normalize("SessionEnd", recorded("SessionEnd", { reason: "clear" })).isExit).toBe(false);
  });

  it("names session, log, folder and prompt", () => {
    expect(normalize(null, recorded("BeforeAgent"))).toMatchObject({
      sessionId: "40d1aaff-9358-4ca8-918b-e77727d9d47d",
      cwd: "/home/dev/project",
      promptText: "SAY hello from the lab",
      transcriptPath: "/home/dev/.gemini/tmp/project/chats/session-2026-11-21T05-19-40d1aaff.jsonl",
    });
  });

  it.each([
    ["BeforeAgent", ["running/thinking! medium"]],
    ["AfterAgent", ["completed/turn_ended! medium"]],
    ["Notification", ["alive high"]],
  ] as const)("%s without its payload counts as far as its name proves something", (name, expected) => {
    expect(said(normalize(name, null).signals)).toEqual(expected);
  });
});

describe("requests", () => {
  it("shows the command with the keys that were seen to work, and is closed by its tool", () => {
    const asked = requestOf("Notification", recorded("Notification"));
    expect(asked.request).toEqual({
      kind: "command",
      title: "Confirm Shell Command",
      body: "touch approved.txt",
      toolName: "run_shell_command",
      options: [
        { label: "Allow once", keys: ["1"], role: "approve" },
        { label: "No, suggest changes", keys: ["Escape"], role: "deny" },
      ],
      expiresAt: null,
      isWhole: true,
    });
    expect(closedBy(recorded("AfterTool"))).toEqual([asked.requestKey]);
    expect(closedBy(recorded("AfterTool", { tool_input: { command: "other" } }))).not.toContain(
      asked.requestKey,
    );
  });

  it("ties a file that is named in full to the tool's relative path", () => {
    const details = { type: "edit", title: "Confirm Write", filePath: "/home/dev/project/edit.txt" };
    const asked = requestOf("Notification", recorded("Notification", { details }));
    expect(asked).toMatchObject({
      status: { reasonCode: "permission_edit" },
      request: { kind: "edit", body: "/home/dev/project/edit.txt" },
    });
    expect(closedBy({ tool_name: "write_file", tool_input: { file_path: "edit.txt" } })).toEqual([
      asked.requestKey,
    ]);
  });

  it.each([
    [
      "the lines of its difference",
      { fileDiff: "--- a\n+++ a\n@@ -1 +1 @@\n zero\n--- one\n+two\n" },
      " zero\n--- one\n+two",
    ],
    ["nothing of a form that is not known", { fileDiff: "GIT binary patch" }, null],
    ["nothing where there is none", {}, null],
  ])("of a file carries %s", (_what, fields, content) => {
    const details = { type: "edit", title: "Confirm Edit", filePath: "/p/a", ...fields };
    const { request } = requestOf("Notification", recorded("Notification", { details, cwd: "/p" }));
    expect(request).toMatchObject({ body: "/p/a", cwd: "/p" });
    expect([request.content, request.isWhole]).toEqual([content, content === null ? undefined : true]);
  });

  it("of a page carries what for, and of a server's tool no more than its name", () => {
    const asked = (details: object) =>
      requestOf("Notification", recorded("Notification", { details })).request;
    expect(asked({ type: "info", prompt: "Sum up", urls: ["https://a.example"] })).toMatchObject({
      body: "Sum up\n\nURLs to fetch:\n - https://a.example",
      isWhole: true,
    });
    const tool = asked({ type: "mcp", serverName: "lab", toolName: "send" });
    expect(tool.body).toBe("MCP Server: lab\nTool: send");
    expect(tool.isWhole).toBeUndefined();
  });

  it("knows the question from the tool's announcement, and that a dialog is open from the notification", () => {
    const [, announced, notification] = loadRecording(
      fixtureFolder("gemini"),
      "waiting_input_question",
    ).events.slice(-3);
    expect(requestOf("BeforeTool", announced?.payload ?? {})).toMatchObject({
      needsConfirmation: true,
      request: {
        kind: "question",
        body: "Which colour should the lab use?",
        options: [{ label: "Red" }, { label: "Blue" }],
      },
    });
    expect(requestOf("Notification", notification?.payload ?? {})).toMatchObject({
      needsConfirmation: false,
      requestKey: null,
      status: { state: "waiting_input" },
    });
  });
});
