import { describe, expect, it } from "vitest";
import type { Signal } from "../../core/model/evidence.ts";
import { eventsOf, toldBy } from "../testkit/events.ts";
import type { Payload } from "../testkit/recordings.ts";
import { normalizeCopilot } from "./normalize.ts";

const {
  recorded,
  normalized: normalize,
  requestOf,
  closedBy: closed,
} = eventsOf("copilot", normalizeCopilot, "toolName");
const said = (signals: readonly Signal[]): string[] =>
  signals.map((signal) => {
    const isOfSubagent = signal.kind === "activity" && signal.agentId !== "";
    return `${toldBy(signal)}${isOfSubagent ? " of a sub-agent" : ""}`;
  });
const closedBy = (payload: Payload) => closed("postToolUse", payload);
const SUB = { agentId: "16a723a8", parentAgentId: "eef7fd97" };

describe("turns", () => {
  it.each([
    ["sessionStart", { initialPrompt: null }, ["idle/fresh!"]],
    ["sessionStart", { source: "new", initialPrompt: "SAY hello" }, ["running/thinking!"]],
    ["userPromptSubmitted", {}, ["running/thinking!"]],
    ["preToolUse", {}, ["running/tool"]],
    ["postToolUse", {}, ["running/thinking"]],
    ["errorOccurred", {}, ["running/retrying"]],
    ["errorOccurred", { errorContext: "tool" }, ["alive"]],
    ["agentStop", {}, ["completed/turn_ended!"]],
    ["agentStop", SUB, ["alive! of a sub-agent"]],
    ["userPromptSubmitted", SUB, ["running/subagent! of a sub-agent"]],
    ["subagentStart", {}, ["running/subagent of a sub-agent"]],
    ["subagentStop", {}, ["alive! of a sub-agent"]],
    ["sessionEnd", {}, ["alive!"]],
    ["permissionRequest", {}, ["asks permission_tool?"]],
    ["notification", {}, ["asks permission_tool"]],
    ["notification", { notification_type: "shell_completed" }, ["alive"]],
    ["unheard", {}, []],
  ] as const)("%s %j", (name, changes, expected) => {
    expect(said(normalize(name, recorded(name, changes)).signals)).toEqual(expected);
  });

  it.each([
    ["agentStop", ["alive"]],
    ["userPromptSubmitted", ["running/thinking!"]],
    ["permissionRequest", ["asks permission_tool?"]],
    ["notification", ["alive"]],
  ] as const)("%s without its payload counts as far as its name proves something", (name, expected) => {
    expect(said(normalize(name, null).signals)).toEqual(expected);
  });

  it("takes the session's own id for the root agent", () => {
    const payload = recorded("agentStop");
    expect(said(normalize("agentStop", { ...payload, agentId: payload["sessionId"] }).signals)).toEqual([
      "completed/turn_ended!",
    ]);
  });

  it("names session, log, prompt and exit", () => {
    expect(normalize("agentStop", recorded("agentStop"))).toMatchObject({
      sessionId: "eef7fd97-cbe1-46a2-9377-81807ee4c851",
      transcriptPath: "/home/dev/.copilot/session-state/eef7fd97-cbe1-46a2-9377-81807ee4c851/events.jsonl",
      isExit: false,
    });
    expect(normalize("userPromptSubmitted", recorded("userPromptSubmitted")).promptText).toBe(
      "SAY hello from the lab",
    );
    expect(normalize("sessionEnd", recorded("sessionEnd")).isExit).toBe(true);
  });
});

