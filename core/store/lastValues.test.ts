import { beforeEach, describe, expect, test } from "vitest";
import { createLastValues, type LastValues } from "./lastValues.ts";

describe("last values", () => {
  let last: LastValues;
  let written: string[];
  const put = (key: string, value: string, rank?: number): void =>
    last.put(key, () => void written.push(`${key}=${value}`), rank);
  const failing = (work: () => void): void =>
    expect(() =>
      last.inSavepoint(() => {
        work();
        throw new Error("bad event");
      }),
    ).toThrow("bad event");

  beforeEach(() => {
    last = createLastValues();
    written = [];
  });

  test("are written at once outside of a transaction", () => {
    put("a", "1");
    put("a", "2");
    expect(written).toEqual(["a=1", "a=2"]);
  });

  test("are written once at the end of a transaction, the highest rank or the newest", () => {
    last.inTransaction(() => {
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
      last.inTransaction(() => {
        put("a", "1");
        throw new Error("full");
      }),
    ).toThrow("full");
    last.inTransaction(() => put("b", "1"));
    expect(written).toEqual(["b=1"]);
  });

  test("of a failed savepoint are forgotten; what waited before it stays", () => {
    last.inTransaction(() => {
      put("a", "1");
      last.inSavepoint(() => put("b", "1"));
      failing(() => {
        put("a", "2");
        put("c", "1");
      });
    });
    expect(written).toEqual(["a=1", "b=1"]);
  });

  test("that were settled in a savepoint that failed are written again", () => {
    last.inTransaction(() => {
      put("a", "1");
      failing(() => {
        put("a", "2");
        last.settle();
        expect(written).toEqual(["a=1", "a=2"]);
        written = [];
      });
    });
    expect(written).toEqual(["a=1"]);
  });

  test("that were settled are not written again", () => {
    last.inTransaction(() => {
      put("a", "1");
      last.inSavepoint(() => last.settle());
      last.settle();
    });
    expect(written).toEqual(["a=1"]);
  });
});
