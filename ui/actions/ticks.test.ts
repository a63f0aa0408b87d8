import { expect, it } from "vitest";
import type { PaneView } from "../../core/model/view.ts";
import { makePane } from "../../test/factories/view.ts";
import { cardView } from "./cardView.ts";
import { NO_LIMITS, type ActionContext } from "./disabledReasons.ts";
import { NO_TICKS, takesSeveral, tickedOf, withTick, type Ticks } from "./ticks.ts";

const asking = (fingerprint: string, more: Partial<NonNullable<PaneView["request"]>> = {}): PaneView =>
  makePane({
    state: "waiting_input",
    fingerprint,
    request: {
      kind: "question",
      title: "Which sizes?",
      body: "Which sizes?",
      is_whole: true,
      tool_name: null,
      options: [
        { label: "Small", keys: null, toggle: "1", ticked: false },
        { label: "Large", keys: null, toggle: "2", ticked: true },
        { label: "Type something.", keys: null },
      ],
      submit: ["Down", "Down", "Down", "Enter"],
      expires_at: null,
      ...more,
    },
  });
const contextOf = (ticks: Ticks, isShownWhole = true): ActionContext => ({
  isConnected: true,
  isUnreachable: false,
  ...NO_LIMITS,
  isShownWhole: () => isShownWhole,
  ticked: (pane) => tickedOf(ticks, pane),
});
const names = (pane: PaneView, context: ActionContext): string[] =>
  cardView(pane, context).answers.map(({ name }) => name);

it("begins with what the agent shows, and remembers what is ticked by what is asked", () => {
  const [first, other] = [asking("fp-1"), asking("fp-2")];
  expect([...tickedOf(NO_TICKS, first)]).toEqual([2]);
  const ticks = withTick(withTick(NO_TICKS, first, 1), first, 2);
  expect([...tickedOf(ticks, first)]).toEqual([1]);
  expect([...tickedOf(ticks, other)]).toEqual([2]);
  const many = Array.from({ length: 100 }, (_, index) => asking(`fp-${index}`)).reduce(
    (all, pane) => withTick(all, pane, 1),
    NO_TICKS,
  );
  expect(many.size).toBeLessThanOrEqual(20);
});

it("is offered with boxes, and sent once something is ticked and all of it is shown", () => {
  const pane = asking("fp-1");
  expect(
    cardView(pane, contextOf(NO_TICKS)).options.map(({ isTicked, reason }) => [isTicked, reason]),
  ).toEqual([
    [false, null],
    [true, null],
    [null, "the keys that choose it are unknown."],
  ]);
  expect(names(pane, contextOf(NO_TICKS))).toContain("Send choices");
  expect(names(pane, contextOf(withTick(NO_TICKS, pane, 2)))).not.toContain("Send choices");
  expect(names(pane, contextOf(NO_TICKS, false))).not.toContain("Send choices");
  expect(names(asking("fp-1", { is_whole: false }), contextOf(NO_TICKS))).not.toContain("Send choices");
});

it("is nothing where it is not known how several are submitted", () => {
  const { submit: _submit, ...rest } = asking("fp-1").request ?? {};
  const pane = { ...asking("fp-1"), request: rest as PaneView["request"] };
  expect(takesSeveral(pane)).toBe(false);
  expect(names(pane, contextOf(NO_TICKS))).not.toContain("Send choices");
});
