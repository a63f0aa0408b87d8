import { describe, expect, it } from "vitest";
import { makePane, makeTarget } from "../../test/factories/view.ts";
import { machinesOf, refText } from "./rowText.ts";

const server = (tmux_server: string, status: "ok" | "no_server" = "ok") => ({
  tmux_server,
  status,
  problem: null,
  pane_count: 1,
  mode: "direct" as const,
});

describe("a place", () => {
  it("needs no machine where there is one, and an id alone only with one tmux server", () => {
    const one = makeTarget({ servers: [server("default"), server("spare", "no_server")] });
    expect(machinesOf([one])).toEqual({ hasMachines: false, hasOneServer: true });
    expect(machinesOf([one, makeTarget({ target: "vm1", enabled: false })])).toEqual({
      hasMachines: false,
      hasOneServer: true,
    });
    expect(machinesOf([makeTarget({ servers: [server("default"), server("work")] })])).toEqual({
      hasMachines: false,
      hasOneServer: false,
    });
    expect(machinesOf([one, makeTarget({ target: "vm1", servers: [] })])).toEqual({
      hasMachines: true,
      hasOneServer: false,
    });
    expect(machinesOf([])).toEqual({ hasMachines: false, hasOneServer: false });
  });

  it("is typed with its machine where an id could be another pane", () => {
    const pane = makePane({ pane: 12, target: "vm1" });
    expect([
      refText(pane, { hasMachines: true, hasOneServer: true }),
      refText(pane, { hasMachines: true, hasOneServer: false }),
    ]).toEqual(["%12", "vm1/%12"]);
  });
});
