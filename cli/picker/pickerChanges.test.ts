import { expect, it } from "vitest";
import { makePane } from "../../test/factories/view.ts";
import { partOf } from "../../test/fakes/partOf.ts";
import { changesDiff } from "../../e2e/scenes/changesScene.ts";
import { NO_LIMITS } from "../../ui/actions/disabledReasons.ts";
import { settleAction, type ActionStatus } from "../../ui/actions/actionStatus.ts";
import type { DaemonClient } from "../command/context.ts";
import { PickerChanges } from "./pickerChanges.ts";
import { INITIAL_STATE, type ChangesMode, type PickerState } from "./pickerState.ts";
import type { PickerSurface } from "./pickerSurface.ts";

const PANE = makePane({ state: "running", activity: { folder: "/w", work_tree: "/w" } });
const toFailure = (error: unknown) => ({ message: String(error), remedy: null, code: "E_USAGE" });

const open = async () => {
  let now = 1_000;
  let state: PickerState = {
    ...INITIAL_STATE,
    feed: { ...INITIAL_STATE.feed, panes: new Map([[PANE.identity.pane_ref, PANE]]) },
  };
  const sent: string[] = [];
  let refusal: Error | null = null;
  const changes = new PickerChanges({
    state: () => state,
    change: (change) => (state = { ...state, ...change }),
    surface: partOf<PickerSurface>({
      start: (_pane, kind, call): Promise<ActionStatus | null> => settleAction(kind, call, toFailure),
      sendWhenReady: (_runtime, text) => {
        if (refusal !== null) return Promise.reject(refusal);
        sent.push(text);
        return Promise.resolve(null);
      },
    }),
    contextOf: () => ({ isConnected: true, isUnreachable: false, ...NO_LIMITS, isShownWhole: () => true }),
    client: () => partOf<DaemonClient>({ call: () => Promise.resolve(changesDiff()) as Promise<never> }),
    pageRows: () => 20,
    columns: () => 100,
    now: () => now,
  });
  const mode = (): ChangesMode => {
    if (state.mode.kind !== "changes") throw new Error("another mode is shown");
    return state.mode;
  };
  const settle = async () => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  changes.open(PANE);
  await settle();
  return {
    mode,
    sent,
    isShown: () => state.mode.kind === "changes",
    refuseWith: (error: Error | null) => (refusal = error),
    pass: (ms: number) => (now += ms),
    type: async (...names: string[]) => {
      for (const name of names) changes.key({ name, isText: name.length === 1 }, mode(), false);
      await settle();
    },
    reopen: async () => {
      changes.open(PANE);
      await settle();
    },
  };
};

it("sends what was collected once, not by letters that are typed on, and keeps it where it was refused", async () => {
  const { mode, sent, type, pass, reopen, refuseWith, isShown } = await open();
  await type("c");
  expect(mode().writing).toBe(null);
  await type("j", "c", "W", "h", "y", "?", "Enter");
  expect(mode().comments).toMatchObject([{ path: "src/refunds/splitRefund.ts", line: 41, words: "Why?" }]);
  await type("s", "x");
  expect([sent, mode().comments.length]).toEqual([[], 1]);
  await type("Escape");
  expect(isShown()).toBe(false);
  await reopen();
  expect(mode().comments).toHaveLength(1);
  pass(800);
  refuseWith(new Error("it holds a secret"));
  await type("s");
  expect(mode().problem).toContain("it holds a secret");
  expect(mode().comments).toHaveLength(1);
  refuseWith(null);
  await type("s", "s");
  expect(sent).toEqual([
    "About your changes:\n\nIn src/refunds/splitRefund.ts, line 41:\n> export const splitRefund = (refund: Refund): Part[] => {\nWhy?",
  ]);
  expect(mode()).toMatchObject({ comments: [], problem: null });
});

it("folds files, moves between them, and keeps the words of a comment that is written again", async () => {
  const { mode, type } = await open();
  const paths = () => mode().rows.flatMap((row) => (row.kind === "file" ? [row.isOpen] : []));
  expect(paths()).toEqual([true, true, true, false, false, false]);
  await type("f");
  expect(mode().rows).toHaveLength(6);
  await type("n", "n", "n", " ");
  expect(mode().rows).toHaveLength(5_006);
  await type("j", "c", "O", "n", "e", "Enter", "c");
  expect(mode().writing).toMatchObject({ words: "One" });
  await type("Escape", "p");
  expect(mode().rows[mode().selected]).toMatchObject({ kind: "file", key: "test/fixtures/ledger.csv" });
});