describe("requests", () => {
  it("gives a command one name from the permission to the end of the tool", () => {
    const asked = requestOf("permissionRequest", recorded("permissionRequest", {}, "bash"));
    expect(asked.request).toMatchObject({
      kind: "command",
      body: "touch approved.txt",
      toolName: "bash",
      isWhole: true,
    });
    expect(closedBy(recorded("postToolUse", {}, "bash"))).toEqual([asked.requestKey]);
  });

  it("gives a file one name, though the tool and the permission call it differently", () => {
    const asked = requestOf("permissionRequest", recorded("permissionRequest", {}, "edit"));
    expect(asked).toMatchObject({
      status: { reasonCode: "permission_edit" },
      request: {
        kind: "edit",
        body: "/home/dev/project/edit2.txt",
        content: "+hello from the lab\n+second line",
        isWhole: true,
      },
    });
    expect(closedBy(recorded("preToolUse", {}, "create"))).toEqual([asked.requestKey]);
  });

  it("keeps equal requests of different agents apart", () => {
    const keys = [{}, { agentId: "a" }, { agentId: "b" }].map(
      (changes) => requestOf("permissionRequest", recorded("permissionRequest", changes)).requestKey,
    );
    expect(new Set(keys).size).toBe(3);
  });

  it("knows the question from the tool's announcement", () => {
    const asked = requestOf("preToolUse", recorded("preToolUse", {}, "ask_user"));
    expect(asked).toMatchObject({
      needsConfirmation: true,
      request: {
        kind: "question",
        body: "Which colour should the lab use?",
        options: [
          { label: "Red", keys: null },
          { label: "Blue", keys: null },
        ],
      },
    });
    expect(closedBy(recorded("postToolUse", {}, "ask_user"))).toEqual([asked.requestKey]);
    const notified = recorded("notification", { notification_type: "elicitation_dialog" });
    expect(requestOf("notification", notified)).toMatchObject({
      requestKey: null,
      needsConfirmation: false,
      status: { state: "waiting_input" },
    });
  });

  it("shows the command that a notification quotes, with the keys that were seen to work", () => {
    expect(requestOf("notification", recorded("notification")).request).toMatchObject({
      kind: "command",
      body: "touch approved.txt",
      options: [{ keys: ["1"] }, { keys: ["Escape"] }],
    });
    const other = recorded("notification", { message: "Fetch https://example.org" });
    expect(requestOf("notification", other).request).toMatchObject({
      kind: "other",
      title: "Fetch https://example.org",
    });
  });

  it.each([
    ["Run command: a\n b", { kind: "command", body: "a\n b", isWhole: true }],
    ["Edit file: /p/a.txt", { kind: "edit", body: "/p/a.txt" }],
    ["Fetch URL: https://a.example/x", { kind: "tool", body: "https://a.example/x", isWhole: true }],
    ["Path permission needed: /var/x", { kind: "tool", body: "/var/x", isWhole: true }],
    ["Use MCP tool: lab/send", { kind: "tool", title: "Use lab/send", body: null, toolName: "lab/send" }],
  ])("says what the notification %j is about, and whether that is all", (message, expected) => {
    const { request } = requestOf("notification", recorded("notification", { message }));
    expect(request).toMatchObject(expected);
    expect(request.isWhole).toBe("isWhole" in expected ? true : undefined);
  });

  it.each([
    ["create", { path: "/p/a", file_text: "x\ny\n" }, "+x\n+y"],
    ["edit", { path: "/p/a", old_str: "x\n", new_str: "y\n" }, "-x\n+y"],
    ["edit", { path: "/p/a", diff: "binary" }, null],
    ["edit", { path: "/p/a" }, null],
  ])("carries what %s changes, by %j", (toolName, toolInput, content) => {
    const { request } = requestOf("permissionRequest", { toolName, toolInput, cwd: "/p" });
    expect(request).toMatchObject({ kind: "edit", body: "/p/a", content, cwd: "/p" });
    expect(request.isWhole).toBe(content === null ? undefined : true);
  });

  it("shows what a server's tool is given as its dialog draws it", () => {
    const asked = requestOf("permissionRequest", { toolName: "lab/send", toolInput: { to: ["a"] } });
    expect(asked.request).toMatchObject({ body: '{\n  "to": [\n    "a"\n  ]\n}', isWhole: true });
  });
});
