import { beforeEach, describe, expect, it } from "vitest";
import { makePane, type PaneOptions } from "../../../test/factories/view.ts";
import { someRequestView } from "../../../test/factories/evidence.ts";
import { DEFAULT_CONFIG } from "../../model/config.ts";
import type { NotificationPolicy, NotificationEvent } from "../../model/notifications.ts";
import type { PaneView } from "../../model/view.ts";
import { NotificationScheduler } from "./notificationScheduler.ts";

const START = 1_800_000_000_000;
let now: number;
let minute: number;
let policy: NotificationPolicy;
let confirmed: Set<string>;
/** When the screens of `confirmed` were read last. */
let seenAt: number;
let inFront: Set<string>;
let scheduler: NotificationScheduler;
let events: NotificationEvent[];
let listening: AbortController;

/** Asked as it is when the screen was read: with its options, and named. */
const asked = (body: string): Partial<PaneView> => ({
  request: {
    ...someRequestView(body),
    options: [
      { label: "Yes", keys: ["1"], role: "approve" },
      { label: "No", keys: ["Escape"], role: "deny" },
    ],
  },
  prompt_fingerprint: `print of ${body}`,
});
const change = (options: PaneOptions, more: Partial<PaneView> = {}, isTransition = true): void => {
  const pane = { ...makePane({ since: now, ...options }), ...more };
  scheduler.handleChanges([{ kind: "pane", version: 1, at: now, pane, previousState: null, isTransition }]);
};
const waits = (body = "rm x", pane = 1): void => change({ pane, state: "waiting_approval" }, asked(body));
const flush = () => new Promise<void>((resolve) => void setImmediate(resolve));
/** Lets time pass in steps of a second, as the daemon's own tick does. */
const pass = async (ms: number): Promise<void> => {
  const end = now + ms;
  while (now < end) {
    now = Math.min(end, now + 1_000);
    scheduler.review();
    await flush();
  }
};
const told = (): string[] =>
  events
    .splice(0)
    .map((event) => (event.kind === "show" ? `show ${event.notice.title}` : `withdraw ${event.id}`));
const listen = (): void => {
  listening = new AbortController();
  void (async () => {
    for await (const event of scheduler.subscribe(listening.signal)) events.push(event);
  })();
};

const reset = (): void => {
  now = START;
  minute = 12 * 60;
  policy = DEFAULT_CONFIG.notifications;
  confirmed = new Set();
  seenAt = START;
  inFront = new Set();
  events = [];
  scheduler = new NotificationScheduler({
    redact: (text) => text,
    now: () => now,
    minuteOfDay: () => minute,
    // The ticks of `pass` look as well.
    setTimer: () => () => {},
    policy: () => policy,
    isConfirmed: (runtimeId, since) => confirmed.has(runtimeId) && seenAt >= (since ?? seenAt),
    isInFront: (pane) => Promise.resolve(inFront.has(pane.identity.pane_id ?? "")),
  });
  listen();
};
beforeEach(reset);

const PERMISSION = "show Needs approval: window-1";

describe("a finished turn", () => {
  const done = (more: Partial<PaneView> = {}, isTransition = true): void =>
    change({ state: "completed", unreadSince: START }, more, isTransition);

  it("is withdrawn as soon as somebody has looked at it, and not told if they did before", async () => {
    policy = { ...policy, completed: true };
    done();
    await pass(1_000);
    done({ title: "another title" }, false);
    await pass(1_000);
    const [shown, ...rest] = told();
    expect([shown?.startsWith("show "), rest]).toEqual([true, []]);
    done({ unread_since: null }, false);
    await flush();
    expect(told()).toEqual([expect.stringMatching(/^withdraw rt1:/)]);
    await pass(60_000);
    done({ state_version: 9 });
    done({ state_version: 9, unread_since: null }, false);
    await pass(30_000);
    expect(told()).toEqual([]);
  });
});

