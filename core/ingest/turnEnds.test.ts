import { afterEach, describe, expect, it } from "vitest";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import { APPROVAL, COMPLETED, IDLE, RUNNING, API_ERROR } from "../../test/factories/evidence.ts";
import { DEFAULT_TIMING } from "../model/config.ts";
import type { PromptRequest } from "../model/request.ts";
import type { Status } from "../model/state.ts";

const open: IngestFixture[] = [];
afterEach(() => {
  for (const made of open.splice(0)) made.store.close();
});

const row = (f: IngestFixture) => f.ingest.rows(false)[0];
const unread = (f: IngestFixture): string | null | undefined => row(f)?.unread_since;
const runtimeId = (f: IngestFixture): string => row(f)?.identity.runtime_id ?? "";
const isoOf = (at: number): string => new Date(at).toISOString();

const alive = (f: IngestFixture): void =>
  f.agent("%1", 600, f.ingest.liveState.liveRuntimes().next().value?.runtime.processStartedAt ?? 0);
const pass = (f: IngestFixture, seconds: number): void => {
  for (let second = 0; second < seconds; second += 1) {
    f.clock.advance(1_000);
    if ([...f.ingest.liveState.liveRuntimes()].length > 0) alive(f);
    f.ingest.tick();
  }
};
const read = (f: IngestFixture, status: Status, request: PromptRequest | null = null): void => {
  f.ingest.applyReading(runtimeId(f), "poller", {
    reading: { status, confidence: "high", matched: "x", request, isSteady: false },
    readAt: f.clock.now(),
    isChanged: false,
  });
};
/** As a daemon that starts again: the first listing verifies the process, then the screen is read. */
const restart = (f: IngestFixture, awayMs = 5_000): void => {
  f.clock.advance(awayMs);
  f.reopen();
  f.topology([somePane()]);
  alive(f);
};

const started = (): IngestFixture => {
  const f = createIngestFixture();
  open.push(f);
  f.topology([somePane()]);
  f.agent();
  return f;
};
const working = (): IngestFixture => {
  const f = started();
  f.hook("SessionStart", { source: "startup" });
  f.clock.advance(1_000);
  f.hook("UserPromptSubmit", { prompt: "go" });
  f.clock.advance(4_000);
  return f;
};
/** Gives the time at which its turn ended. */
const finish = (f: IngestFixture): number => {
  f.hook("Stop", { background_tasks: [] });
  return f.clock.now();
};
const crash = (f: IngestFixture): number => {
  f.noAgent();
  return f.clock.now();
};

describe("a finished turn", () => {
  it("is unread from its end until somebody has looked, whatever becomes of the state", () => {
    const f = working();
    expect(unread(f)).toBeNull();
    const at = finish(f);
    expect([f.state(), unread(f)]).toEqual(["completed/turn_ended", isoOf(at)]);
    pass(f, 130);
    expect([f.state(), unread(f)]).toEqual(["idle/demoted", isoOf(at)]);
    const version = row(f)?.state_version;
    expect(f.ingest.markSeen(runtimeId(f), f.clock.now())).toBe(true);
    expect([f.state(), unread(f), row(f)?.state_version]).toEqual(["idle/demoted", null, version]);
    expect(f.changes.at(-1)).toMatchObject({
      kind: "pane",
      isTransition: false,
      pane: { unread_since: null },
    });
    expect(f.ingest.markSeen(runtimeId(f), f.clock.now())).toBe(false);
  });

  it("stays unread for somebody who looked at an earlier end", () => {
    const f = working();
    const first = finish(f);
    f.clock.advance(3_000);
    f.hook("UserPromptSubmit", { prompt: "more" });
    f.clock.advance(3_000);
    alive(f);
    const second = finish(f);
    expect(f.ingest.markSeen(runtimeId(f), first)).toBe(false);
    expect(unread(f)).toBe(isoOf(second));
    expect(f.ingest.markSeen(runtimeId(f), second)).toBe(true);
    expect(unread(f)).toBeNull();
  });

  it("that nobody saw run makes unread what was read, though the state is the same", () => {
    const f = working();
    finish(f);
    f.ingest.markSeen(runtimeId(f), f.clock.now());
    f.clock.advance(5_000);
    const again = finish(f);
    expect([f.state(), unread(f)]).toEqual(["completed/turn_ended", isoOf(again)]);
  });

  it("is read by whoever asks for the next turn, and by nobody who clears it away as idle", () => {
    const f = working();
    finish(f);
    f.clock.advance(1_000);
    f.hook("UserPromptSubmit", { prompt: "more" });
    expect(unread(f)).toBeNull();
  });

  it("is not there where an agent rests at its prompt from the beginning, was interrupted or failed", () => {
    const resting = started();
    read(resting, COMPLETED);
    const stopped = started();
    read(stopped, RUNNING);
    stopped.clock.advance(1_000);
    read(stopped, { state: "idle", reasonCode: "interrupted" });
    const failed = working();
    failed.hook("StopFailure", { error: "server_error" });
    expect([resting, stopped, failed].map((f) => [f.state(), unread(f)])).toEqual([
      ["idle/demoted", null],
      ["idle/interrupted", null],
      ["error/api_error", null],
    ]);
  });

  it("is unread where its target was away meanwhile, and stays read over an outage", () => {
    const f = started();
    read(f, RUNNING);
    f.clock.advance(1_000);
    f.ingest.setHealth("host", "down", "gone");
    expect(f.state()).toBe("unknown/target_unreachable");
    f.clock.advance(100_000);
    f.ingest.setHealth("host", "ok", null);
    alive(f);
    read(f, COMPLETED);
    expect(f.state()).toBe("idle/demoted");
    expect(unread(f)).not.toBeNull();
    f.ingest.markSeen(runtimeId(f), f.clock.now());
    f.ingest.setHealth("host", "down", "gone");
    f.clock.advance(200_000);
    f.ingest.setHealth("host", "ok", null);
    alive(f);
    read(f, COMPLETED);
    expect([f.state(), unread(f)]).toEqual(["idle/demoted", null]);
  });
});

