import { describe, expect, it } from "vitest";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import type { PromptRequest } from "../../core/model/request.ts";
import { eventsOf } from "../testkit/events.ts";
import { fixtureFolder, frameOf, loadRecording, screenOf } from "../testkit/recordings.ts";
import { createKiloAdapter } from "./index.ts";
import { titleOfKiloSession } from "./screen.ts";

const adapter = createKiloAdapter();
const requestIn = (name: string): PromptRequest | null | undefined =>
  adapter.readScreen(frameOf("kilo", name))?.request;

describe("a command", () => {
  it("is whole where its window has room below it, at any width", () => {
    expect(requestIn("approval_long")).toMatchObject({ isWhole: true, kind: "command" });
    expect(requestIn("approval_long")?.body).toMatch(/^echo part000 .* part051$/s);
    expect(requestIn("approval_long_60_columns")?.isWhole).toBe(true);
  });
  it("is not whole where its window is full: more of it is out of sight", () => {
    const request = requestIn("approval_tall");
    expect(request?.body).not.toContain("part091");
    expect(request?.isWhole).toBeUndefined();
  });
});

describe("a refusal", () => {
  it("has a page of its own behind Escape, on which the permission is still open and nothing can be approved", () => {
    for (const name of ["approval_rejecting", "approval_rejecting_60_columns"]) {
      const reading = adapter.readScreen(frameOf("kilo", name));
      expect(reading?.status.state).toBe("waiting_approval");
      expect(reading?.request?.options).toEqual([
        { label: "Reject", keys: ["C-c"], role: "deny" },
        { label: "Back to the request", keys: ["Escape"] },
      ]);
      expect(reading?.request?.isWhole).toBeUndefined();
    }
  });
  it("is read only where the page ends the screen", () => {
    const screen = frameOf("kilo", "approval_rejecting");
    const quoted = { ...screen, lines: [...screen.lines, "", "  it said so"] };
    expect(adapter.readScreen(quoted)?.status.state).not.toBe("waiting_approval");
  });
  it("is one key by its event too", () => {
    const { requestOf, recorded } = eventsOf("kilo", (...given) => adapter.normalize(...given), "permission");
    const { request } = requestOf("permission.asked", recorded("permission.asked"));
    expect(request.options.map(({ role, keys }) => [role, keys])).toEqual([
      ["approve", null],
      ["approve_always", null],
      ["deny", ["C-c"]],
    ]);
  });
});

it("a folder outside is asked for as its dialog asks, not as the command that wants it", () => {
  const { requestOf } = eventsOf("kilo", (...given) => adapter.normalize(...given));
  const metadata = { command: "touch /srv/q", directories: ["/srv"], patterns: ["/srv/*"] };
  const asked = { id: "per_1", sessionID: "ses_1", permission: "external_directory" };
  const { request } = requestOf("permission.asked", {
    ...asked,
    metadata,
    args: { command: "touch /srv/q" },
  });
  expect(request).toMatchObject({
    kind: "tool",
    title: "Access external directory /srv",
    body: "Patterns\n\n- /srv/*",
    isWhole: true,
  });
  const two = { ...metadata, directories: ["/srv", "/opt"] };
  const both = requestOf("permission.asked", { ...asked, metadata: two, args: null }).request;
  expect(both.isWhole).toBeUndefined();
});

it("the wide pane's side bar is none of the conversation", () => {
  const recording = loadRecording(fixtureFolder("kilo"), "waiting_approval_250_columns");
  const request = adapter.readScreen(screenOf(recording))?.request;
  expect(request?.body).toMatch(/^touch live-\d+\.txt$/);
});

it.each([
  ["Kilo CLI", null],
  ["Kilo CLI | Live session", "Live session"],
  ["◔ Kilo CLI | fix the parser", "fix the parser"],
  ["Kilo CLI | New session - 2026-11-29T11:26:42.000Z", null],
  ["OC | Live session", null],
])("the title %j names the session %j", (title, name) => {
  expect(titleOfKiloSession(title)).toBe(name);
});

const processOf = (comm: string, args: string, agentType?: string): ProcessInfo => ({
  pid: 11,
  ppid: 10,
  comm,
  args,
  startedAt: 0,
  ...(agentType === undefined ? {} : { file: { path: "/opt/kilo", runtime: null, agentType } }),
});

it.each([
  ["npm's copy", processOf(".kilo", "/home/dev/n/node_modules/@kilocode/cli/bin/.kilo -s ses_1"), true],
  ["its platform's package", processOf("kilo", "/n/node_modules/@kilocode/cli-linux-x64/bin/kilo"), true],
  ["a file that is known to be Kilo's", processOf("kilo", "kilo", "kilo"), true],
  ["an editor of that name", processOf("kilo", "kilo notes.txt"), false],
  ["its server", processOf(".kilo", "/n/node_modules/@kilocode/cli/bin/.kilo serve"), false],
  [
    "one answer without a screen",
    processOf(".kilo", "/n/node_modules/@kilocode/cli/bin/.kilo run hi"),
    false,
  ],
])("%s: %#", (_what, process, isTerminal) => {
  expect(adapter.identify([process]) !== null).toBe(isTerminal);
});
