// A store that cannot be written for a while, and one that lost its history, as ingest gets through it.
import { expect, it } from "vitest";
import { createIngestFixture, somePane, type IngestFixture } from "../../test/factories/ingest.ts";
import { HOST_TARGET } from "../model/runtime.ts";

const fullDisk = (): Error => Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });

const STARTED_AT = 1_000;
/** What the collector does when memory was rebuilt. */
const resync = (scene: IngestFixture): void => {
  scene.topology([somePane("%1")]);
  scene.agent("%1", 600, STARTED_AT);
  scene.ingest.resynced();
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
  const scene = open();
  expect([scene.state(), scene.health()]).toEqual(["running/thinking", OK]);
  scene.fill();
  expect(() => scene.hook("Stop")).toThrow(/full/);
  expect([scene.state(), scene.health()]).toEqual([
    "running/thinking",
    "degraded: nothing can be stored: the disk is full",
  ]);
  scene.clock.advance(6_000);
  expect(() => scene.ingest.tick()).toThrow(/full/);
  expect(scene.state()).toBe("unknown/stale_signal");
  expect(scene.changes.filter(({ kind }) => kind === "reset")).toHaveLength(1);
});

it("is tried about once a second, not with everything that happens", () => {
  const scene = open();
  let tried = 0;
  scene.store.transaction = () => {
    tried += 1;
    throw fullDisk();
  };
  for (let index = 0; index < 50; index += 1) expect(() => scene.hook("Stop")).toThrow(/full/);
  expect(tried).toBe(1);
  scene.clock.advance(1_000);
  expect(() => scene.hook("Stop")).toThrow(/full/);
  expect(tried).toBe(2);
});

it("goes on by itself once there is room, and claims states when everything was looked at", () => {
  const scene = open();
  let asked = 0;
  scene.ingest.onRebuilt(() => (asked += 1));
  const makeRoom = scene.fill();
  expect(() => scene.hook("Stop")).toThrow(/full/);
  scene.clock.advance(10_000);
  makeRoom();
  scene.ingest.tick();
  expect([asked, scene.state()]).toEqual([1, "unknown/stale_signal"]);
  resync(scene);
  expect([scene.state(), scene.health()]).toEqual(["running/thinking", OK]);
  scene.hook("Stop");
  expect(scene.state()).toBe("completed/turn_ended");
});

it("what is seen while nothing can be stored is no reason to claim states again", () => {
  const scene = open();
  scene.ingest.onRebuilt(() => {});
  const makeRoom = scene.fill();
  expect(() => scene.hook("Stop")).toThrow(/full/);
  scene.clock.advance(2_000);
  makeRoom();
  scene.ingest.tick();
  scene.fill();
  expect(() => scene.hook("Stop")).toThrow(/full/);
  scene.ingest.resynced();
  expect(scene.state()).toBe("unknown/stale_signal");
});

it("what fails again right after something small could be stored was unavailable all the time", () => {
  const scene = open();
  const makeRoom = scene.fill();
  expect(() => scene.hook("Stop")).toThrow(/full/);
  scene.clock.advance(6_000);
  makeRoom();
  scene.ingest.tick();
  resync(scene);
  expect(scene.state()).toBe("running/thinking");
  const makeRoomAgain = scene.fill();
  scene.clock.advance(1_000);
  expect(() => scene.hook("Stop")).toThrow(/full/);
  expect(scene.state()).toBe("unknown/stale_signal");
  makeRoomAgain();
  scene.clock.advance(1_000);
  scene.ingest.tick();
  resync(scene);
  scene.clock.advance(11_000);
  scene.hook("PreToolUse");
  scene.fill();
  expect(() => scene.hook("Stop")).toThrow(/full/);
  expect(scene.state()).not.toMatch(/unknown/);
});

it("events that wait for their agent do not run out of time while nothing can be stored", () => {
  const scene = open();
  scene.topology([somePane("%1"), somePane("%2")]);
  scene.hook("UserPromptSubmit", { session_id: "s2" }, { paneId: "%2" });
  expect(scene.store.listPending()).toHaveLength(1);
  const makeRoom = scene.fill();
  scene.clock.advance(60_000);
  expect(() => scene.ingest.tick()).toThrow(/full/);
  scene.clock.advance(1_000);
  makeRoom();
  scene.ingest.tick();
  scene.ingest.tick();
  expect(scene.store.listPending()).toHaveLength(1);
  scene.clock.advance(30_001);
  scene.ingest.tick();
  expect(scene.store.listPending()).toEqual([]);
});

it("health that changes meanwhile is known and stored later", () => {
  const scene = open();
  const makeRoom = scene.fill();
  expect(() => scene.ingest.setHealth(HOST_TARGET, "down", "no tmux")).toThrow(/full/);
  expect(scene.health()).toBe("down: no tmux");
  makeRoom();
  scene.clock.advance(2_000);
  scene.ingest.tick();
  expect(scene.store.listTargets()).toMatchObject([{ health: "down" }]);
});

it("states can be hidden until events that waited are read", () => {
  const scene = open();
  scene.ingest.markStale("events are still being read");
  expect([scene.state(), scene.health()]).toEqual([
    "unknown/stale_signal",
    "degraded: events are still being read",
  ]);
  scene.ingest.resynced();
  expect([scene.state(), scene.health()]).toEqual(["running/thinking", OK]);
});

it("after the loss of the history the same processes go on, their states unknown, their versions higher", () => {
  const scene = open();
  const [before] = scene.ingest.rows(false);
  const fresh = createIngestFixture();
  // As a store that replaced its file: everything asked of it is answered by the new one.
  fresh.store.noteLoss({ at: scene.clock.now(), version: 1_000 });
  Object.assign(scene.store, fresh.store);
  scene.ingest.afterLoss();
  expect(scene.state()).toBe("unknown/no_signal");
  expect(scene.health()).toMatch(/degraded: the database was damaged: the history before .* is lost/);
  resync(scene);
  scene.hook("UserPromptSubmit");
  const [after] = scene.ingest.rows(false);
  expect(after?.identity.runtime_id).toBe(before?.identity.runtime_id);
  expect(after?.state).toBe("running");
  expect(after?.state_version).toBeGreaterThan(1_000);
  scene.clock.advance(3_600_001);
  scene.ingest.tick();
  expect(scene.health()).toBe(OK);
});
