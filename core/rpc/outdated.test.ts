import { expect, test } from "vitest";
import type { Hello } from "../api/protocol.ts";
import { isOutdated } from "./socketClient.ts";

const hello = (more: Partial<Hello>): Hello => ({
  name: "agtmux",
  version: "0.9.10",
  protocol: 1,
  pid: 1,
  startedAt: 0,
  host: "headless",
  isOnDemand: true,
  ...more,
});

test.each([
  { own: "0.9.11", outdated: true },
  { own: "0.10.0", outdated: true },
  { own: "1.0.0", outdated: true },
  { own: "1.0.0-rc.1", outdated: true },
  { own: "0.9.10", outdated: false },
  { own: "0.9.10-rc.1", outdated: false },
  { own: "0.9.9", outdated: false },
  { own: "0.8.11", outdated: false },
  { own: "bench", outdated: false },
  { own: "9.9", outdated: false },
  { own: "9.9.9.9", outdated: false },
])("a daemon 0.9.10 that a command started, seen by $own: $outdated", ({ own, outdated }) => {
  expect(isOutdated(hello({}), own)).toBe(outdated);
});

test("one in the app, one that a person runs, and one of no version stay", () => {
  const kept = [{ host: "app" }, { isOnDemand: false }, { host: "test" }, { version: "test" }] as const;
  expect(kept.map((more) => isOutdated(hello(more), "9.9.9"))).toEqual([false, false, false, false]);
});
