import { beforeEach, describe, expect, it } from "vitest";
import { makePane, type PaneOptions } from "../../test/factories/view.ts";
import { someRequest } from "../../test/factories/evidence.ts";
import { DEFAULT_CONFIG } from "../model/config.ts";
import { NoticeBoard } from "./noticeBoard.ts";
import type { NoticeEvent } from "./service.ts";

const NOW = 1_800_000_000_000;
let confirmed: Set<string>;
let board: NoticeBoard;
let events: NoticeEvent[];

beforeEach(() => {
  confirmed = new Set();
  events = [];
  board = new NoticeBoard({
    now: () => NOW,
    policy: () => DEFAULT_CONFIG.notifications,
    isConfirmed: (runtimeId) => confirmed.has(runtimeId),
  });
  void (async () => {
    for await (const event of board.subscribe(new AbortController().signal)) events.push(event);
  })();
});

const pane = (options: PaneOptions) => makePane({ since: NOW, ...options });
const change = (options: PaneOptions): void =>
  board.heed([
    { kind: "pane", version: 1, at: NOW, pane: pane(options), previousState: null, isTransition: true },
  ]);
const told = async (): Promise<string[]> => {
  await new Promise<void>((resolve) => setImmediate(resolve));
  return events.map((event) => (event.kind === "show" ? `show ${event.notice.title}` : "withdraw"));
};

describe("the notice board", () => {
  it("tells a wait once, also when another source knows more of it, and withdraws it when it is over", async () => {
    change({ state: "waiting_approval", request: someRequest("rm x"), version: 2 });
    change({
      state: "waiting_approval",
      reason: "permission_edit",
      request: someRequest("rm x"),
      version: 3,
    });
    change({ state: "waiting_approval", request: null, version: 4 });
    change({ state: "running", version: 5 });
    expect(await told()).toEqual(["show Claude Code needs a permission", "withdraw"]);
  });

  it("tells the next wait anew when another thing is asked", async () => {
    change({ state: "waiting_approval", request: someRequest("rm x"), version: 2 });
    change({ state: "waiting_approval", request: someRequest("rm y"), version: 3 });
    expect(await told()).toEqual([
      "show Claude Code needs a permission",
      "withdraw",
      "show Claude Code needs a permission",
    ]);
  });

  it("is silent about a backlog until the dialog was seen", async () => {
    change({ state: "waiting_approval", request: someRequest(), since: NOW - 60_000 });
    board.review();
    expect(await told()).toEqual([]);
    confirmed.add("rt1");
    board.review();
    board.review();
    expect(await told()).toEqual(["show Claude Code needs a permission"]);
  });

  it("forgets a held wait that is over before it was seen", async () => {
    change({ state: "waiting_approval", request: someRequest(), since: NOW - 60_000 });
    change({ state: "idle" });
    confirmed.add("rt1");
    board.review();
    expect(await told()).toEqual([]);
  });

  it("withdraws with the row, and obeys the policy", async () => {
    change({ state: "waiting_input", request: someRequest("Which?") });
    board.heed([{ kind: "removed", version: 2, at: NOW, paneRef: "x", runtimeId: "rt1" }]);
    change({ pane: 2, state: "error" });
    change({ pane: 3, state: "completed" });
    expect(await told()).toEqual(["show Claude Code has a question", "withdraw"]);
  });

  it("ignores rows that only moved or were renamed", async () => {
    const moved = pane({ state: "waiting_approval", request: someRequest() });
    board.heed([
      { kind: "pane", version: 1, at: NOW, pane: moved, previousState: null, isTransition: false },
    ]);
    expect(await told()).toEqual([]);
  });
});
