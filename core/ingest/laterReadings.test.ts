// Whatever an event said, the screen that goes on showing something else has the last word, also where its picture began
// before the event.
import { afterEach, describe, expect, it } from "vitest";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import type { SampledReading } from "../engine/observe.ts";

let made: IngestFixture | null = null;
const agent = (): IngestFixture => {
  const f = createIngestFixture();
  made = f;
  f.topology([somePane()]);
  f.agent();
  f.hook("SessionStart", { source: "startup" });
  f.hook("UserPromptSubmit", { prompt: "go" });
  return f;
};
afterEach(() => {
  made?.store.close();
  made = null;
});

const WORKS: SampledReading = {
  status: { state: "running", reasonCode: "thinking" },
  confidence: "high",
  matched: "esc to interrupt",
  request: null,
  isSteady: false,
};

/** The screen as it is read after so many ms. */
const lookAfter = (f: IngestFixture, ms: number, reading: SampledReading): string => {
  f.clock.advance(ms);
  const [row] = f.ingest.rows(true);
  const readAt = f.clock.now();
  f.ingest.applyReading(row?.identity.runtime_id ?? "", "poller", { reading, readAt, isChanged: true });
  return f.state();
};

describe("a queued prompt, whose event came before the end of the turn before it", () => {
  it("is running again once the screen goes on working after that end", () => {
    const f = agent();
    for (let looks = 0; looks < 4; looks += 1) lookAfter(f, 500, WORKS);
    f.hook("UserPromptSubmit", { prompt: "and then" });
    for (let looks = 0; looks < 4; looks += 1) lookAfter(f, 500, WORKS);
    f.hook("Stop", {});
    expect(f.state()).toBe("completed/turn_ended");
    // The first looks may have met the screen of the turn that has just ended.
    expect(lookAfter(f, 500, WORKS)).toBe("completed/turn_ended");
    lookAfter(f, 500, WORKS);
    expect(lookAfter(f, 500, WORKS)).toBe("running/thinking");
    expect(lookAfter(f, 500, WORKS)).toBe("running/thinking");
    f.hook("Stop", {});
    expect(f.state()).toBe("completed/turn_ended");
  });

  it("is never unknown in between, whenever the looks fall", () => {
    for (const first of [50, 220, 400, 700, 990]) {
      const f = agent();
      for (let looks = 0; looks < 4; looks += 1) lookAfter(f, 500, WORKS);
      f.hook("UserPromptSubmit", { prompt: "and then" });
      lookAfter(f, 500, WORKS);
      f.hook("Stop", {});
      const shown = [lookAfter(f, first, WORKS), lookAfter(f, 1_000, WORKS), lookAfter(f, 1_000, WORKS)];
      expect(shown, `first look after ${first} ms`).toEqual([
        "completed/turn_ended",
        "running/thinking",
        "running/thinking",
      ]);
      f.store.close();
      made = null;
    }
  });
});

it("says what the screen shows since before an event that came late, once it has shown it long enough", () => {
  const f = agent();
  const TRIES_AGAIN: SampledReading = {
    ...WORKS,
    status: { state: "running", reasonCode: "retrying" },
    matched: "Retrying (2/3)",
  };
  lookAfter(f, 500, WORKS);
  lookAfter(f, 500, TRIES_AGAIN);
  f.clock.advance(100);
  f.hook("UserPromptSubmit", { prompt: "go", prompt_id: "the same turn" });
  expect(f.state()).toBe("running/thinking");
  for (let looks = 0; looks < 3; looks += 1) lookAfter(f, 500, TRIES_AGAIN);
  expect(f.state()).toBe("running/retrying");
});
