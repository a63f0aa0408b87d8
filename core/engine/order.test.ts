import { expect, it } from "vitest";
import { compareByTime, compareOrder, type OrderKey } from "./facts.ts";

const key = (more: Partial<OrderKey> = {}): OrderKey => ({
  source: "hook",
  sourceSeq: null,
  eventTime: 5,
  ingestedAt: 5,
  eventId: "e5",
  ...more,
});

it.each<[string, Partial<OrderKey>, Partial<OrderKey>]>([
  [
    "the source's own number, whatever the times say",
    { sourceSeq: 1, eventTime: 9, ingestedAt: 9, eventId: "e9" },
    { sourceSeq: 2, eventTime: 1, ingestedAt: 1, eventId: "e1" },
  ],
  ["then the event's time", { eventTime: 4, ingestedAt: 9, eventId: "e9" }, {}],
  ["then the time of arrival", { ingestedAt: 4, eventId: "e9" }, {}],
  ["then the id", { eventId: "e4" }, {}],
])("of one source is by %s", (_what, older, newer) => {
  expect(compareOrder(key(older), key(newer))).toBeLessThan(0);
  expect(compareOrder(key(newer), key(older))).toBeGreaterThan(0);
});

it("of two sources is by time alone: their numbers have nothing to do with each other", () => {
  const one = key({ source: "hook", sourceSeq: 9, eventTime: 1 });
  const other = key({ source: "notify", sourceSeq: 1, eventTime: 2 });
  expect(compareOrder(one, other)).toBe(compareByTime(one, other));
  expect(compareOrder(one, other)).toBeLessThan(0);
});

it("is the same key only for the same event", () => {
  expect(compareOrder(key(), key())).toBe(0);
});
