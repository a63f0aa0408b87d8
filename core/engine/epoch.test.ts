import { describe, expect, it } from "vitest";
import type { Runtime } from "../model/runtime.ts";
import { compareRuntime, type EndContext } from "./epoch.ts";

const live = { agentType: "a", pid: 7, processStartedAt: 1_000 } as Runtime;
const recognised = (pid: number, startedAt: number, agentType = "a") => ({
  agentType,
  process: { pid, ppid: 1, comm: "a", args: "a", startedAt },
});
const context = (more: Partial<EndContext> = {}): EndContext => ({
  sawExitEvent: false,
  killedByUs: false,
  wasMidTurn: false,
  announcesExit: true,
  paneDeadStatus: null,
  wrapperExitStatus: null,
  ...more,
});

describe("the runtime of a pane", () => {
  it("is kept for the same process, begun for a new one, replaced for another", () => {
    expect(compareRuntime(live, recognised(7, 1_400), context()).kind).toBe("keep");
    expect(compareRuntime(null, recognised(7, 1_000), context()).kind).toBe("begin");
    expect(compareRuntime(null, null, context()).kind).toBe("keep");
    expect(compareRuntime(live, recognised(8, 1_000), context()).kind).toBe("replace");
    // The same number given to another process later.
    expect(compareRuntime(live, recognised(7, 90_000), context()).kind).toBe("replace");
    expect(compareRuntime(live, recognised(7, 1_000, "b"), context()).kind).toBe("replace");
  });

  it("is another one where the same process shows another session, and the first has not crashed", () => {
    const turned = context({ hasTurned: true, wasMidTurn: true });
    expect(compareRuntime(live, recognised(7, 1_000), turned)).toMatchObject({
      kind: "replace",
      end: "exited",
    });
    expect(compareRuntime(live, recognised(8, 1_000), turned)).toMatchObject({
      kind: "replace",
      end: "crashed",
    });
  });

  it.each<[string, Partial<EndContext>]>([
    ["killed", { killedByUs: true, wasMidTurn: true }],
    ["exited", { sawExitEvent: true, wasMidTurn: true }],
    ["exited", { paneDeadStatus: 0, wasMidTurn: true }],
    ["crashed", { paneDeadStatus: 1 }],
    ["crashed", { wrapperExitStatus: 1, wasMidTurn: true }],
    ["crashed", { wrapperExitStatus: 139, wasMidTurn: true }],
    ["exited", { wrapperExitStatus: 1 }],
    ["exited", { wrapperExitStatus: 0, wasMidTurn: true, announcesExit: true }],
    ["exited", { wrapperExitStatus: 130, wasMidTurn: true }],
    ["killed", { wrapperExitStatus: 137, wasMidTurn: true, killedByUs: true }],
    ["crashed", { wasMidTurn: true }],
    ["exited", { wasMidTurn: true, announcesExit: false }],
    ["exited", {}],
  ])("ends as %s with %j: a crash needs positive proof", (end, more) => {
    expect(compareRuntime(live, null, context(more))).toEqual({ kind: "end", end });
  });
});
