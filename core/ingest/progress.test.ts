// The progress line through the whole of ingest, over a real store: shown, kept steady, redacted, and never a transition.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import type { SampledReading } from "../engine/observe.ts";

let f: IngestFixture;
beforeEach(() => {
  f = createIngestFixture();
  f.topology([somePane()]);
  f.agent();
});
afterEach(() => f.store.close());

const row = () => {
  const [only] = f.ingest.rows(false);
  if (only === undefined) throw new Error("no row");
  return only;
};
const read = (progress: string | null, more: Partial<SampledReading> = {}): void => {
  f.clock.advance(500);
  f.ingest.applyReading(row().identity.runtime_id ?? "", "poller", {
    reading: {
      status: { state: "running", reasonCode: "thinking" },
      confidence: "high",
      matched: "screen",
      request: null,
      isSteady: false,
      progress,
      ...more,
    },
    readAt: f.clock.now(),
    isChanged: true,
  });
};
const told = () => f.changes.flatMap((change) => (change.kind === "pane" ? [change] : []));

describe("a progress line", () => {
  it("is shown beside the state, cleaned and without secrets", () => {
    read("2 queued prompts · password=hunter2secret (4s)");
    expect(row().progress).toBe("2 queued prompts · password=[redacted]");
    expect(f.state()).toBe("running/thinking");
  });

  it("that changes with every read is told once in three seconds, without a new version", () => {
    read("step 0");
    const { state_version: version } = row();
    const before = told().length;
    for (let step = 1; step <= 12; step += 1) read(`step ${step}`);
    const changes = told().slice(before);
    expect(changes.map(({ pane }) => pane.progress)).toEqual(["step 6", "step 12"]);
    expect(changes.every(({ isTransition }) => !isTransition)).toBe(true);
    expect(row().state_version).toBe(version);
    expect(f.transitions()).toEqual(["unknown", "running"]);
  });

  it("that only counts seconds is told once", () => {
    read("retry 2 of 5 in 9s");
    const before = told().length;
    for (let left = 8; left > 0; left -= 1) read(`retry 2 of 5 in ${left}s`);
    expect(told()).toHaveLength(before);
  });

  it("that came too soon after the last one is told by time alone", () => {
    read("one");
    read("two");
    expect(row().progress).toBe("one");
    f.clock.advance(3_000);
    f.ingest.tick();
    expect(row().progress).toBe("two");
  });

  it("goes with the state that it was read of", () => {
    read("2 background tasks");
    f.hook("Stop");
    expect(row()).toMatchObject({ state: "completed", progress: null });
  });

  it("of an event holds while that event decides, also over a restart", () => {
    f.hook("Stop", { background_tasks: [{ status: "running" }, { status: "pending" }, { status: "done" }] });
    expect(row()).toMatchObject({ reason_code: "background_task", progress: "2 background tasks" });
    f.reopen();
    f.topology([somePane()]);
    f.agent();
    expect(row()).toMatchObject({ reason_code: "background_task", progress: "2 background tasks" });
    f.hook("UserPromptSubmit");
    expect(row().progress).toBeNull();
  });

  it("counts the sub-agents at work, until each ends or the turn does", () => {
    const tell = (event: string, payload: Record<string, unknown> = {}) => {
      f.clock.advance(4_000);
      f.hook(event, payload);
      return row().progress;
    };
    tell("UserPromptSubmit");
    expect(tell("SubagentStart", { agent_id: "a" })).toBe("1 sub-agent");
    expect(tell("PreToolUse", { agent_id: "b", tool_name: "Bash", tool_input: {} })).toBe("2 sub-agents");
    expect(tell("SubagentStop", { agent_id: "a" })).toBe("1 sub-agent");
    expect(tell("Stop")).toBeNull();
    expect(f.ingest.rows(false)).toHaveLength(1);
  });

  it("of the agent's own files is shown where nothing else speaks", () => {
    const runtimeId = row().identity.runtime_id ?? "";
    read(null);
    f.ingest.applyProgress(runtimeId, "ralplan: critic");
    expect(row().progress).toBe("ralplan: critic");
    f.clock.advance(3_000);
    read("retry 1 of 3");
    expect(row().progress).toBe("retry 1 of 3");
    f.clock.advance(3_000);
    read(null);
    f.clock.advance(3_000);
    f.ingest.applyProgress(runtimeId, null);
    expect(row().progress).toBeNull();
  });
});
