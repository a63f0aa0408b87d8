import { afterEach, describe, expect, it } from "vitest";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import { listEvidence } from "../store/testkit/listEvidence.ts";

const open: IngestFixture[] = [];
afterEach(() => {
  for (const made of open.splice(0)) made.store.close();
});
/** A runtime with pid 600 in the middle of a turn. */
const running = (): IngestFixture => {
  const f = createIngestFixture();
  open.push(f);
  f.topology([somePane()]);
  f.agent();
  f.hook("UserPromptSubmit", { prompt: "go" });
  return f;
};
const sources = (f: IngestFixture): string[] => {
  const [live] = f.store.listLiveRuntimes();
  return listEvidence(f.store, live?.runtimeId ?? "").map(
    ({ evidence }) => `${evidence.source}:${evidence.eventType}`,
  );
};

describe("events of the wrapper", () => {
  it("are evidence of their own source, whatever name the agent was started by", () => {
    const f = running();
    f.hook("wrapper.start", { pid: 600 }, { agentType: "some-alias" });
    expect(sources(f)).toContain("wrapper:wrapper.start");
    expect(f.state()).toBe("running/thinking");
  });

  it("wait for the runtime whose process they name", () => {
    const f = createIngestFixture();
    open.push(f);
    f.topology([somePane()]);
    f.hook("wrapper.start", { pid: 600 }, { agentType: "some-alias" });
    expect(f.store.listPending()).toHaveLength(1);
    f.agent();
    expect(sources(f)).toEqual(["wrapper:wrapper.start"]);
  });

  it("prove a crash by a failing status in mid-turn, and an orderly end by a good one", () => {
    for (const [status, end] of [
      [1, "error"],
      [0, "end:exited"],
    ] as const) {
      const f = running();
      f.hook("wrapper.exit", { pid: 600, status });
      f.noAgent();
      expect(f.transitions().at(-1)).toBe(end);
    }
  });

  it("are waited for where the process is seen to be gone before them, and not for long", () => {
    const told = running();
    told.hook("wrapper.start", { pid: 600 });
    told.noAgent();
    expect(told.state()).toBe("running/thinking");
    told.hook("wrapper.exit", { pid: 600, status: 0 });
    told.noAgent();
    expect(told.transitions().at(-1)).toBe("end:exited");

    const untold = running();
    untold.hook("wrapper.start", { pid: 600 });
    untold.noAgent();
    untold.clock.advance(3_000);
    untold.noAgent();
    expect(untold.transitions().at(-1)).toBe("error");
  });

  it("of another process of the pane, or with a broken payload, change nothing", () => {
    const f = running();
    f.hook("wrapper.exit", { pid: 601, status: 1 });
    f.hook("wrapper.exit", { pid: 600, status: "1" });
    expect(f.ingest.dropped.get("agent_mismatch")).toBe(2);
    expect([...f.ingest.liveState.liveRuntimes()].map((entry) => entry.wrapperExitStatus)).toEqual([null]);
  });
});
