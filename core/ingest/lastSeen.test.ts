// When a target, a state and an event were seen, as the lists and the store have it while nothing changes.
import BetterSqlite3 from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";
import { createClaudeAdapter } from "../../adapters/claude/index.ts";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import type { SampledReading } from "../engine/observe.ts";
import { confirmedAt } from "./view.ts";

let made: IngestFixture | null = null;
afterEach(() => made?.store.close());

const IDLE: SampledReading = {
  status: { state: "idle", reasonCode: "fresh" },
  confidence: "high",
  matched: "prompt",
  request: null,
  isSteady: false,
};
const STARTED_AT = 999_000_000;
const seconds = (ms: number): number => Math.floor(ms / 1_000);

/** An agent at its prompt, whose screen was read twice and is still since. */
const atRest = (): IngestFixture => {
  const f = createIngestFixture();
  made = f;
  const look = (): void => f.topology([somePane("%1", { windowActivity: seconds(1_000_000_000) - 10 })]);
  look();
  f.agent("%1", 600, STARTED_AT);
  const runtimeId = [...f.ingest.liveState.liveRuntimes()][0]?.runtime.runtimeId ?? "";
  for (let read = 0; read < 2; read += 1) {
    f.clock.advance(1_000);
    f.ingest.applyReading(runtimeId, "poller", { reading: IDLE, readAt: f.clock.now(), isChanged: false });
  }
  return f;
};
/** As the collector does: it lists, and sees that the process is there. */
const watch = (f: IngestFixture, ms: number, windowActivity = seconds(1_000_000_000) - 10): void => {
  for (let passed = 0; passed < ms; passed += 1_000) {
    f.clock.advance(1_000);
    f.topology([somePane("%1", { windowActivity })]);
    f.agent("%1", 600, STARTED_AT);
    f.ingest.tick();
  }
};
const confirmed = (f: IngestFixture): number => {
  const [entry] = f.ingest.liveState.liveRuntimes();
  const [pane] = f.ingest.liveState.panes();
  if (entry === undefined || pane === undefined) throw new Error("no agent");
  return f.clock.now() - (confirmedAt(entry, pane) ?? 0);
};

describe("a state", () => {
  it("of an agent at rest is confirmed by its process while nothing moves in its window", () => {
    const f = atRest();
    watch(f, 50_000);
    expect(f.state()).toBe("idle/fresh");
    expect(confirmed(f)).toBe(0);
  });

  it("is not, once something moved in the window that nobody has looked at", () => {
    const f = atRest();
    watch(f, 20_000);
    watch(f, 5_000, seconds(f.clock.now()));
    expect(confirmed(f)).toBeGreaterThan(20_000);
  });

  it("is not without the process", () => {
    const f = atRest();
    watch(f, 5_000);
    f.clock.advance(30_000);
    expect(confirmed(f)).toBe(30_000);
  });

  it("of a working agent is confirmed by signs of life only", () => {
    const f = atRest();
    f.hook("UserPromptSubmit", { prompt: "go" });
    watch(f, 20_000);
    expect(f.state()).toBe("running/thinking");
    expect(confirmed(f)).toBe(20_000);
  });

  it("was last seen later than it was updated, in the store too", () => {
    const f = atRest();
    const [before] = f.store.listStates();
    watch(f, 120_000);
    const [after] = f.store.listStates();
    expect(after?.updatedAt).toBe(before?.updatedAt);
    expect(f.clock.now() - (after?.lastSeenAt ?? 0)).toBeLessThan(61_000);
  });
});

it("a target was last seen with its last listing, in the store within a minute", () => {
  const f = atRest();
  watch(f, 120_000);
  const [target] = f.ingest.targets();
  expect(Date.parse(target?.last_seen_at ?? "")).toBe(f.clock.now());
  const [stored] = f.store.listTargets();
  expect(f.clock.now() - (stored?.lastSeenAt ?? 0)).toBeLessThan(61_000);
  f.clock.advance(30_000);
  f.ingest.applyTopology({
    targetId: "host",
    server: "default",
    status: "error",
    mode: "none",
    problem: "it does not answer",
    instance: null,
    panes: [],
  });
  expect(Date.parse(f.ingest.targets()[0]?.last_seen_at ?? "")).toBe(f.clock.now() - 30_000);
});

it("what was seen is in the store once a minute has passed", () => {
  const f = createIngestFixture();
  made = f;
  const lastSeen = () => f.store.listTargets()[0]?.lastSeenAt;
  f.topology([somePane()]);
  const before = lastSeen();
  watch(f, 59_000);
  expect(lastSeen()).toBe(before);
  watch(f, 1_000);
  expect(lastSeen()).toBe(f.clock.now());
});

it("an event keeps the id that its agent gave it", () => {
  const claude = createClaudeAdapter();
  const f = createIngestFixture(undefined, {
    ...claude,
    normalize: (envelope, options) => {
      const event = claude.normalize(envelope, options);
      return { ...event, eventId: `own-${envelope.eventName}` };
    },
  });
  made = f;
  f.topology([somePane()]);
  f.agent("%1", 600, STARTED_AT);
  f.hook("UserPromptSubmit", { prompt: "go" });
  const db = new BetterSqlite3(f.storePath, { readonly: true });
  const ids = db.prepare("SELECT DISTINCT source_event_id FROM events WHERE source = 'hook'").pluck().all();
  db.close();
  expect(ids).toEqual(["own-UserPromptSubmit"]);
});
