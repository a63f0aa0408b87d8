// What a transaction and a savepoint keep, and what they undo.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { beforeEach, describe, expect, test } from "vitest";
import { SILENT_LOGGER } from "../ports/logger.ts";
import type { Store } from "../ports/store.ts";
import { openStore } from "./openStore.ts";
import { listEvidence } from "./testkit/listEvidence.ts";
import { sampleEvidence, sampleRuntime, sampleState } from "./testkit/samples.ts";
import { useStore } from "./testkit/useStore.ts";

let store: Store;
const { file, reopen } = useStore(
  (path) => openStore({ path, logger: SILENT_LOGGER }),
  (opened) => (store = opened),
);

const insert = (id: string): void => {
  store.insertEvent(sampleEvidence({ eventId: id, dedupeKey: id }), null);
};
const stored = (): string[] => listEvidence(store, "r1").map(({ evidence }) => evidence.eventId);
const fail = (): never => {
  throw new Error("bad event");
};

describe("transactions", () => {
  beforeEach(() => store.insertRuntime(sampleRuntime()));

  test("a throw undoes everything and comes through", () => {
    expect(() =>
      store.transaction(() => {
        insert("a");
        fail();
      }),
    ).toThrow("bad event");
    expect(stored()).toEqual([]);
    expect(store.lastIngestedAt()).toBe(0);
  });

  test("a failing savepoint undoes its own part and leaves the rest", () => {
    const result = store.transaction(() => {
      store.savepoint(() => insert("a"));
      expect(() =>
        store.savepoint(() => {
          insert("b");
          store.savepoint(() => insert("c"));
          fail();
        }),
      ).toThrow("bad event");
      expect(() => store.savepoint(() => insert("a2"))).not.toThrow();
      return "done";
    });
    expect(result).toBe("done");
    reopen();
    expect(stored()).toEqual(["a", "a2"]);
  });

  test("a database error inside a savepoint leaves the rest too", () => {
    store.transaction(() => {
      store.savepoint(() => insert("a"));
      expect(() =>
        store.savepoint(() => store.insertEvent(sampleEvidence({ runtimeId: "nobody", eventId: "x" }), null)),
      ).toThrow(/FOREIGN KEY/);
      store.savepoint(() => insert("b"));
    });
    expect(stored()).toEqual(["a", "b"]);
  });

  test("states, cursors and the mark of a batch are there after it, those of a failed savepoint are not", () => {
    store.transaction(() => {
      store.savepoint(() => {
        insert("a");
        store.putState(sampleState({ stateVersion: 1 }));
        store.putState(sampleState({ stateVersion: 2 }));
      });
      expect(() =>
        store.savepoint(() => {
          insert("b");
          store.putState(sampleState({ stateVersion: 3 }));
          fail();
        }),
      ).toThrow("bad event");
    });
    reopen();
    expect(store.listStates()).toEqual([sampleState({ stateVersion: 2 })]);
    store.transaction(() => {
      store.putState(sampleState({ stateVersion: 4 }));
      expect(store.listStates()).toEqual([sampleState({ stateVersion: 4 })]);
      store.deleteState("r1");
    });
    expect(store.listStates()).toEqual([]);
  });

  test("the time a state was last seen at holds for one that was put in the same transaction", () => {
    store.transaction(() => {
      store.putState(sampleState({ lastSeenAt: 1 }));
      store.seeStates([{ runtimeId: "r1", lastSeenAt: 9 }]);
    });
    expect(store.listStates()).toEqual([sampleState({ lastSeenAt: 9 })]);
  });

  test("misuse is refused: nesting, a savepoint outside, asynchronous work", () => {
    expect(() => store.savepoint(() => insert("a"))).toThrow(/outside of a transaction/);
    expect(() => store.transaction(() => store.transaction(() => insert("a")))).toThrow(/already in one/);
    expect(() => store.transaction(async () => insert("a"))).toThrow(/promise/);
    expect(stored()).toEqual([]);
  });
});

test("what was committed survives SIGKILL", async () => {
  store.insertRuntime(sampleRuntime());
  store.close();
  const script = `
    import { openStore } from ${JSON.stringify(new URL("openStore.ts", import.meta.url).href)};
    import { sampleEvidence } from ${JSON.stringify(new URL("testkit/samples.ts", import.meta.url).href)};
    import { SILENT_LOGGER } from ${JSON.stringify(new URL("../ports/logger.ts", import.meta.url).href)};
    import { writeSync } from "node:fs";
    const store = openStore({ path: process.argv[1], logger: SILENT_LOGGER });
    for (let batch = 0; ; batch += 1) {
      store.transaction(() => {
        for (const n of [0, 1, 2]) {
          const id = batch + "-" + n;
          store.insertEvent(sampleEvidence({ eventId: id, dedupeKey: id }), { text: "x".repeat(500) });
        }
      });
      writeSync(1, batch + "\\n");
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, file()], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once("exit", (_code, signal) => resolve(signal));
  });
  let lastReported = -1;
  // Reads on to the end, so that every batch reported before the kill counts.
  for await (const line of createInterface({ input: child.stdout })) {
    lastReported = Number(line);
    if (lastReported === 200) child.kill("SIGKILL");
  }
  expect(await exited).toBe("SIGKILL");
  reopen();
  const ids = listEvidence(store, "r1").map(({ evidence }) => evidence.eventId);
  const expected = Array.from({ length: lastReported + 1 }, (_, batch) =>
    [0, 1, 2].map((n) => `${batch}-${n}`),
  ).flat();
  expect(lastReported).toBeGreaterThanOrEqual(200);
  expect(ids.slice(0, expected.length)).toEqual(expected);
  // A batch is there as a whole or not at all.
  expect(ids.length % 3).toBe(0);
});
