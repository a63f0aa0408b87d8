import { EventEmitter } from "node:events";
import { beforeEach, describe, expect, it } from "vitest";
import type { AgentNotification } from "../core/model/notifications.ts";
import { makePane } from "../test/factories/view.ts";
import {
  toNativeOptions,
  type NotificationChoice,
  NotificationPresenter,
  NotificationTurns,
} from "./notifications.ts";

type NativeOptions = ReturnType<typeof toNativeOptions>;

class FakeNotification extends EventEmitter {
  readonly options: NativeOptions;
  isShown = false;
  constructor(options: NativeOptions) {
    super();
    this.options = options;
  }
  show(): void {
    this.isShown = true;
  }
  close(): void {
    this.isShown = false;
  }
}

let made: FakeNotification[];
let chosen: [string, NotificationChoice][];
let failures: string[];
let timers: (() => void)[];
let isPopoverOpen: boolean;
let presenter: NotificationPresenter;
let turns: NotificationTurns;
const notice = (id: string): AgentNotification => ({
  id,
  kind: "waiting_approval",
  title: "Needs approval: Refunds are rounded twice",
  body: "rm x",
  pane: makePane(),
  count: 1,
  sound: "default",
  actions: [
    { kind: "approve", label: "Approve" },
    { kind: "deny", label: "Deny" },
  ],
  reply: null,
});
const show = (...ids: string[]): void => {
  for (const id of ids) presenter.handle({ kind: "show", notice: notice(id) });
};
const onScreen = () => made.filter(({ isShown }) => isShown).map(({ options }) => options.id);

beforeEach(() => {
  made = [];
  chosen = [];
  failures = [];
  timers = [];
  isPopoverOpen = false;
  const setTimer = (_delayMs: number, callback: () => void) => {
    timers.push(callback);
    return () => {};
  };
  turns = new NotificationTurns({ explain: null, onExplained: () => {}, setTimer });
  presenter = new NotificationPresenter({
    create: (options) => {
      const native = new FakeNotification(options);
      made.push(native);
      return native;
    },
    toOptions: (one) => toNativeOptions(one, "darwin"),
    onChoice: ({ id }, choice) => chosen.push([id, choice]),
    onFailed: (error) => failures.push(error),
    isPopoverOpen: () => isPopoverOpen,
    setTimer,
    turns,
  });
});

