import { expect, it } from "vitest";
import type { TmuxServer } from "../tmux/tmuxServer.ts";
import { watchServer } from "./serverWatch.ts";
import { partOf } from "../../test/fakes/partOf.ts";

const START = 1_000_000_000;
const USUAL_MS = 900;

/** A server of one pane, which printed something last at `movedAt` (epoch ms). */
const scene = (mode: TmuxServer["mode"] = "direct") => {
  const state = { now: START, movedAt: START - 3_600_000 };
  const activity = (): number => Math.floor(state.movedAt / 1_000);
  const server: TmuxServer = {
    targetId: "host",
    server: "default",
    mode,
    problem: null,
    isShared: false,
    tellsPaneOutput: false,
    query: (commands) =>
      Promise.resolve({
        status: "ok",
        at: state.now,
        answers: commands.map(([name, ...args]) => {
          if (name === "list-panes") return { isOk: true, lines: [`%1 ${activity()} 41 0 @1 0 t w s`] };
          const isGlance = args.some((arg) => arg.includes("window_panes"));
          return { isOk: true, lines: [isGlance ? `${activity()}.1 ` : "7 1700000000 /tmp/sock"] };
        }),
      }),
    close: () => Promise.resolve(),
  };
  const watched = watchServer({
    tmux: server,
    socketPath: "/tmp/sock",
    makeNonce: () => "nonce",
    clock: partOf({ now: () => state.now }),
  });
  const lookAfter = async (ms: number): Promise<void> => {
    state.now += ms;
    await watched.list();
  };
  return { state, watched, lookAfter };
};

it("looks sooner for a while after something moved, and rarer where nothing did for long", async () => {
  const { state, watched, lookAfter } = scene();
  await lookAfter(0);
  const pause = (metersAll = false): number => watched.pauseMs(USUAL_MS, { tookMs: 4, metersAll });
  expect(pause()).toBe(450);
  await lookAfter(12_000);
  expect(pause()).toBe(900);
  expect(pause(true)).toBe(2_250);
  await lookAfter(20_000);
  expect(pause()).toBe(1_200);
  state.movedAt = state.now;
  await lookAfter(1_200);
  expect(pause()).toBe(450);
});

it("does not look sooner where that would take much of the time", async () => {
  const { watched, lookAfter } = scene();
  await lookAfter(0);
  expect(watched.pauseMs(USUAL_MS, { tookMs: 6, metersAll: true })).toBe(600);
  expect(watched.pauseMs(USUAL_MS, { tookMs: 80, metersAll: true })).toBe(900);
});

it("keeps to the usual pause where each look is a process", async () => {
  const { watched, lookAfter } = scene("polling");
  await lookAfter(0);
  expect(watched.pauseMs(USUAL_MS, { tookMs: 1, metersAll: true })).toBe(USUAL_MS);
});

/**
 * A server of one pane that fills in tmux's formats, with `others` where the rest does not matter; its title is another one each time
 * that somebody asks for it.
 */
const titled = (titles: readonly string[], others: () => Record<string, string> = () => ({})): TmuxServer => {
  const left = [...titles];
  const values: Readonly<Record<string, string>> = {
    pane_id: "%1",
    session_id: "$0",
    window_id: "@1",
    window_name: "w",
    session_name: "s",
    window_activity: String(START / 1_000),
    pane_tty: "/dev/pts/1",
  };
  const fill = (format: string): string =>
    format.replaceAll(/#\{(\w+)\}/g, (_, name: string) =>
      name === "pane_title"
        ? ((left.length > 1 ? left.shift() : left[0]) ?? "")
        : (others()[name] ?? values[name] ?? "1"),
    );
  return {
    targetId: "host",
    server: "default",
    mode: "direct",
    problem: null,
    isShared: false,
    tellsPaneOutput: false,
    query: (commands) =>
      Promise.resolve({
        status: "ok",
        at: START,
        answers: commands.map(([name, ...args]) => ({
          isOk: true,
          lines: [
            name === "list-panes"
              ? fill(args.at(-1) ?? "")
              : `${others()["pid"] ?? "7"} 1700000000 /tmp/sock`,
          ],
        })),
      }),
    close: () => Promise.resolve(),
  };
};

it("lists once more after a title that stood there only while the panes were listed", async () => {
  let now = START;
  const watched = watchServer({
    // Look and listing in turns: the second listing meets a title that neither the look before nor the one after it sees.
    tmux: titled(["idle", "idle", "done", "works", "done"]),
    socketPath: "/tmp/sock",
    makeNonce: () => "nonce",
    clock: partOf({ now: () => now }),
  });
  const titleNow = async (): Promise<string | undefined> => {
    now += 3_000;
    return (await watched.list()).panes[0]?.title;
  };
  expect([await titleNow(), await titleNow(), await titleNow()]).toEqual(["idle", "works", "done"]);
});

it("keeps the process of a pane for which tmux names none any more, for as long as the server lives", async () => {
  let now = START;
  let others: Record<string, string> = { pane_pid: "41", pane_dead: "0" };
  const watched = watchServer({
    tmux: titled(["t"], () => others),
    socketPath: "/tmp/sock",
    makeNonce: () => "nonce",
    clock: partOf({ now: () => now }),
  });
  const seen = async (change: Record<string, string>): Promise<unknown> => {
    others = change;
    now += 3_000;
    const { status, problem, panes } = await watched.list();
    return [status, problem, panes.map(({ panePid, isDead }) => [panePid, isDead])];
  };
  expect(await seen({ pane_pid: "41", pane_dead: "0" })).toEqual(["ok", null, [[41, false]]]);
  expect(await seen({ pane_pid: "", pane_dead: "0" })).toEqual(["ok", null, [[41, false]]]);
  expect(await seen({ pane_pid: "", pane_dead: "1" })).toEqual(["ok", null, [[41, true]]]);
  expect(await seen({ pane_pid: "43", pane_dead: "0" })).toEqual(["ok", null, [[43, false]]]);
  expect(await seen({ pid: "8", pane_pid: "", pane_dead: "1" })).toEqual(["ok", null, [[-1, true]]]);
});
