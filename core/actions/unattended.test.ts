import { describe, expect, it } from "vitest";
import type { Pane } from "../model/runtime.ts";
import type { Status } from "../model/state.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";
import type { Reading, Screen } from "../ports/agentAdapter.ts";
import type { TmuxClient } from "../tmux/clients.ts";
import type { PaneCapture } from "./paneClient.ts";
import { createUnattended, isTypedIn } from "./unattended.ts";
import { partOf } from "../../test/fakes/partOf.ts";

const NOW = 1_000_000_000;
const client = (more: Partial<TmuxClient> = {}): TmuxClient => ({
  isNative: false,
  isReadOnly: false,
  activeAt: NOW / 1_000,
  sessionId: "$1",
  tty: "/dev/pts/1",
  paneId: "%1",
  isFocused: true,
  reportsFocus: false,
  ...more,
});
/** The last row is the input box; the first says whether the agent works. */
const capture = (rows: string[], more: Partial<PaneCapture> = {}): PaneCapture =>
  ({ rows, rawRows: rows, styledRows: rows, inMode: false, title: "", ...more }) as PaneCapture;
const running: Reading = {
  status: { state: "running", reasonCode: "thinking" },
  confidence: "high",
  matched: "",
  request: null,
  isSteady: false,
};
const adapter = {
  readScreen: ({ lines }: Screen) => (lines[0] === "works" ? running : null),
  readDraft: ({ lines }: Screen) =>
    lines.at(-1)?.startsWith("> ") ? (lines.at(-1)?.slice(2) ?? null) : null,
};
const open = (
  more: {
    text?: string;
    status?: Status | null;
    isSure?: boolean;
    afterLimit?: boolean;
    isFirst?: boolean;
    clients?: TmuxClient[];
    adapter?: Partial<AgentAdapter> | null;
  } = {},
) =>
  createUnattended({
    pane: { paneId: "%1", title: "" } as Pane,
    text: more.text ?? "go on",
    adapter: more.adapter === null ? null : partOf({ readDraft: undefined, ...(more.adapter ?? adapter) }),
    status: () => (more.status === undefined ? { state: "idle", reasonCode: "fresh" } : more.status),
    isSure: () => more.isSure ?? true,
    afterLimit: more.afterLimit ?? false,
    isFirst: more.isFirst ?? false,
    clients: () => Promise.resolve(more.clients ?? []),
    now: () => NOW,
  });

describe("nothing is typed unseen", () => {
  const IDLE: Status = { state: "idle", reasonCode: "fresh" };
  const LIMIT: Status = { state: "error", reasonCode: "usage_limit" };
  const BUSY: (Status | null)[] = [
    { state: "running", reasonCode: "thinking" },
    { state: "waiting_approval", reasonCode: "permission_tool" },
    { state: "waiting_input", reasonCode: "question" },
    { state: "unknown", reasonCode: "no_signal" },
    { state: "error", reasonCode: "crashed" },
    null,
  ];
  it("to an agent of which neither the engine nor the screen surely says that it rests", async () => {
    const resting = { ...adapter, readScreen: () => ({ ...running, status: IDLE }) };
    const why = (isSure: boolean, seenBy = adapter) =>
      open({ isSure, adapter: seenBy }).findObstacle(capture(["rests", "> "]));
    expect(await why(true)).toBeNull();
    expect(await why(false)).toBe("its agent isn't idle");
    expect(await why(false, resting)).toBeNull();
  });

  it.each([...BUSY, LIMIT])("to an agent that is %j", async (status) => {
    expect(await open({ status }).findObstacle(capture(["rests", "> "]))).toBe("its agent isn't idle");
  });

  it("after a limit, unless a person set the time for that", async () => {
    const why = (status: Status | null) =>
      open({ status, afterLimit: true }).findObstacle(capture(["rests", "> "]));
    expect(await why(LIMIT)).toBeNull();
    for (const status of BUSY) expect(await why(status)).toBe("its agent isn't idle");
  });

  it("where the screen knows better than the last state", async () => {
    expect(await open().findObstacle(capture(["works", "> "]))).toBe("its agent isn't idle");
  });

  it("onto a draft, into no box, beside a reader, or where nobody can tell", async () => {
    const why = (rows: string[], more: Partial<PaneCapture> = {}) => open().findObstacle(capture(rows, more));
    expect(await why(["rests", "> fix"])).toBe("its input box has a draft");
    expect(await why(["rests", "menu"])).toBe("its input box isn't visible");
    expect(await why(["rests", "> "], { inMode: true })).toBe("somebody reads in it (copy mode)");
    expect(await open({ adapter: null }).findObstacle(capture(["rests", "> "]))).toContain(
      "can't tell how its agent shows",
    );
    expect(await why(["rests", "> "])).toBeNull();
  });

  it("onto a draft of a new agent either; where none can be read, it waits longer for who types there", async () => {
    const first = (rows: string[], more: Parameters<typeof open>[0] = {}) =>
      open({ isFirst: true, ...more }).findObstacle(capture(rows));
    expect(await first(["rests", "> fix"])).toBe("its input box has a draft");
    const blind = { adapter: { readScreen: adapter.readScreen } };
    expect(await first(["rests", "> fix"], blind)).toBeNull();
    const typing = (seconds: number) => [client({ activeAt: NOW / 1_000 - seconds })];
    expect(await first(["rests"], { ...blind, clients: typing(60) })).toBe("somebody types there");
    expect(await first(["rests"], { ...blind, clients: typing(70) })).toBeNull();
    expect(await first(["works"], blind)).toBe("its agent isn't idle");
    for (const [isFirst, holds] of [
      [true, true],
      [false, false],
    ] as const)
      expect(open({ ...blind, isFirst }).holdsOnlyTyped(capture(["rests", "x"]))).toBe(holds);
  });

  it("while somebody who has the pane in front pressed a key a moment ago", async () => {
    const obstacle = (clients: TmuxClient[]) => open({ clients }).findObstacle(capture(["rests", "> "]));
    expect(await obstacle([client()])).toBe("somebody types there");
    expect(await obstacle([client({ paneId: "%2" })])).toBeNull();
    const ago = (seconds: number) => isTypedIn([client({ activeAt: NOW / 1_000 - seconds })], "%1", NOW);
    expect([ago(35), ago(36), ago(-3_600)]).toEqual([true, false, true]);
    expect(isTypedIn([client({ isReadOnly: true })], "%1", NOW)).toBe(false);
  });
});

describe("Enter is pressed only for what was typed", () => {
  const holds = (text: string, box: string) => open({ text }).holdsOnlyTyped(capture(["rests", `> ${box}`]));
  const long = "x".repeat(100) + " and the end of it is here";
  it.each([
    ["go on", "go on", true],
    ["go\non", "go on", true],
    ["go on", "go onh", false],
    ["go on", "hgo on", false],
    ["go on", "", false],
    ["go on", "on", false],
    [long, long.slice(-60), true],
    [long, `${long.slice(-60)}h`, false],
    [long, "[Pasted text #1 +20 lines]", true],
    [long, "[Pasted text #1 +20 lines]h", false],
  ])("%j in the box as %j: %s", (text, box, expected) => {
    expect(holds(text, box)).toBe(expected);
  });

  it("and never where the box is out of sight", () => {
    expect(open().holdsOnlyTyped(capture(["rests", "menu"]))).toBe(false);
  });
});
