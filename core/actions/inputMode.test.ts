import { expect, test } from "vitest";
import type { Pane } from "../model/runtime.ts";
import type { AgentAdapter, AgentInputModes } from "../ports/agentAdapter.ts";
import { enterTextMode, showsMode } from "./typing.ts";
import type { PaneCapture, PaneClient } from "./paneClient.ts";
import type { VerifiedAction } from "./prepare.ts";
import { partOf } from "../../test/fakes/partOf.ts";

type Mode = ReturnType<AgentInputModes["read"]>;
const PANE = { paneId: "%1", panePid: 7, title: "" } as Pane;
const LOOK = { panePid: 7, command: "agent", rows: [], rawRows: [], cursorY: 0 } as unknown as PaneCapture;

/** A box that is in these modes, one after each look, and stays in the last one. */
const setUp = (modes: readonly Mode[], { isOn = true, isUnattended = false } = {}) => {
  const left = [...modes];
  const presses: string[][] = [];
  let now = 0;
  const client = partOf<PaneClient>({
    capture: async () => LOOK,
    runIf: async (_action: unknown, _pane: unknown, commands) => {
      presses.push([...(commands.at(-1)?.slice(4) ?? [])]);
      return true;
    },
  });
  const inputModes: AgentInputModes = {
    isOn: async () => isOn,
    read: () => (left.length > 1 ? left.shift() : left[0]) ?? null,
    textKeys: ["i"],
  };
  const adapter = partOf<AgentAdapter>({ readScreen: () => null, inputModes });
  const input = {
    pane: PANE,
    paneRef: "pane:host/a/@0/%1",
    client,
    clock: {
      now: () => now,
      setTimer: (delayMs: number, callback: () => void) => {
        now += delayMs;
        queueMicrotask(callback);
        return () => {};
      },
    },
    agent: { adapter, usesModes: async () => isOn },
    isUnattended,
    verify: () => ({}) as VerifiedAction,
  };
  return { input, presses, adapter };
};

test.each([
  ["is in its mode for text", ["text"], true],
  ["has no editor with modes", ["none"], false],
  ["has none, and says nothing of it", [null], false],
] as const)("no key is pressed where the box %s", async (_what, modes, isOn) => {
  const { input, presses } = setUp(modes, { isOn });
  expect(await enterTextMode(input, LOOK)).toBe(false);
  expect(presses).toEqual([]);
});

test("from the first mode the box is led to the one for text", async () => {
  const { input, presses } = setUp(["none", "none", "text"]);
  expect(await enterTextMode(input, LOOK)).toBe(true);
  expect(presses).toEqual([["i"]]);
});

test.each([
  ["another mode is named", ["commands"], {}, 0],
  ["the screen does not say the mode", [null], {}, 0],
  ["nobody watches", ["none"], { isUnattended: true }, 0],
  ["the mode stays as it is", ["none"], {}, 1],
] as const)("nothing is sent where %s", async (_what, modes, options, count) => {
  const { input, presses } = setUp(modes, options);
  await expect(enterTextMode(input, LOOK)).rejects.toMatchObject({ code: "E_STALE_SNAPSHOT" });
  expect(presses).toHaveLength(count);
});

test("a named mode is what the keys that stop a turn leave first", () => {
  const shows = (mode: Mode) => showsMode(setUp([mode]).adapter, PANE, LOOK);
  expect((["text", "commands", "none", null] as const).map(shows)).toEqual([true, true, false, false]);
});
