import { expect, test } from "vitest";
import { makeTarget } from "../../test/factories/view.ts";
import { someAgents } from "../../test/picker/pickerPanes.ts";
import { NO_LIMITS } from "../../ui/actions/disabledReasons.ts";
import { INITIAL_FEED_STATE } from "../../ui/lists/feedReducer.ts";
import { PLAIN } from "../render/table.ts";
import { lineWidth, plainOf, span, STYLE, wrapLine } from "./line.ts";
import { Arranger, INITIAL_STATE } from "./pickerState.ts";
import { frameOf } from "./screens.ts";

test("the picker's own signs need no tables of widths, which take longer to load than the rest of its start", () => {
  const feed = {
    ...INITIAL_FEED_STATE,
    hasSnapshot: true,
    panes: new Map(someAgents().map((pane) => [pane.identity.pane_ref, pane])),
    targets: new Map([["host", makeTarget()]]),
    connection: { kind: "live" } as const,
  };
  const state = new Arranger().arrange(INITIAL_STATE, { feed });
  const context = {
    isConnected: true,
    isUnreachable: false,
    ...NO_LIMITS,
    isShownWhole: () => true,
  };
  const shown = ([{ kind: "list" }, { kind: "help" }] as const).flatMap((mode) => {
    const { lines } = frameOf({
      state: { ...state, mode },
      size: { columns: 140, rows: 60 },
      scrollTop: 0,
      look: { now: Date.now(), hasMachines: false, contextOf: () => context },
      output: () => ({ lines: [], total: 0 }),
      outputSource: null,
      documentNames: "",
    });
    return lines.map(plainOf);
  });
  expect(shown.join("\n")).toContain("Refunds are rounded twice");
  expect(shown.filter((line) => !PLAIN.test(line))).toEqual([]);
});

test("a line that is too long goes on in the next row, at a blank where one is near, and nothing of it is lost", () => {
  const line = [span("All 14 tests "), span("pass, and the ledger is rounded", STYLE.bold), span(" once.")];
  const rows = wrapLine(line, 20);
  expect(rows.map(plainOf)).toEqual(["All 14 tests pass, ", "and the ledger is ", "rounded once."]);
  expect(rows[0]).toEqual([span("All 14 tests "), span("pass, ", STYLE.bold)]);
  for (const text of ["x".repeat(45), `${"界".repeat(15)} 界`, `a ${"y".repeat(60)}`]) {
    const wrapped = wrapLine([span(text)], 20);
    expect(wrapped.map(plainOf).join("")).toBe(text);
    expect(Math.max(...wrapped.map(lineWidth))).toBeLessThanOrEqual(20);
  }
  expect(wrapLine([span("short")], 20)).toEqual([[span("short")]]);
});
