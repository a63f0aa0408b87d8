// What a screen at rest shows is read once a minute; its age, its demotion and its dismissal must not begin again with that.
import { afterEach, describe, expect, it } from "vitest";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import { APPROVAL, IDLE } from "../../test/factories/evidence.ts";
import { QUIET_RECHECK_MS } from "../model/config.ts";
import type { Status } from "../model/state.ts";

const ERROR: Status = { state: "error", reasonCode: "api_error" };
const DONE: Status = { state: "completed", reasonCode: "turn_ended" };
const RUNNING: Status = { state: "running", reasonCode: "thinking" };

let f: IngestFixture;
afterEach(() => f.store.close());

const idOf = (): string => f.ingest.rows(false)[0]?.identity.runtime_id ?? "";

/** A read of the screen, with the process verified. */
const read = (status: Status): void => {
  f.agent("%1", 600, f.ingest.liveState.liveRuntimes().next().value?.runtime.processStartedAt ?? 0);
  f.ingest.applyReading(idOf(), "poller", {
    reading: { status, confidence: "medium", matched: "x", request: null, isSteady: false },
    readAt: f.clock.now(),
    isChanged: false,
  });
};
const readAfter = (ms: number, status: Status): void => {
  f.clock.advance(ms);
  read(status);
};
const opened = (...shown: readonly Status[]): void => {
  f = createIngestFixture();
  f.topology([somePane()]);
  f.agent();
  for (const status of shown) {
    readAfter(1_000, status);
    readAfter(1_000, status);
  }
};

describe("a screen at rest", () => {
  it("keeps its age over the rereads of a quiet hour", () => {
    opened(IDLE);
    const since = f.ingest.rows(false)[0]?.since;
    for (let minute = 0; minute < 60; minute += 1) readAfter(QUIET_RECHECK_MS + 500, IDLE);
    expect(f.ingest.rows(false)[0]?.since).toBe(since);
  });

  it("keeps an error dismissed until another turn fails", () => {
    opened(ERROR);
    expect(f.ingest.dismiss(idOf())).toBe(true);
    for (let minute = 0; minute < 5; minute += 1) {
      readAfter(QUIET_RECHECK_MS + 500, ERROR);
      expect(f.state()).toMatch(/^idle/);
    }
    for (const status of [RUNNING, RUNNING, ERROR, ERROR]) readAfter(1_000, status);
    expect(f.state()).toBe("error/api_error");
  });

  it("shows a finished turn for its two minutes", () => {
    opened(RUNNING, DONE);
    readAfter(QUIET_RECHECK_MS + 500, DONE);
    expect(f.state()).toBe("completed/turn_ended");
    readAfter(QUIET_RECHECK_MS + 500, DONE);
    expect(f.state()).toBe("idle/demoted");
  });
});

it("a dialog that nobody saw for a minute counts from when it was seen again", () => {
  opened(APPROVAL);
  const before = f.ingest.rows(false)[0]?.since;
  readAfter(QUIET_RECHECK_MS + 500, APPROVAL);
  expect(f.ingest.rows(false)[0]?.since).not.toBe(before);
});