describe("a wait", () => {
  it("is told once, also when another source knows more of it, and withdrawn when it is over", async () => {
    waits();
    await pass(1_000);
    change({ state: "waiting_approval", reason: "permission_edit", version: 3 }, asked("rm x"));
    change({ state: "waiting_approval", version: 4 });
    await pass(30_000);
    change({ state: "running", version: 5 });
    await pass(1_000);
    expect(told()).toEqual([PERMISSION, "withdraw rt1:1"]);
  });

  it("is told again when another thing is asked, after the cooldown", async () => {
    waits("rm x");
    await pass(1_000);
    waits("rm y");
    await pass(5_000);
    expect(told()).toEqual([PERMISSION, "withdraw rt1:1"]);
    await pass(10_000);
    expect(told()).toEqual([PERMISSION]);
  });

  it("that was answered within the cooldown is not told", async () => {
    waits("rm x");
    await pass(1_000);
    waits("rm y");
    await pass(3_000);
    change({ state: "running" });
    await pass(30_000);
    expect(told()).toEqual([PERMISSION, "withdraw rt1:1"]);
  });

  it("that a mode accepts by itself at once is not told", async () => {
    waits();
    now += 200;
    scheduler.review();
    await flush();
    change({ state: "running" });
    await pass(5_000);
    expect(told()).toEqual([]);
  });

  it("waits for its options a moment, and is told without them after it", async () => {
    change({ state: "waiting_approval", request: someRequestView("rm x") });
    await pass(1_000);
    expect(told()).toEqual([]);
    change({ state: "waiting_approval" }, asked("rm x"), false);
    await pass(100);
    expect(events[0]).toMatchObject({
      notice: { actions: [{ kind: "approve" }, { kind: "deny" }, { kind: "attach" }] },
    });
    change({ pane: 2, state: "waiting_approval", request: someRequestView("rm y") });
    await pass(2_000);
    expect(events[1]).toMatchObject({ notice: { actions: [{ kind: "attach" }] } });
  });

  it("of a backlog is silent until its dialog was seen", async () => {
    change({ state: "waiting_approval", since: START - 60_000 }, asked("rm x"));
    await pass(5_000);
    expect(told()).toEqual([]);
    confirmed.add("rt1");
    await pass(2_000);
    expect(told()).toEqual([PERMISSION]);
  });

  it("in front of the person is silent for good; one in the back is told", async () => {
    inFront.add("%1");
    waits("rm x", 1);
    waits("rm y", 2);
    await pass(2_000);
    inFront.clear();
    await pass(30_000);
    expect(told()).toEqual([PERMISSION]);
  });

  it("is told when somebody begins to listen, not before", async () => {
    listening.abort();
    await flush();
    waits();
    await pass(5_000);
    listen();
    await pass(1_000);
    expect(told()).toEqual([PERMISSION]);
  });

  it("of which nothing is known for a moment stands, and is not told again", async () => {
    waits();
    await pass(1_000);
    change({ state: "unknown", version: 2 });
    await pass(20_000);
    change({ state: "waiting_approval", version: 3 }, asked("rm x"));
    await pass(30_000);
    expect(told()).toEqual([PERMISSION]);
    change({ state: "unknown", version: 4 });
    change({ state: "running", version: 5 });
    await flush();
    expect(told()).toEqual(["withdraw rt1:1"]);
  });

  it("of which nothing is known for a minute is withdrawn, and told when it is seen again", async () => {
    waits();
    await pass(1_000);
    change({ state: "unknown", version: 2 });
    await pass(61_000);
    expect(told()).toEqual([PERMISSION, "withdraw rt1:1"]);
    change({ state: "waiting_approval", version: 3 }, asked("rm x"));
    await pass(2_000);
    expect(told()).toEqual([PERMISSION]);
  });

  it("that ends while it is looked at is not told", async () => {
    waits();
    now += 1_000;
    scheduler.review();
    change({ state: "running" });
    await flush();
    expect(told()).toEqual([]);
  });
});

describe("the policy", () => {
  it("switches kinds and targets off, and goes with its changes", async () => {
    change({ state: "error" });
    policy = { ...policy, muted_targets: ["vm"] };
    change({ pane: 2, target: "vm", state: "waiting_approval" }, asked("rm x"));
    await pass(2_000);
    policy = { ...policy, muted_targets: [], error: true };
    change({ pane: 3, state: "error" });
    await pass(2_000);
    expect(told()).toEqual(["show Error: window-1"]);
  });

  it("keeps the quiet hours, and what still waits after them is told as one", async () => {
    policy = { ...policy, quiet_hours: { from: "22:00", to: "07:00" } };
    minute = 23 * 60;
    for (const pane of [1, 2, 3, 4, 5]) waits("rm x", pane);
    await pass(10_000);
    change({ pane: 5, state: "running" });
    expect(told()).toEqual([]);
    minute = 7 * 60;
    await pass(1_000);
    expect(told()).toEqual(["show 4 agents: 4 need approval"]);
  });

  it("chooses the sound", async () => {
    policy = { ...policy, sounds: { ...policy.sounds, waiting_approval: "Ping" } };
    waits();
    await pass(1_000);
    expect(events[0]).toMatchObject({ notice: { sound: "Ping" } });
  });
});

