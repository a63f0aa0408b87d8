import { expect, test } from "vitest";
import type { Pane } from "../model/runtime.ts";
import type { CanonicalState } from "../model/state.ts";
import { interruptTurn, type InterruptInput } from "./interrupt.ts";
import type { PaneClient, PaneCapture } from "./paneClient.ts";
import type { VerifiedAction } from "./prepare.ts";

const PANE = { paneId: "%1", panePid: 7 } as Pane;
const LOOK = { panePid: 7, isSynchronized: false } as PaneCapture;

/** A pane whose agent is in `states[n]` after n presses, on a clock that runs when it is waited for. */
const setUp = (states: readonly (CanonicalState | null)[], change: Partial<InterruptInput> = {}) => {
  const presses: { keys: string[]; at: number }[] = [];
  let now = 0;
  const client: PaneClient = {
    capture: async () => LOOK,
    clients: async () => [],
    readScrollback: async () => null,
    hold: () => Promise.reject(new Error("an interrupt types no text")),
    runIf: async (_action, _pane, commands) => {
      presses.push({ keys: commands.at(-1)?.slice(4) ?? [], at: now });
      return true;
    },
  };
  const input: InterruptInput = {
    pane: PANE,
    paneRef: "pane:host/a/@0/%1",
    adapter: null,
    isInside: false,
    agentName: "Agent",
    keys: [["Escape"], ["Escape"]],
    client,
    clock: {
      now: () => now,
      setTimer: (delayMs, callback) => {
        now += delayMs;
        queueMicrotask(callback);
        return () => {};
      },
    },
    state: () => states[Math.min(presses.length, states.length - 1)] ?? null,
    isForeground: async () => true,
    showsWork: () => true,
    showsMode: () => false,
    verify: () => ({}) as VerifiedAction,
    renew: () => ({}) as VerifiedAction,
    ...change,
  };
  return { input, presses };
};

test("an agent that wants two presses gets them apart", async () => {
  const { input, presses } = setUp(["running", "running", "idle"]);
  expect(await interruptTurn(input)).toEqual({ outcome: "delivered", detail: "Agent is idle." });
  expect(presses).toEqual([
    { keys: ["Escape"], at: 0 },
    { keys: ["Escape"], at: 300 },
  ]);
});

test("two presses that a busy agent took for two single ones are made once more", async () => {
  const { input, presses } = setUp(["running", "running", "running", "running", "idle"]);
  expect(await interruptTurn(input)).toEqual({ outcome: "delivered", detail: "Agent is idle." });
  expect(presses.map(({ keys }) => keys)).toEqual([["Escape"], ["Escape"], ["Escape"], ["Escape"]]);
  expect((presses[2]?.at ?? 0) - (presses[1]?.at ?? 0)).toBeGreaterThanOrEqual(2_000);
});

test("and not where the screen shows no turn any more, though the state does: at rest they mean something else", async () => {
  const { input, presses } = setUp(["running"], { showsWork: () => false });
  expect(await interruptTurn(input)).toMatchObject({ outcome: "not_delivered" });
  expect(presses).toHaveLength(2);
});

test("an agent that wants one press gets no second one", async () => {
  const { input, presses } = setUp(["running"], { keys: [["Escape"]] });
  expect(await interruptTurn(input)).toMatchObject({ outcome: "not_delivered" });
  expect(presses).toHaveLength(1);
});

test("nothing more is pressed once it has stopped", async () => {
  const { input, presses } = setUp(["waiting_approval", "idle"]);
  expect(await interruptTurn(input)).toMatchObject({ outcome: "delivered" });
  expect(presses).toHaveLength(1);
});

test("a state that nobody knows cannot be seen to change", async () => {
  const { input } = setUp(["unknown"]);
  expect(await interruptTurn(input)).toMatchObject({ outcome: "unverified" });
});

test.each([
  ["at rest", ["completed"], {}, "E_STALE_SNAPSHOT"],
  ["in the background", ["running"], { isForeground: async () => false }, "E_STALE_SNAPSHOT"],
] as const)("an agent %s gets no key", async (_where, states, change, code) => {
  const { input, presses } = setUp(states, change);
  await expect(interruptTurn(input)).rejects.toMatchObject({ code });
  expect(presses).toEqual([]);
});

test("keys that left a mode of the agent's editor are pressed once more, when the mode is gone", async () => {
  const { input, presses } = setUp(["running", "running", "idle"], { keys: [["Escape"]] });
  const shown = [true, true, true, false];
  const inMode = { ...input, showsMode: () => shown.shift() ?? false };
  expect(await interruptTurn(inMode)).toEqual({ outcome: "delivered", detail: "Agent is idle." });
  expect(presses.map(({ keys }) => keys)).toEqual([["Escape"], ["Escape"]]);
});

test.each([
  ["the mode stays", { showsMode: () => true }],
  ["the screen shows no turn any more", { showsWork: () => false }],
  [
    "another program is in front",
    {
      isForeground: (
        (seen) => async () =>
          seen.shift() ?? false
      )([true]),
    },
  ],
])("and not where %s", async (_what, change) => {
  let isFirst = true;
  const showsMode = () => {
    const was = isFirst;
    isFirst = false;
    return was;
  };
  const { input, presses } = setUp(["running"], { keys: [["Escape"]], showsMode, ...change });
  expect(await interruptTurn(input)).toMatchObject({ outcome: "not_delivered" });
  expect(presses).toHaveLength(1);
});
