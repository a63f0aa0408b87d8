// `agtmux next`, as child processes against a fake daemon behind a real socket.
import { afterEach, beforeEach, expect, test } from "vitest";
import { makePane } from "../test/factories/view.ts";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";
import { AgtmuxError } from "../core/model/errors.ts";
import { makeFakeHome, type FakeHome } from "./testing/fakeHome.ts";

const INSIDE = { TMUX: "/tmp/tmux-1000/default,1,0" };
let home: FakeHome;
let daemon: AnsweringDaemon;
beforeEach(async () => {
  home = makeFakeHome();
  daemon = new AnsweringDaemon([
    makePane({ pane: 1, state: "running", since: 1_000 }),
    makePane({ pane: 2, state: "waiting_approval", since: 3_000, windowName: "second" }),
    makePane({ pane: 3, state: "waiting_input", since: 2_000, windowName: "first" }),
  ]);
  daemon.attachArgv = ["true"];
  await home.serve(daemon);
});
afterEach(() => home.close());

const wentTo = (): unknown[] => daemon.asked.map(({ input }) => input["ref"]);

test("goes to the longest wait, and says where", async () => {
  const { code, stderr } = await home.run(["next"], INSIDE);
  expect([code, wentTo()]).toEqual([0, ["pane:host/work/@1/%3"]]);
  expect(stderr).toMatch(/^agtmux: host\/%3: Claude Code, needs answer for \d+d: first\n$/);
});

test("goes on to the next one from a pane that waits", async () => {
  expect((await home.run(["next"], { ...INSIDE, TMUX_PANE: "%3" })).code).toBe(0);
  expect(wentTo()).toEqual(["pane:host/work/@1/%2"]);
});

test("passes over a pane that is gone or cannot be reached", async () => {
  const prepare = daemon.prepareAttach.bind(daemon);
  daemon.prepareAttach = async (input) => {
    const plan = await prepare(input);
    if (input.ref.endsWith("%3")) throw new AgtmuxError("E_TARGET_UNREACHABLE", "vm1 is down");
    return plan;
  };
  expect((await home.run(["next"], INSIDE)).code).toBe(0);
  expect(wentTo()).toEqual(["pane:host/work/@1/%3", "pane:host/work/@1/%2"]);
});

test("says when nothing waits, or nothing else", async () => {
  daemon.remove("pane:host/work/@1/%2");
  const here = await home.run(["next"], { ...INSIDE, TMUX_PANE: "%3" });
  expect([here.code, here.stdout]).toEqual([1, "Nothing else waits for you.\n"]);
  daemon.remove("pane:host/work/@1/%3");
  const nothing = await home.run(["next"]);
  expect([nothing.code, nothing.stdout, wentTo()]).toEqual([1, "Nothing waits for you.\n", []]);
});
