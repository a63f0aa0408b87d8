import { expect, it } from "vitest";
import type { DesktopEvent } from "../core/model/desktop.ts";
import { DesktopEvents } from "./desktopEvents.ts";

const flush = () => new Promise<void>((resolve) => void setImmediate(resolve));
const follow = (events: DesktopEvents, signal: AbortSignal) => {
  const seen: DesktopEvent[] = [];
  const end = (async () => {
    for await (const event of events.subscribe(signal)) seen.push(event);
  })();
  return { seen, end };
};

it("tell a page whether it is seen, at once and with every change", async () => {
  const events = new DesktopEvents();
  const aborter = new AbortController();
  const { seen, end } = follow(events, aborter.signal);
  await flush();
  events.setVisible(true);
  events.setVisible(true);
  await flush();
  events.setVisible(false);
  await flush();
  aborter.abort();
  await end;
  expect(seen.map((event) => event.kind === "visibility" && event.isVisible)).toEqual([false, true, false]);
});

it("keep the last wish for a page that is not there yet, and give it once", async () => {
  const events = new DesktopEvents();
  events.go("settings");
  events.go("integrations");
  const aborter = new AbortController();
  const first = follow(events, aborter.signal);
  await flush();
  expect(first.seen[1]).toEqual({ kind: "go", view: "integrations" });
  events.go("list");
  await flush();
  expect(first.seen).toHaveLength(3);
  const second = follow(events, aborter.signal);
  await flush();
  expect(second.seen).toHaveLength(1);
  aborter.abort();
  await Promise.all([first.end, second.end]);
});

it("give a wish that was on its way to a page that ended to the next one", async () => {
  const events = new DesktopEvents();
  const [old, next] = [new AbortController(), new AbortController()];
  const first = follow(events, old.signal);
  await flush();
  events.go("settings");
  old.abort();
  await first.end;
  const second = follow(events, next.signal);
  await flush();
  expect([first.seen.length, second.seen[1]]).toEqual([1, { kind: "go", view: "settings" }]);

  next.abort();
  // The listener had no time to notice the end.
  events.go("integrations");
  await second.end;
  const third = follow(events, AbortSignal.abort());
  await third.end;
  const last = new AbortController();
  const fourth = follow(events, last.signal);
  await flush();
  expect([second.seen.length, fourth.seen[1]]).toEqual([2, { kind: "go", view: "integrations" }]);
  last.abort();
  await fourth.end;
});
