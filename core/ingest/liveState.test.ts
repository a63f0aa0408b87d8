// What memory finds by a session and by a machine, once an agent or a machine is not there any more.
import { expect, it } from "vitest";
import { HOST_TARGET, type Runtime } from "../model/runtime.ts";
import { LiveState, newRuntimeEntry } from "./liveState.ts";

const runtime = (more: Partial<Runtime> = {}): Runtime => ({
  runtimeId: "rt1",
  agentType: "claude",
  targetId: HOST_TARGET,
  server: "default",
  paneId: "%1",
  paneEpoch: 1,
  agentSessionId: "s1",
  pid: 7,
  processStartedAt: 1,
  startedAt: 1,
  endedAt: null,
  inside: null,
  mutedUntil: null,
  name: null,
  ...more,
});
const live = (...runtimes: Runtime[]): LiveState => {
  const state = new LiveState();
  for (const one of runtimes) state.addRuntime(newRuntimeEntry(one, null));
  return state;
};
const ofSession = (state: LiveState, sessionId: string): string[] =>
  Array.from(state.liveOfSession(HOST_TARGET, sessionId), (entry) => entry.runtime.runtimeId);

it("of two agents of one session the one that has gone over to another is found by that alone", () => {
  const state = live(runtime(), runtime({ runtimeId: "rt2", paneId: "%2" }));
  expect(ofSession(state, "s1")).toEqual(["rt1", "rt2"]);
  const first = state.runtimes.get("rt1") ?? expect.fail();
  state.setAgentSession(first, "s2");
  expect([ofSession(state, "s1"), ofSession(state, "s2")]).toEqual([["rt2"], ["rt1"]]);
  state.retire(first, false);
  expect([ofSession(state, "s1"), ofSession(state, "s2")]).toEqual([["rt2"], []]);
});

it("a machine that was removed and comes back knows no agent of before", () => {
  const state = live(runtime());
  state.retire(state.runtimes.get("rt1") ?? expect.fail(), false);
  expect(state.endedOf(HOST_TARGET)).toHaveLength(1);
  state.removeTarget(HOST_TARGET);
  expect(state.endedOf(HOST_TARGET)).toEqual([]);
});
