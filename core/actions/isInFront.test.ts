import { expect, it } from "vitest";
import { isInFront } from "./attention.ts";
import type { TmuxClient } from "../tmux/clients.ts";

const NOW = 1_800_000_000;
const client = (more: Partial<TmuxClient> = {}): TmuxClient => ({
  isNative: false,
  isReadOnly: false,
  activeAt: NOW - 5,
  sessionId: "$0",
  tty: "/dev/pts/1",
  paneId: "%1",
  isFocused: true,
  reportsFocus: true,
  ...more,
});

it.each<[string, Partial<TmuxClient>, boolean]>([
  ["a focused terminal on the pane", {}, true],
  ["a terminal on another pane", { paneId: "%2" }, false],
  ["a terminal without the focus", { isFocused: false }, false],
  ["a focused terminal of somebody who reads", { activeAt: NOW - 300 }, true],
  ["a focused terminal of somebody who left", { activeAt: NOW - 3_600 }, false],
  ["a terminal that reports no focus, just used", { reportsFocus: false }, true],
  ["a terminal that reports no focus, used a while ago", { reportsFocus: false, activeAt: NOW - 300 }, false],
  ["a native client", { isNative: true }, false],
])("a pane is in front by %s: %s", (_what, more, expected) => {
  expect(isInFront([client({ paneId: "%9" }), client(more)], "%1", NOW)).toBe(expected);
});
