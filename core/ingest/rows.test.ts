// What was placed for one list does not hide from the next what changed meanwhile.
import { expect, test } from "vitest";
import { createIngestFixture, INSTANCE, somePane } from "../../test/factories/ingest.ts";
import type { Pane } from "../model/runtime.ts";

const pane = (targetId: string, paneId: string, more: Partial<Pane> = {}): Pane =>
  somePane(paneId, { targetId, windowId: `@${paneId.slice(1)}`, ...more });

const setUp = () => {
  const f = createIngestFixture();
  const { ingest } = f;
  const nameTarget = (targetId: string, targetName: string): void => {
    ingest.setTarget({
      targetId,
      targetName,
      kind: "ssh",
      connectionRef: targetName,
      isDefault: false,
      health: "ok",
      healthReason: null,
      lastSeenAt: 0,
      updatedAt: 0,
      link: null,
    });
  };
  const see = (targetId: string, panes: readonly Pane[], server = "default"): void => {
    ingest.applyTopology({
      targetId,
      server,
      status: "ok",
      mode: "direct",
      problem: null,
      instance: { ...INSTANCE, server },
      panes: panes.map((one) => ({ ...one, server })),
    });
  };
  const recognise = (paneId: string, isAgent = true, targetId = "host"): void => {
    const process = { pid: 600, ppid: 500, comm: "claude", args: "claude", startedAt: f.clock.now() - 1_000 };
    ingest.applyRecognised(
      { targetId, server: "default", paneId },
      isAgent ? { agentType: "claude", process } : null,
    );
  };
  /** Row by row where it is and whether it has an agent. */
  const listed = (all = true): string[] =>
    ingest
      .rows(all)
      .map(
        ({ identity, agent }) => `${identity.pane_ref.slice("pane:".length)}${agent === null ? "" : " *"}`,
      );
  return { ...f, ingest, nameTarget, see, recognise, listed };
};

test("rows come by target, server, session, window and pane, in whatever order they were seen", () => {
  const { nameTarget, see, recognise, listed } = setUp();
  nameTarget("b", "beta");
  nameTarget("a", "alpha");
  see("host", [pane("host", "%1")], "work");
  see("b", [pane("b", "%1")]);
  see("host", [
    pane("host", "%5", { sessionName: "web" }),
    pane("host", "%4", { sessionName: "api", windowIndex: 1, paneIndex: 1 }),
    pane("host", "%3", { sessionName: "api", windowIndex: 1 }),
    pane("host", "%2", { sessionName: "api", windowIndex: 2 }),
  ]);
  see("a", [pane("a", "%1")]);
  recognise("%3");
  recognise("%5");
  expect(listed()).toEqual([
    "alpha/main/@1/%1",
    "beta/main/@1/%1",
    "host/api/@3/%3 *",
    "host/api/@4/%4",
    "host/api/@2/%2",
    "host/web/@5/%5 *",
    "host:work/main/@1/%1",
  ]);
  expect(listed(false)).toEqual(["host/api/@3/%3 *", "host/web/@5/%5 *"]);
});

test("each list shows what came, went, moved, began, ended and was renamed since the one before", () => {
  const { ingest, nameTarget, see, recognise, listed } = setUp();
  nameTarget("a", "alpha");
  see("a", [pane("a", "%1"), pane("a", "%2")]);
  const lists = [listed()];
  const then = (change: () => void): void => {
    change();
    lists.push(listed());
  };
  then(() => nameTarget("a", "beta"));
  then(() => recognise("%2", true, "a"));
  then(() => see("a", [pane("a", "%1"), pane("a", "%2", { sessionName: "first" })]));
  then(() => see("a", [pane("a", "%3"), pane("a", "%1"), pane("a", "%2", { sessionName: "first" })]));
  then(() => recognise("%2", false, "a"));
  then(() => see("a", [pane("a", "%3")]));
  then(() => ingest.removeTarget("a"));
  expect(lists).toEqual([
    ["alpha/main/@1/%1", "alpha/main/@2/%2"],
    ["beta/main/@1/%1", "beta/main/@2/%2"],
    ["beta/main/@1/%1", "beta/main/@2/%2 *"],
    ["beta/first/@2/%2 *", "beta/main/@1/%1"],
    ["beta/first/@2/%2 *", "beta/main/@1/%1", "beta/main/@3/%3"],
    ["beta/first/@2/%2", "beta/main/@1/%1", "beta/main/@3/%3"],
    ["beta/main/@3/%3"],
    [],
  ]);
});

test("a crashed row stands beside the pane in which it was", () => {
  const f = setUp();
  const { see, recognise, listed, clock } = f;
  see("host", [pane("host", "%1"), pane("host", "%2")]);
  recognise("%1");
  f.hook("UserPromptSubmit");
  clock.advance(100);
  recognise("%1");
  recognise("%1", false);
  expect(listed()).toEqual(["host/main/@1/%1", "host/main/@1/%1 *", "host/main/@2/%2"]);
  expect(listed(false)).toEqual(["host/main/@1/%1 *"]);
});
