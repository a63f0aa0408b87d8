import { beforeEach, describe, expect, test } from "vitest";
import { createDeferredWrites, type DeferredWrites } from "./deferredWrites.ts";

describe("last values", () => {
  let deferred: DeferredWrites;
  let written: string[];
  const put = (key: string, value: string, rank?: number): void =>
    deferred.put(key, () => void written.push(`${key}=${value}`), rank);
  const failing = (work: () => void): void =>
    expect(() =>
      deferred.inSavepoint(() => {
        work();
        throw new Error("bad event");
      }),
    ).toThrow("bad event");

  beforeEach(() => {
    deferred = createDeferredWrites();
    written = [];
  });

  test("are written at once outside of a transaction", () => {
    put("a", "1");
    put("a", "2");
    expect(written).toEqual(["a=1", "a=2"]);
  });

  test("are written once at the end of a transaction, the highest rank or the newest", () => {
    deferred.inTransaction(() => {
      put("a", "1");
      put("a", "2");
      put("b", "high", 9);
      put("b", "low", 3);
      expect(written).toEqual([]);
    });
    expect(written).toEqual(["a=2", "b=high"]);
  });

  test("of a failed transaction are not written, neither then nor with the next one", () => {
    expect(() =>
      deferred.inTransaction(() => {
        put("a", "1");
        throw new Error("full");
      }),
    ).toThrow("full");
    deferred.inTransaction(() => put("b", "1"));
    expect(written).toEqual(["b=1"]);
  });

  test("of a failed savepoint are forgotten; what waited before it stays", () => {
    deferred.inTransaction(() => {
      put("a", "1");
      deferred.inSavepoint(() => put("b", "1"));
      failing(() => {
        put("a", "2");
        put("c", "1");
      });
    });
    expect(written).toEqual(["a=1", "b=1"]);
  });

  test("that were settled in a savepoint that failed are written again", () => {
    deferred.inTransaction(() => {
      put("a", "1");
      failing(() => {
        put("a", "2");
        deferred.settle();
        expect(written).toEqual(["a=1", "a=2"]);
        written = [];
      });
    });
    expect(written).toEqual(["a=1"]);
  });

  test("that were settled are not written again", () => {
    deferred.inTransaction(() => {
      put("a", "1");
      deferred.inSavepoint(() => deferred.settle());
      deferred.settle();
    });
    expect(written).toEqual(["a=1"]);
  });
});
