import { describe, expect, it } from "vitest";
import { rollUp, type FeedEntry, type PaneView, type TargetView } from "../core/model/view.ts";
import { makePane, makeTarget } from "../test/factories/view.ts";
import { TrayState, toPicture } from "./trayState.ts";

const snapshot = (...panes: PaneView[]): FeedEntry => ({
  kind: "snapshot",
  version: 1,
  at: 0,
  panes,
  targets: [],
  summary: rollUp(panes),
});
const withIdentity = (pane: PaneView, paneRef: string, runtimeId: string): PaneView => ({
  ...pane,
  identity: { ...pane.identity, pane_ref: paneRef, runtime_id: runtimeId },
});
const change = (pane: PaneView): FeedEntry => ({
  kind: "state",
  version: 2,
  at: 0,
  pane,
  previous_state: null,
});
const removed = (paneRef: string, runtimeId: string): FeedEntry => {
  const { identity } = withIdentity(makePane(), paneRef, runtimeId);
  return { kind: "removed", version: 3, at: 0, pane_ref: paneRef, runtime_id: runtimeId, identity };
};
const pane = (state: PaneView["state"], paneRef: string, runtimeId = `${paneRef}-1`): PaneView =>
  withIdentity({ ...makePane(), state }, paneRef, runtimeId);

describe("the tray's picture", () => {
  it("says that the machine is kept awake and why, until it is not or the daemon is lost", () => {
    const tray = new TrayState();
    const target = (awake: TargetView["awake"], more: Partial<TargetView> = {}): FeedEntry => ({
      kind: "target",
      version: 4,
      at: 0,
      target: { ...makeTarget(), kind: "local", ...more, awake },
    });
    const on = { is_on: true, working: 2, text_due_at: "2026-01-01T10:00:00.000Z", problem: null };
    const said = (): string[] => tray.picture.tooltip.split("\n").slice(1);
    tray.apply(target(on));
    expect(said()).toEqual(["kept awake: 2 agents work, a text is due within the hour"]);
    tray.apply(target(null, { kind: "ssh", target: "vm1" }));
    expect(said()).toHaveLength(1);
    tray.apply(target({ is_on: false, working: 1, text_due_at: null, problem: "it isn't on power" }));
    expect(said()).toEqual(["may fall asleep although 1 agent works: it isn't on power"]);
    tray.apply(target(null));
    expect(said()).toEqual([]);
    tray.apply(target(on));
    tray.clear();
    expect(said()).toEqual([]);
  });

  it("says that there is a newer agtmux, of this machine alone", () => {
    const tray = new TrayState();
    const target = (kind: TargetView["kind"], newer_release: string | null): FeedEntry => ({
      kind: "target",
      version: 4,
      at: 0,
      target: { ...makeTarget(), kind, newer_release },
    });
    tray.apply(target("local", "9.9.9"));
    tray.apply(target("ssh", "9.9.8"));
    expect(tray.picture.tooltip).toBe(
      "agtmux: no agents\na newer agtmux, 9.9.9, is there: 'agtmux upgrade' says how to get it",
    );
    tray.apply(target("local", null));
    expect(tray.picture.tooltip).toBe("agtmux: no agents");
  });

  it("takes its shape from the most urgent state and counts everything that needs action", () => {
    expect(toPicture(["running", "waiting_input", "waiting_approval", "idle", "waiting_input"])).toEqual({
      urgency: "waiting_approval",
      waiting: 3,
      tooltip: "agtmux: 1 needs approval, 2 need answer, 1 running, 1 idle",
    });
  });

  it.each(["completed", "idle", "unknown"] as const)("is quiet while the best is %s", (state) => {
    expect(toPicture([state])).toMatchObject({ urgency: "none", waiting: 0 });
  });

  it("says that there is nothing", () => {
    expect(toPicture([])).toEqual({ urgency: "none", waiting: 0, tooltip: "agtmux: no agents" });
  });
});

describe("the board", () => {
  it("follows the feed, and a snapshot replaces what was there", () => {
    const trayState = new TrayState();
    trayState.apply(snapshot(pane("waiting_approval", "a"), pane(null, "shell")));
    expect(trayState.picture).toMatchObject({ urgency: "waiting_approval", waiting: 1 });
    trayState.apply(change(pane("running", "a")));
    expect(trayState.picture).toMatchObject({ urgency: "running", waiting: 0 });
    trayState.apply(snapshot(pane("error", "b")));
    expect(trayState.picture.tooltip).toBe("agtmux: 1 error");
  });

  it("keeps a pane's new agent when the old one is removed late", () => {
    const trayState = new TrayState();
    trayState.apply(snapshot(pane("running", "a", "old")));
    trayState.apply(change(pane("waiting_input", "a", "new")));
    trayState.apply(removed("a", "old"));
    expect(trayState.picture.waiting).toBe(1);
    trayState.apply(removed("a", "new"));
    expect(trayState.picture.tooltip).toBe("agtmux: no agents");
  });
});
