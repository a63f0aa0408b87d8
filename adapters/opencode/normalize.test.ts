import { describe, expect, it } from "vitest";
import { eventsOf } from "../testkit/events.ts";
import { normalizeOpencode } from "./normalize.ts";

const { recorded, normalized } = eventsOf("opencode", normalizeOpencode);
const sample = (name: string, more: Record<string, unknown> = {}) => normalized(name, recorded(name, more));
const idle = (more: Record<string, unknown>) => {
  const [signal] = normalized("session.idle", { sessionID: "s", ...more }).signals;
  if (signal?.kind !== "activity") throw new Error("no activity");
  return `${signal.status?.state}/${signal.status?.reasonCode}${signal.boundary ? "" : " goes on"}`;
};

describe("opencode's events", () => {
  it("opens a request under opencode's own id and closes it by that id", () => {
    const [asked] = sample("permission.asked").signals;
    expect(asked).toMatchObject({
      kind: "request",
      requestKey: "per_1fc8ee03e001zuKEzxZ40pNPAa",
      status: { state: "waiting_approval", reasonCode: "permission_tool" },
      request: { kind: "command", body: "touch approved.txt", toolName: "bash", isWhole: true },
      needsConfirmation: false,
    });
    expect(sample("permission.replied").signals).toMatchObject([
      { closes: ["per_1fc8ee03e001zuKEzxZ40pNPAa"] },
    ]);
    expect(sample("question.rejected").signals).toMatchObject([
      { closes: ["que_1fc965435001kiG1YBEraaV6WP"] },
    ]);
  });

  it("says in its own words what failed, and nothing of a turn that a person stopped", () => {
    const saidOf = (name: string) => {
      const error = { name, data: { message: "lab failure" } };
      const [signal] = normalized("session.idle", { sessionID: "s", error }).signals;
      return signal?.kind === "activity" ? (signal.progress ?? null) : "no activity";
    };
    expect([saidOf("APIError"), saidOf("MessageAbortedError")]).toEqual(["lab failure", null]);
  });

  it("names the file of an edit", () => {
    const [asked] = sample("permission.asked", {
      permission: "edit",
      metadata: { filepath: "src/main.ts" },
    }).signals;
    expect(asked).toMatchObject({
      status: { reasonCode: "permission_edit" },
      request: { kind: "edit", title: "Edit src/main.ts", body: "src/main.ts" },
    });
  });

  const asks = (permission: string, more: Record<string, unknown>) => {
    const [signal] = sample("permission.asked", { permission, directory: "/p", ...more }).signals;
    return signal?.kind === "request" ? signal.request : undefined;
  };

  it("tells a difference of several files with its headers, and never as whole", () => {
    const diff =
      "Index: a\n--- a\n+++ a\n@@ -1 +1 @@\n-one\n+two\nIndex: b\n--- b\n+++ b\n@@ -0,0 +1 @@\n+three";
    const request = asks("edit", { metadata: { filepath: "/p/a, /p/b", diff } });
    expect(request).toMatchObject({ kind: "edit", content: diff });
    expect(request?.isWhole).toBeUndefined();
  });

  it("tells an edit by its difference", () => {
    const diff = "Index: a\n===\n--- a\n+++ a\n@@ -1 +1 @@\n zero\n-one\n+two\n";
    expect(asks("edit", { metadata: { filepath: "/p/a", diff } })).toMatchObject({
      body: "/p/a",
      content: " zero\n-one\n+two",
      cwd: "/p",
      isWhole: true,
    });
    expect(asks("edit", { metadata: { filepath: "/p/a" } })?.isWhole).toBeUndefined();
  });

  it.each([
    [
      { command: "ls", workdir: "/p", timeout: 1 },
      { isWhole: true, hasMore: undefined },
    ],
    [
      { command: "ls", workdir: "/etc" },
      { isWhole: undefined, hasMore: true },
    ],
    [
      { command: "ls", background: true },
      { isWhole: undefined, hasMore: true },
    ],
  ])("tells a command called with %j", (args, { isWhole, hasMore }) => {
    const request = asks("bash", { metadata: { command: "ls" }, args });
    expect([request?.body, request?.isWhole, request?.hasMore]).toEqual(["ls", isWhole, hasMore]);
  });

  it("tells where a command runs only where it tells how it was called", () => {
    const runsIn = (more: object) => asks("bash", { metadata: { command: "ls" }, ...more })?.runsIn;
    expect(runsIn({ args: { command: "ls" } })).toBe("/p");
    expect(runsIn({ args: { command: "ls", workdir: "/etc" } })).toBeUndefined();
    expect(runsIn({})).toBeUndefined();
    expect(asks("ssh", { metadata: { command: "ls" }, args: { command: "ls" } })?.runsIn).toBeUndefined();
  });

  it("tells pages, folders and tools as their dialogs begin, and of a tool what it is given", () => {
    expect(asks("webfetch", { metadata: { url: "https://a.example" } })).toMatchObject({
      body: "URL: https://a.example",
      isWhole: true,
    });
    const folder = { patterns: ["/var/x/*"], metadata: { parentDir: "/var/x" } };
    expect(asks("external_directory", folder)).toMatchObject({
      body: "Patterns\n\n- /var/x/*",
      isWhole: true,
    });
    expect(asks("lab_send", { patterns: [], metadata: {}, args: { to: "a" } })).toMatchObject({
      body: 'Tool: lab_send\n\n{\n  "to": "a"\n}',
      isWhole: true,
    });
    expect(asks("lab_send", { patterns: [], metadata: {} })?.isWhole).toBeUndefined();
  });

  it("tells what the plugin had to cut as not whole", () => {
    const request = asks("bash", { metadata: { command: "ls" }, isCut: true });
    expect([request?.isWhole, request?.hasMore]).toEqual([undefined, true]);
  });

  it.each([
    [{}, "completed/turn_ended"],
    [{ error: { name: "MessageAbortedError" } }, "idle/interrupted"],
    [{ isRejected: true }, "idle/interrupted"],
    [{ error: { name: "APIError", data: { statusCode: 429, message: "slow down" } } }, "error/rate_limited"],
    [{ error: { name: "APIError", data: { statusCode: 400, message: "lab failure" } } }, "error/api_error"],
    [{ error: { name: "ProviderAuthError", data: {} } }, "error/auth_failed"],
    [{ isOtherBusy: true }, "running/thinking goes on"],
    [{ parentID: "root" }, "undefined/undefined"],
  ])("reads the end of a turn from %j", (more, expected) => {
    expect(idle(more)).toBe(expected);
  });

  it("ends nothing by the name of an end alone: it may be a sub-agent's", () => {
    expect(normalized("session.idle", null).signals).toMatchObject([{ status: null, boundary: false }]);
  });

  it("keeps a sub-agent's permission apart from the root's turn, and its session id out of the pane's", () => {
    const event = sample("permission.asked", { parentID: "root" });
    expect(event.signals).toMatchObject([{ agentId: "ses_e03716b0cffeL0sZ4PO2WFUAzS" }]);
    expect(event.sessionId).toBeNull();
  });

  it("does not take repeated busy for a new turn: a dialog may be open beside it", () => {
    expect(sample("session.status", { status: { type: "busy" } }).signals).toMatchObject([
      { boundary: false },
    ]);
  });
});