describe("native notifications", () => {
  it("show a notice once, also after it was withdrawn", () => {
    show("a", "a");
    presenter.handle({ kind: "withdraw", id: "a" });
    show("a");
    expect([made.length, onScreen()]).toEqual([1, []]);
  });

  it("are taken back one by one, and all at once", () => {
    show("a", "b", "c");
    presenter.handle({ kind: "withdraw", id: "b" });
    expect(onScreen()).toEqual(["a", "c"]);
    presenter.clear();
    expect(onScreen()).toEqual([]);
  });

  it("hand on a click, a button and a reply", () => {
    show("a", "b", "c");
    made[0]?.emit("click", {});
    made[1]?.emit("action", { actionIndex: 1 });
    made[1]?.emit("action", { actionIndex: 7 });
    made[2]?.emit("reply", { reply: "the red one" });
    expect(chosen).toEqual([
      ["a", { kind: "open" }],
      ["b", { kind: "action", action: { kind: "deny", label: "Deny" } }],
      ["c", { kind: "reply", text: "the red one" }],
    ]);
  });

  it("are silent while the popover lists the wait, for good", () => {
    isPopoverOpen = true;
    show("a");
    isPopoverOpen = false;
    show("a", "b");
    expect(onScreen()).toEqual(["b"]);
  });

  it("show what a watch tells also while the popover is open, which does not list it", () => {
    isPopoverOpen = true;
    const told = { ...notice("job1:rt1"), kind: "watch" as const };
    presenter.handle({ kind: "show", notice: told });
    presenter.handle({ kind: "show", notice: told });
    expect(onScreen()).toEqual(["job1:rt1"]);
  });

  it("say what became of a choice in the place of what it was about", () => {
    show("a");
    presenter.say(notice("a"), "Not sent", "the prompt is no longer the one that was shown.");
    expect(onScreen()).toEqual(["a:result"]);
    expect(made[1]?.options).toEqual({
      id: "a:result",
      title: "Not sent",
      body: "the prompt is no longer the one that was shown.",
      silent: true,
    });
    made[1]?.emit("click", {});
    expect(chosen).toEqual([["a", { kind: "open" }]]);
  });

  it("with other buttons wait for the system's word, and never come once they were taken back", () => {
    const question = (id: string): AgentNotification => ({
      ...notice(id),
      actions: [{ kind: "option", number: 1, label: "Red" }],
    });
    show("a");
    presenter.handle({ kind: "show", notice: question("b") });
    presenter.handle({ kind: "show", notice: question("c") });
    expect(onScreen()).toEqual(["a"]);
    presenter.handle({ kind: "withdraw", id: "b" });
    made[0]?.emit("show", {});
    expect(onScreen()).toEqual(["a", "c"]);
  });

  it("say why the system did not show them, until it shows one", () => {
    show("a", "b");
    made[0]?.emit("failed", {}, "not permitted");
    expect(failures).toEqual(["not permitted"]);
    expect(presenter.problem).toContain("(not permitted)");
    made[1]?.emit("show", {});
    expect(presenter.problem).toBeNull();
  });

  it("tell whether a test notification was shown", async () => {
    const words = { title: "Test", body: "" };
    const shown = presenter.test(words);
    made[0]?.emit("show", {});
    expect(await shown).toBeNull();
    const failed = presenter.test(words);
    made[1]?.emit("failed", {}, "no permission");
    expect(await failed).toContain("no permission");
    const silent = presenter.test(words);
    timers.at(-1)?.();
    expect(await silent).toContain("did not say");
  });
});

describe("the form of a notice", () => {
  it("has buttons, a reply and a sound on macOS", () => {
    const asked: AgentNotification = { ...notice("a"), sound: "Ping", reply: "answer" };
    expect(toNativeOptions(asked, "darwin")).toEqual({
      id: "a",
      title: asked.title,
      body: "rm x",
      silent: false,
      sound: "Ping",
      actions: [
        { type: "button", text: "Approve" },
        { type: "button", text: "Deny" },
      ],
      hasReply: true,
      replyPlaceholder: "Answer",
    });
    expect(toNativeOptions({ ...asked, sound: "none" }, "darwin")).toMatchObject({ silent: true });
  });

  it("has the same few sets of buttons whatever is asked: the options are told in the body", () => {
    const actions: AgentNotification["actions"] = [
      { kind: "option", number: 1, label: "Red" },
      { kind: "option", number: 2, label: "Blue" },
      { kind: "attach", label: "Open" },
    ];
    const asked: AgentNotification = { ...notice("a"), body: "Which colour?\nwork · api", actions };
    const options = toNativeOptions(asked, "darwin");
    expect(options.actions?.map(({ text }) => text)).toEqual(["Option 1", "Option 2", "Open"]);
    expect(options.body).toBe("Which colour?\nOption 1: Red\nOption 2: Blue\nwork · api");
    const approve = toNativeOptions(
      { ...notice("b"), actions: [{ kind: "approve", label: "Allow rm" }] },
      "darwin",
    );
    expect(approve.actions?.map(({ text }) => text)).toEqual(["Approve"]);
    expect(approve.body).toBe("rm x");
  });

  it("is words alone on Linux, and none of them markup", () => {
    const asked: AgentNotification = {
      ...notice("a"),
      body: "a < b <img src=x> </b> && <!-- x",
      sound: "none",
    };
    const options = toNativeOptions(asked, "linux");
    expect(options).toMatchObject({ silent: true });
    expect(Object.keys(options)).toEqual(["id", "title", "body", "silent"]);
    expect(options.body).toBe("a < b <\u200bimg src=x> <\u200b/b> && <\u200b!-- x");
  });
});
