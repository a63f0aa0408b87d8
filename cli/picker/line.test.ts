import { expect, test } from "vitest";
import { makeTarget } from "../../test/factories/view.ts";
import { someAgents } from "../../test/picker/pickerPanes.ts";
import { NO_LIMITS } from "../../ui/actions/disabledReasons.ts";
import { INITIAL_FEED_STATE } from "../../ui/lists/feedReducer.ts";
import { PLAIN } from "../render/table.ts";
import { plainOf } from "./line.ts";
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
      documentNames: "",
    });
    return lines.map(plainOf);
  });
  expect(shown.join("\n")).toContain("Refunds are rounded twice");
  expect(shown.filter((line) => !PLAIN.test(line))).toEqual([]);
});
