import { describe, expect, it } from "vitest";
import { configSchema, DEFAULT_CONFIG } from "../../model/config.ts";
import {
  judgeNotification,
  notificationKindOf,
  planBatch,
  type NotificationFacts,
  isQuiet,
  minuteOfDay,
} from "./judgeNotification.ts";

const NOW = 1_800_000_000_000;
const FACTS: NotificationFacts = {
  kind: "waiting_approval",
  agent: "claude",
  isMuted: false,
  target: "host",
  now: NOW,
  minuteOfDay: 600,
  heardAt: NOW - 2_000,
  since: NOW - 2_000,
  isConfirmed: false,
  isComplete: true,
  toldAt: null,
  wokeAt: null,
};
const POLICY = { ...DEFAULT_CONFIG.notifications, quiet_hours: { from: "22:00", to: "07:00" } };

describe("the verdict on a notice", () => {
  it.each<[string, Partial<NotificationFacts>, object]>([
    ["a fresh wait", {}, { kind: "tell" }],
    ["a kind that is off", { kind: "completed" }, { kind: "drop", because: "switched_off" }],
    ["a muted target", { target: "vm" }, { kind: "drop", because: "muted_target" }],
    ["a muted agent", { agent: "pi" }, { kind: "drop", because: "muted_agent" }],
    ["an agent that is muted", { isMuted: true }, { kind: "hold", because: "muted" }],
    ["a wait of this moment", { heardAt: NOW - 100 }, { kind: "hold", because: "settling" }],
    [
      "a wait without options",
      { heardAt: NOW - 500, isComplete: false },
      { kind: "hold", because: "incomplete" },
    ],
    ["a wait that gets none", { isComplete: false }, { kind: "tell" }],
    ["an old unseen wait", { since: NOW - 60_000 }, { kind: "hold", because: "backlog" }],
    ["an old seen wait", { since: NOW - 60_000, isConfirmed: true }, { kind: "tell" }],
    ["a wait of before a sleep", { wokeAt: NOW - 2_000 }, { kind: "hold", because: "backlog" }],
    ["one that was seen after it", { wokeAt: NOW - 2_000, isConfirmed: true }, { kind: "tell" }],
    ["the middle of the night", { minuteOfDay: 120 }, { kind: "hold", because: "quiet_hours" }],
    ["an agent told of just now", { toldAt: NOW - 3_000 }, { kind: "hold", because: "cooldown" }],
    ["an agent told of long ago", { toldAt: NOW - 60_000 }, { kind: "tell" }],
  ])("on %s", (_what, facts, verdict) => {
    expect(
      judgeNotification({ ...FACTS, ...facts }, { ...POLICY, muted_targets: ["vm"], muted_agents: ["pi"] }),
    ).toEqual(verdict);
  });

  it.each(["running", "idle", "unknown", null] as const)("is never asked for %s", (state) =>
    expect(notificationKindOf(state)).toBeNull(),
  );
});

describe("quiet hours", () => {
  it.each([
    ["21:59", false],
    ["22:00", true],
    ["00:00", true],
    ["06:59", true],
    ["07:00", false],
  ])("over midnight at %s: %s", (time, expected) => {
    const [hours = 0, minutes = 0] = time.split(":").map(Number);
    expect(isQuiet(POLICY.quiet_hours, hours * 60 + minutes)).toBe(expected);
  });

  it("within a day end on that day", () => {
    const lunch = { from: "12:00", to: "13:00" };
    expect([719, 720, 779, 780].map((minute) => isQuiet(lunch, minute))).toEqual([false, true, true, false]);
  });

  it.each([
    // Berlin, the night to summer time: 01:59 is followed by 03:00.
    ["2027-03-28T00:59:00Z", 1 * 60 + 59],
    ["2027-03-28T01:00:00Z", 3 * 60],
    // And back: 02:30 comes twice.
    ["2027-10-31T00:30:00Z", 2 * 60 + 30],
    ["2027-10-31T01:30:00Z", 2 * 60 + 30],
    ["2027-10-31T02:30:00Z", 3 * 60 + 30],
  ])("go by the wall clock at %s", (iso, minute) => {
    expect(minuteOfDay(Date.parse(iso), "Europe/Berlin")).toBe(minute);
  });

  it("go by the system's clock where no zone is named", () => {
    const at = Date.parse("2027-10-31T01:30:00Z");
    expect(minuteOfDay(at)).toBe(minuteOfDay(at, Intl.DateTimeFormat().resolvedOptions().timeZone));
  });
});

describe("a batch", () => {
  const one = (kind: NotificationFacts["kind"], since: number) => ({ kind, since });

  it("tells the most urgent first, the longest wait before others", () => {
    const [a, b, c] = [one("error", 1), one("waiting_approval", 3), one("waiting_approval", 2)];
    expect(planBatch([a, b, c], { recent: 0, groupFrom: 4 })).toEqual({ singles: [c, b, a], group: [] });
  });

  it("is one from so many on, and holds back what is too much in a short time", () => {
    const many = Array.from({ length: 4 }, (_item, index) => one("error", index));
    expect(planBatch(many, { recent: 0, groupFrom: 4 })).toEqual({ singles: [], group: many });
    expect(planBatch(many.slice(0, 2), { recent: 2, groupFrom: 4 }).singles).toHaveLength(1);
    expect(planBatch(many.slice(0, 2), { recent: 9, groupFrom: 4 })).toEqual({ singles: [], group: [] });
  });
});

describe("the notifications of config.json", () => {
  const problemOf = (notifications: unknown): string =>
    configSchema.safeParse({ notifications }).error?.issues[0]?.message ?? "none";

  it("keep their old form", () => {
    const { notifications } = configSchema.parse({ notifications: { error: true } });
    expect(notifications).toEqual({ ...DEFAULT_CONFIG.notifications, error: true });
  });

  it.each([
    [{ quiet_hours: { from: "24:00", to: "07:00" } }, "this is a time of day, as in 22:30"],
    [{ quiet_hours: { from: "07:00", to: "07:00" } }, "'from' and 'to' are the same time"],
    [{ sounds: { error: "../../etc/passwd" } }, "this is 'default', 'none' or the name of a system sound"],
  ])("refuse %j", (notifications, message) => expect(problemOf(notifications)).toBe(message));
});