describe("over a restart", () => {
  it("unread stays unread and read stays read", () => {
    const f = working();
    const at = finish(f);
    restart(f);
    read(f, COMPLETED);
    expect(unread(f)).toBe(isoOf(at));
    pass(f, 130);
    restart(f);
    expect([f.state(), unread(f)]).toEqual(["idle/demoted", isoOf(at)]);
    f.ingest.markSeen(runtimeId(f), f.clock.now());
    restart(f);
    read(f, COMPLETED);
    expect([f.state(), unread(f)]).toEqual(["idle/demoted", null]);
  });

  it("a turn that ended while no daemon ran is unread", () => {
    const f = started();
    read(f, RUNNING);
    restart(f, 500_000);
    read(f, COMPLETED);
    expect(f.state()).toBe("idle/demoted");
    expect(unread(f)).not.toBeNull();
    const g = working();
    g.clock.advance(500_000);
    const stop = g.clock.now() - 300_000;
    restart(g, 1);
    g.hook("Stop", { background_tasks: [] }, { eventTime: stop });
    expect([g.state(), unread(g)]).toEqual(["idle/demoted", isoOf(stop)]);
  });

  it("the age of a turn stays, also where nothing was known of it when the daemon ended", () => {
    const f = working();
    const began = row(f)?.activity?.turn_began_at ?? null;
    expect(began).toBe(isoOf(f.clock.now() - 4_000));
    f.ingest.setHealth("host", "down", "gone");
    expect(f.state()).toMatch(/^unknown/);
    restart(f);
    f.ingest.setHealth("host", "ok", null);
    alive(f);
    read(f, RUNNING);
    expect([f.state(), row(f)?.activity?.turn_began_at]).toEqual(["running/thinking", began]);
  });

  const REQUEST: PromptRequest = {
    kind: "command",
    title: "Bash command",
    body: "make",
    toolName: null,
    options: [{ label: "Yes", keys: ["1"] }],
    expiresAt: null,
  };
  it.each([5_000, 700_000])("the age of a wait that only the screen tells stays, after %s ms", (awayMs) => {
    const f = started();
    read(f, APPROVAL, REQUEST);
    const since = row(f)?.since;
    for (let passed = 0; passed < awayMs; passed += 2_500) {
      f.clock.advance(2_500);
      read(f, APPROVAL, REQUEST);
    }
    restart(f, awayMs);
    read(f, APPROVAL, REQUEST);
    f.clock.advance(600);
    read(f, APPROVAL, REQUEST);
    expect([f.state(), row(f)?.since]).toEqual(["waiting_approval/permission_tool", since]);
    f.clock.advance(600);
    read(f, APPROVAL, { ...REQUEST, body: "make install" });
    expect(row(f)?.since).toBe(isoOf(f.clock.now()));
  });

  it("an error that was dismissed stays dismissed while its screen is the same", () => {
    const f = started();
    read(f, API_ERROR);
    expect(f.ingest.dismiss(runtimeId(f))).toBe(true);
    expect(f.state()).toBe("idle/demoted");
    restart(f, 300_000);
    read(f, API_ERROR);
    expect(f.state()).toBe("idle/demoted");
    f.clock.advance(1_000);
    read(f, IDLE);
    f.clock.advance(1_000);
    read(f, API_ERROR);
    expect(f.state()).toBe("error/api_error");
  });
});

describe("a crashed row", () => {
  it("is unread, stays while its pane is there, and leaves the list once it was looked at and its pane is gone", () => {
    const f = working();
    const at = crash(f);
    expect([row(f)?.reason_code, unread(f)]).toEqual(["crashed", isoOf(at)]);
    expect(f.ingest.markSeen(runtimeId(f), f.clock.now())).toBe(true);
    pass(f, 2);
    expect([row(f)?.reason_code, unread(f)]).toEqual(["crashed", null]);
    f.topology([]);
    pass(f, 1);
    expect(f.ingest.rows(false)).toEqual([]);
    expect(f.store.listStates()).toEqual([]);
  });

  it("that nobody looked at stays for just as long as is set", () => {
    const f = working();
    crash(f);
    f.clock.advance(DEFAULT_TIMING.crashed_visible_ms);
    f.ingest.tick();
    expect(row(f)?.reason_code).toBe("crashed");
    f.clock.advance(1);
    f.ingest.tick();
    expect(row(f)).toBeUndefined();
  });

  it("whose pane is gone stays until somebody has looked, and then a minute longer", () => {
    const f = working();
    const at = crash(f);
    f.topology([]);
    pass(f, 300);
    expect(unread(f)).toBe(isoOf(at));
    f.ingest.markSeen(runtimeId(f), f.clock.now());
    pass(f, 58);
    expect(f.ingest.rows(false)).toHaveLength(1);
    pass(f, 4);
    expect(f.ingest.rows(false)).toEqual([]);
  });

  it("whose pane is gone stays over a restart, unread or not", () => {
    const f = working();
    const at = crash(f);
    f.topology([]);
    const before = row(f);
    f.reopen();
    f.topology([]);
    expect(row(f)).toEqual(before);
    expect(unread(f)).toBe(isoOf(at));
    f.ingest.markSeen(runtimeId(f), f.clock.now());
    f.reopen();
    f.topology([]);
    expect([f.ingest.rows(false).length, unread(f)]).toEqual([1, null]);
    pass(f, 1);
    expect(f.ingest.rows(false)).toEqual([]);
  });
});