describe("a burst", () => {
  it("becomes one notice, which goes with the last of its agents", async () => {
    for (const pane of [1, 2, 3]) waits("rm x", pane);
    change({ pane: 4, state: "waiting_input" }, asked("Which?"));
    await pass(1_000);
    expect(told()).toEqual(["show 4 agents: 3 need approval, 1 needs answer"]);
    for (const pane of [1, 2, 3]) change({ pane, state: "running" });
    await pass(1_000);
    expect(told()).toEqual([]);
    scheduler.handleChanges([
      { kind: "removed", version: 2, at: now, identity: makePane({ pane: 4 }).identity },
    ]);
    await flush();
    expect(told()).toEqual(["withdraw group:rt1:1"]);
  });

  it("that comes one by one is held after a few", async () => {
    for (const pane of [1, 2, 3, 4, 5]) {
      waits("rm x", pane);
      await pass(1_000);
    }
    expect(told()).toHaveLength(3);
    await pass(15_000);
    expect(told()).toHaveLength(2);
  });
});

describe("an agent that is muted", () => {
  const MUTED = { muted: { until: null } };
  const muted = (more: Partial<PaneView> = MUTED, isTransition = true) =>
    change({ state: "waiting_approval" }, { ...asked("rm x"), ...more }, isTransition);

  it("is told of once it is not any more, if it still waits, and others are told of meanwhile", async () => {
    muted();
    waits("rm y", 2);
    await pass(60_000);
    expect(told()).toEqual(["show Needs approval: window-1"]);
    muted({ muted: null }, false);
    await pass(1_000);
    expect(told()).toEqual([PERMISSION]);
  });

  it("is not told of when its wait was over before", async () => {
    muted();
    await pass(5_000);
    change({ state: "running" }, MUTED);
    change({ state: "running" }, { muted: null }, false);
    await pass(5_000);
    expect(told()).toEqual([]);
  });

  it("is not told of when it is muted before the wait is due", async () => {
    waits();
    muted(MUTED, false);
    await pass(5_000);
    expect(told()).toEqual([]);
  });
});

describe("a machine that sleeps for eight hours", () => {
  const SLEEP = 8 * 3_600_000;
  const body = (): string[] =>
    events
      .splice(0)
      .flatMap((event) => (event.kind === "show" ? [event.notice.body.split("\n")[0] ?? ""] : []));
  /** The stages of two waits of one agent, each with a moment after it. */
  const STAGES: readonly (() => void)[] = [
    () => change({ state: "running" }),
    () => change({ state: "waiting_approval", request: someRequestView("rm x"), since: now }),
    () => change({ state: "waiting_approval" }, asked("rm x"), false),
    () => {},
    () => {},
    () => change({ state: "running" }),
    () => change({ state: "waiting_input", since: now }, asked("Which?")),
    () => {},
    () => {},
    () => change({ state: "completed", unreadSince: now }),
    () => {},
  ];
  const MOMENTS = [100, 100, 100, 100, 2_000, 2_000, 100, 2_000, 20_000, 2_000, 2_000] as const;
  /** `until`: the last stage. `sleepsAfter`: the machine sleeps then, and what waits is seen again, or nothing is. */
  const play = async (options: {
    until?: number;
    sleepsAfter?: number;
    isSeenAfter?: boolean;
  }): Promise<string[]> => {
    const { until = STAGES.length - 1, sleepsAfter = null, isSeenAfter = false } = options;
    policy = { ...policy, completed: true };
    confirmed.add("rt1");
    for (const [index, stage] of STAGES.slice(0, until + 1).entries()) {
      stage();
      await pass(MOMENTS[index] ?? 0);
      if (index !== sleepsAfter) continue;
      now += SLEEP;
      // The timers of before the sleep come first, before anything is read.
      scheduler.review();
      await flush();
      if (isSeenAfter) seenAt = now;
      await pass(2_000);
    }
    return body();
  };
  const ALL = ["rm x", "Which?", "Claude Code · work"];

  it("tells everything once without a sleep", async () => {
    expect(await play({})).toEqual(ALL);
  });

  it.each([...STAGES.keys()])("tells nothing twice when it slept after stage %s", async (index) => {
    expect(await play({ sleepsAfter: index, isSeenAfter: true })).toEqual(ALL);
  });

  it.each([...STAGES.keys()])(
    "tells nothing of before its sleep that nobody saw since, after stage %s",
    async (index) => {
      const before = await play({ until: index });
      reset();
      expect(await play({ until: index, sleepsAfter: index })).toEqual(before);
    },
  );

  it("lets what quiet hours held be told in the morning without another look", async () => {
    policy = { ...policy, quiet_hours: { from: "22:00", to: "07:00" } };
    minute = 23 * 60;
    waits();
    for (let hour = 0; hour < 8; hour += 1) await pass(600_000);
    minute = 7 * 60;
    await pass(1_000);
    expect(told()).toEqual([PERMISSION]);
  });
});
