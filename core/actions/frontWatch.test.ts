import { expect, it } from "vitest";
import type { ConnectedTargets } from "../connections/connectedTarget.ts";
import type { TmuxClient } from "../tmux/clients.ts";
import { createFrontWatch, type UnreadPane } from "./attention.ts";
import { partOf } from "../../test/fakes/partOf.ts";

const START_MS = 1_800_000_000_000;

const unreadPane = (paneId: string): UnreadPane => ({
  key: { targetId: "host", server: "default", paneId },
  runtimeId: `rt${paneId}`,
});
const onPane = (paneId: string, at: number): TmuxClient => ({
  isNative: false,
  isReadOnly: false,
  activeAt: at / 1_000,
  sessionId: "$0",
  tty: "/dev/pts/1",
  paneId,
  isFocused: true,
  reportsFocus: true,
});

/** Reviewed once a second; says when tmux was asked and what was marked, in seconds since the start. */
const watch = async (options: {
  seconds: number;
  unread: (second: number) => readonly UnreadPane[];
  inFront: (second: number) => string | null;
}) => {
  let now = START_MS;
  const second = (): number => (now - START_MS) / 1_000;
  const asked: number[] = [];
  const seen: string[] = [];
  const clients = () => {
    asked.push(second());
    const paneId = options.inFront(second());
    return Promise.resolve(paneId === null ? [] : [onPane(paneId, now)]);
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what it uses of a connected target
  const connected = { collected: [{ server: "default", clients }] } as unknown as ReturnType<
    ConnectedTargets["find"]
  >;
  const front = createFrontWatch({
    unread: () =>
      options.unread(second()).filter(({ runtimeId }) => !seen.some((one) => one.startsWith(runtimeId))),
    markSeen: (runtimeId) => seen.push(`${runtimeId} at ${second()}`),
    connectedTargets: partOf({ find: () => connected }),
    clock: partOf({ now: () => now }),
  });
  for (; second() < options.seconds; now += 1_000) await front.review();
  return { asked, seen };
};

it("asks nobody while nothing is unread", async () => {
  expect(await watch({ seconds: 60, unread: () => [], inFront: () => "%1" })).toEqual({
    asked: [],
    seen: [],
  });
});

it("asks every ten seconds while nobody sits at a terminal, however much is unread", async () => {
  const many = ["%1", "%2", "%3"].map(unreadPane);
  expect(await watch({ seconds: 31, unread: () => many, inFront: () => null })).toEqual({
    asked: [0, 10, 20, 30],
    seen: [],
  });
});

it("marks a pane that is in front at two looks two seconds apart, and asks for all panes of a server at once", async () => {
  const { asked, seen } = await watch({
    seconds: 12,
    unread: () => [unreadPane("%1"), unreadPane("%2")],
    inFront: (second) => (second < 6 ? "%9" : "%2"),
  });
  expect(asked).toEqual([0, 2, 4, 6, 8, 10]);
  expect(seen).toEqual(["rt%2 at 8"]);
});

it("begins again where the person went elsewhere in between", async () => {
  const { seen } = await watch({
    seconds: 9,
    unread: () => [unreadPane("%1")],
    inFront: (second) => (second === 2 || second === 6 ? "%2" : "%1"),
  });
  expect(seen).toEqual([]);
});
