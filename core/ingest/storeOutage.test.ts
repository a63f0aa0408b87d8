// A store that cannot be written for a while, and one that lost its history, as ingest gets through it.
import { expect, it } from "vitest";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import { HOST_TARGET } from "../model/runtime.ts";

const fullDisk = (): Error => Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });

const STARTED_AT = 1_000;
/** What the collector does when memory was rebuilt. */
const resync = (fixture: IngestFixture): void => {
  fixture.topology([somePane("%1")]);
  fixture.agent("%1", 600, STARTED_AT);
  fixture.ingest.resynced();
};

/** `fill` makes every transaction fail as a full disk does; the returned function makes room again. */
const open = (): IngestFixture & { fill(): () => void; health(): string } => {
  const fixture = createIngestFixture();
  fixture.topology([somePane("%1")]);
  fixture.agent("%1", 600, STARTED_AT);
  fixture.hook("UserPromptSubmit");
  const sound = { ...fixture.store };
  return {
    ...fixture,
    fill: () => {
      fixture.store.transaction = () => {
        throw fullDisk();
      };
      return () => {
        Object.assign(fixture.store, sound);
      };
    },
    health: () => {
      const [target] = fixture.ingest.targets();
      return `${target?.health}: ${target?.health_reason}`;
    },
  };
};
const OK = "ok: null";

it("a full disk is said at once, and after a while no state is claimed any more", () => {
  const fixture = open();
  expect([fixture.state(), fixture.health()]).toEqual(["running/thinking", OK]);
  fixture.fill();
  expect(() => fixture.hook("Stop")).toThrow(/full/);
  expect([fixture.state(), fixture.health()]).toEqual([
    "running/thinking",
    "degraded: nothing can be stored: the disk is full",
  ]);
  fixture.clock.advance(6_000);
  expect(() => fixture.ingest.tick()).toThrow(/full/);
  expect(fixture.state()).toBe("unknown/stale_signal");
  expect(fixture.changes.filter(({ kind }) => kind === "reset")).toHaveLength(1);
});

it("is tried about once a second, not with everything that happens", () => {
  const fixture = open();
  let tried = 0;
  fixture.store.transaction = () => {
    tried += 1;
    throw fullDisk();
  };
  for (let index = 0; index < 50; index += 1) expect(() => fixture.hook("Stop")).toThrow(/full/);
  expect(tried).toBe(1);
  fixture.clock.advance(1_000);
  expect(() => fixture.hook("Stop")).toThrow(/full/);
  expect(tried).toBe(2);
});

it("goes on by itself once there is room, and claims states when everything was looked at", () => {
  const fixture = open();
  let asked = 0;
  fixture.ingest.onRebuilt(() => (asked += 1));
  const free = fixture.fill();
  expect(() => fixture.hook("Stop")).toThrow(/full/);
  fixture.clock.advance(10_000);
  free();
  fixture.ingest.tick();
  expect([asked, fixture.state()]).toEqual([1, "unknown/stale_signal"]);
  resync(fixture);
  expect([fixture.state(), fixture.health()]).toEqual(["running/thinking", OK]);
  fixture.hook("Stop");
  expect(fixture.state()).toBe("completed/turn_ended");
});

it("what is seen while nothing can be stored is no reason to claim states again", () => {
  const fixture = open();
  fixture.ingest.onRebuilt(() => {});
  const free = fixture.fill();
  expect(() => fixture.hook("Stop")).toThrow(/full/);
  fixture.clock.advance(2_000);
  free();
  fixture.ingest.tick();
  fixture.fill();
  expect(() => fixture.hook("Stop")).toThrow(/full/);
  fixture.ingest.resynced();
  expect(fixture.state()).toBe("unknown/stale_signal");
});

it("what fails again right after something small could be stored was unavailable all the time", () => {
  const fixture = open();
  const free = fixture.fill();
  expect(() => fixture.hook("Stop")).toThrow(/full/);
  fixture.clock.advance(6_000);
  free();
  fixture.ingest.tick();
  resync(fixture);
  expect(fixture.state()).toBe("running/thinking");
  const freeAgain = fixture.fill();
  fixture.clock.advance(1_000);
  expect(() => fixture.hook("Stop")).toThrow(/full/);
  expect(fixture.state()).toBe("unknown/stale_signal");
  freeAgain();
  fixture.clock.advance(1_000);
  fixture.ingest.tick();
  resync(fixture);
  fixture.clock.advance(11_000);
  fixture.hook("PreToolUse");
  fixture.fill();
  expect(() => fixture.hook("Stop")).toThrow(/full/);
  expect(fixture.state()).not.toMatch(/unknown/);
});

it("events that wait for their agent do not run out of time while nothing can be stored", () => {
  const fixture = open();
  fixture.topology([somePane("%1"), somePane("%2")]);
  fixture.hook("UserPromptSubmit", { session_id: "s2" }, { paneId: "%2" });
  expect(fixture.store.listPending()).toHaveLength(1);
  const free = fixture.fill();
  fixture.clock.advance(60_000);
  expect(() => fixture.ingest.tick()).toThrow(/full/);
  fixture.clock.advance(1_000);
  free();
  fixture.ingest.tick();
  fixture.ingest.tick();
  expect(fixture.store.listPending()).toHaveLength(1);
  fixture.clock.advance(30_001);
  fixture.ingest.tick();
  expect(fixture.store.listPending()).toEqual([]);
});

it("health that changes meanwhile is known and stored later", () => {
  const fixture = open();
  const free = fixture.fill();
  expect(() => fixture.ingest.setHealth(HOST_TARGET, "down", "no tmux")).toThrow(/full/);
  expect(fixture.health()).toBe("down: no tmux");
  free();
  fixture.clock.advance(2_000);
  fixture.ingest.tick();
  expect(fixture.store.listTargets()).toMatchObject([{ health: "down" }]);
});

it("states can be hidden until events that waited are read", () => {
  const fixture = open();
  fixture.ingest.markStale("events are still being read");
  expect([fixture.state(), fixture.health()]).toEqual([
    "unknown/stale_signal",
    "degraded: events are still being read",
  ]);
  fixture.ingest.resynced();
  expect([fixture.state(), fixture.health()]).toEqual(["running/thinking", OK]);
});

it("after the loss of the history the same processes go on, their states unknown, their versions higher", () => {
  const fixture = open();
  const [before] = fixture.ingest.rows(false);
  const fresh = createIngestFixture();
  // As a store that replaced its file: everything asked of it is answered by the new one.
  fresh.store.noteLoss({ at: fixture.clock.now(), version: 1_000 });
  Object.assign(fixture.store, fresh.store);
  fixture.ingest.afterLoss();
  expect(fixture.state()).toBe("unknown/no_signal");
  expect(fixture.health()).toMatch(/degraded: the database was damaged: the history before .* is lost/);
  resync(fixture);
  fixture.hook("UserPromptSubmit");
  const [after] = fixture.ingest.rows(false);
  expect(after?.identity.runtime_id).toBe(before?.identity.runtime_id);
  expect(after?.state).toBe("running");
  expect(after?.state_version).toBeGreaterThan(1_000);
  fixture.clock.advance(3_600_001);
  fixture.ingest.tick();
  expect(fixture.health()).toBe(OK);
});
