// When the next look must come soon, because the last ones said different things or because something short may follow.
import { afterEach, describe, expect, it } from "vitest";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import type { SampledReading } from "../engine/observe.ts";
import type { ReadingSource } from "./sampledReadings.ts";

let made: IngestFixture | null = null;
/** An agent that sends no events. */
const agent = (): IngestFixture => {
  const f = createIngestFixture();
  made = f;
  f.topology([somePane()]);
  f.agent();
  return f;
};
afterEach(() => made?.store.close());

const showing = (status: SampledReading["status"], request: SampledReading["request"] = null) => ({
  status,
  confidence: "high" as const,
  matched: status.reasonCode,
  request,
  isSteady: false,
});
const WORKS = showing({ state: "running", reasonCode: "thinking" });
const DONE = showing({ state: "completed", reasonCode: "turn_ended" });
const ASKS = showing(
  { state: "waiting_approval", reasonCode: "permission_tool" },
  {
    kind: "command",
    title: "Run it?",
    body: "ls",
    toolName: null,
    options: [],
    expiresAt: null,
    isWhole: true,
  },
);

/** What the source showed after so many ms, and how closely the agent is watched from then on. */
const after = (f: IngestFixture, ms: number, source: ReadingSource, reading: SampledReading) => {
  f.clock.advance(ms);
  const [row] = f.ingest.rows(true);
  f.ingest.applyReading(row?.identity.runtime_id ?? "", source, {
    reading,
    readAt: f.clock.now(),
    isChanged: true,
  });
  return f.ingest.watchedRuntimes("host")[0]?.attention;
};

describe("an agent is watched closely", () => {
  it("for two seconds after its dialog has left: what follows may be short", () => {
    const f = agent();
    expect(after(f, 0, "poller", ASKS)).toBe("waiting");
    expect(after(f, 500, "poller", WORKS)).toBe("close");
    expect(after(f, 1_900, "poller", WORKS)).toBe("close");
    expect(after(f, 200, "poller", WORKS)).toBe("active");
  });

  it("while its screen still works and its own file says that the turn is over, for three seconds", () => {
    const f = agent();
    after(f, 0, "poller", WORKS);
    expect(after(f, 0, "transcript", WORKS)).toBe("active");
    after(f, 1_000, "transcript", DONE);
    expect(after(f, 0, "poller", WORKS)).toBe("close");
    expect(after(f, 2_999, "poller", WORKS)).toBe("close");
    expect(after(f, 1, "poller", WORKS)).toBe("active");
  });

  it("and not where both say the same", () => {
    const f = agent();
    after(f, 0, "poller", WORKS);
    after(f, 0, "transcript", WORKS);
    after(f, 1_000, "transcript", DONE);
    expect(after(f, 0, "poller", DONE)).toBe("quiet");
  });
});

it("a screen is looked at again at once until two looks have shown the same", () => {
  const f = agent();
  const isUnsustained = () => f.ingest.watchedRuntimes("host")[0]?.isUnsustained;
  after(f, 0, "poller", WORKS);
  expect(isUnsustained()).toBe(true);
  after(f, 500, "poller", WORKS);
  expect(isUnsustained()).toBe(false);
});
