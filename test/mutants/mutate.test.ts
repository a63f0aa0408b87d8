import { describe, expect, it } from "vitest";
import { applyMutant, chooseMutants, describeChange, findMutants, shareOut, writeSites } from "./mutate.ts";

const changesOf = (source: string): string[] => findMutants("a.ts", source).map(({ changed }) => changed);

describe("the places where a mutant can be made", () => {
  it("are conditions", () => {
    expect(changesOf("if (isOpen) go = 1;")).toEqual(["!(isOpen)"]);
    expect(changesOf("const x = a === b ? c : d;")).toEqual(["!(a === b)", "a !== b"]);
    expect(changesOf("const x = a && b;")).toEqual(["a || b"]);
    expect(changesOf("const f = () => { return true; };")).toEqual(["false"]);
  });

  it("are bounds", () => {
    expect(changesOf("x = a < b;")).toEqual(["a <= b"]);
    expect(changesOf("x = a >= b;")).toEqual(["a > b"]);
    expect(changesOf("x = a > 3;")).toEqual(["a >= 3", "a > 4"]);
    expect(changesOf("x = a === 3;")).toEqual(["a !== 3"]);
    expect(changesOf("const LIMIT = 5;")).toEqual(["6"]);
    expect(changesOf("x = list.slice(1) + 2;")).toEqual(["list.slice(1) + 3", "2"]);
  });

  it("are calls whose value nobody takes", () => {
    const text = "close(); await x.close(); void x.open(); x?.stop(); const y = x.read();";
    const found = findMutants("a.ts", text);
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual([
      "close();",
      "await x.close();",
      "void x.open();",
      "x?.stop();",
    ]);
  });

  it("are none in types, in texts, in descriptions, in a log, and for numbers of a thousand", () => {
    const text = `
      type A = B extends 5 ? 1 : 2;
      const x: 3 | 4 = y as 4;
      const schema = z.number().describe(a && b ? "&&" : "if (x) f();");
      logger.warn("gone");
      const LIMIT_MS = 30_000;
      const z = a ?? b;`;
    expect(changesOf(text)).toEqual([]);
  });

  it("know whether anything but their value can be noticed", () => {
    const forms = (source: string) => findMutants("a.ts", source).map(({ form }) => form);
    expect(forms("x = a < b.length;")).toEqual(["value"]);
    expect(forms("x = a < f(b);")).toEqual(["expression"]);
    expect(forms("f();")).toEqual(["statement"]);
  });

  it("have a name with file, line and column", () => {
    expect(findMutants("core/a.ts", "\nconst x =\n  a < b;").map(({ id }) => id)).toEqual([
      "core/a.ts:3:3 a <= b",
    ]);
  });
});

describe("what is chosen", () => {
  const many = (file: string, count: number) =>
    findMutants(file, "f(); x = a < b; if (c) d = 1;\n".repeat(count));

  it("is the same for a seed and another one for another seed", () => {
    const ids = (seed: number) => chooseMutants([many("a.ts", 50)], { count: 10, seed }).map(({ id }) => id);
    expect(ids(1)).toEqual(ids(1));
    expect(ids(1)).not.toEqual(ids(2));
  });

  it("is of each family alike, and of each folder by its size", () => {
    const chosen = chooseMutants([many("a.ts", 100), many("b.ts", 200)], { count: 90, seed: 3 });
    const countOf = (is: (mutant: (typeof chosen)[number]) => boolean) => chosen.filter(is).length;
    expect([countOf(({ file }) => file === "a.ts"), countOf(({ file }) => file === "b.ts")]).toEqual([
      30, 60,
    ]);
    expect(
      ["condition", "bound", "call"].map((family) => countOf((mutant) => mutant.family === family)),
    ).toEqual([30, 30, 30]);
  });

  it("is never two in one place", () => {
    const chosen = chooseMutants([findMutants("a.ts", "if (a === b && c) d = 1;")], { count: 9, seed: 1 });
    expect(chosen).toHaveLength(1);
  });

  it.each([
    [[10, 10], 10, 1, [5, 5]],
    [[0, 10], 10, 3, [0, 10]],
    [[1, 99], 100, 20, [20, 80]],
    [[], 10, 1, []],
  ])("sizes %j share %i, each at least %i", (sizes, count, least, shares) => {
    expect(shareOut(sizes, count, least)).toEqual(shares);
  });
});

describe("a source with its mutants", () => {
  const source = "if (a) f();\nelse if (b < c) { g(h(1)); }\n";
  const chosen = chooseMutants([findMutants("a.ts", source)], { count: 9, seed: 1 });
  /** What it does with this one on. */
  const runWith = (number: number | null, scope: { a: boolean; b: number; c: number }): string[] => {
    const done: string[] = [];
    const site = {
      isOn: (other: number) => other === number,
      pick: (other: number, changed: () => unknown, original: () => unknown) =>
        other === number ? changed() : original(),
    };
    const text = writeSites(
      source,
      chosen.map((mutant, index) => ({ mutant, number: index })),
      "./site.mjs",
    ).replace(/^import .*?; /, "");
    // oxlint-disable-next-line typescript/no-implied-eval -- the text is the one above.
    const run = new Function("__mutantSite", "a", "b", "c", "f", "g", "h", text);
    run(
      site,
      scope.a,
      scope.b,
      scope.c,
      () => done.push("f"),
      (x: number) => done.push(`g${x}`),
      (x: number) => x,
    );
    return done;
  };
  const plain = { a: false, b: 1, c: 1 };

  it("does what it did while none is on, on the lines where it was", () => {
    expect([
      runWith(null, { ...plain, a: true }),
      runWith(null, plain),
      runWith(null, { ...plain, c: 2 }),
    ]).toEqual([["f"], [], ["g1"]]);
    const written = writeSites(
      source,
      chosen.map((mutant, number) => ({ mutant, number })),
      "./site.mjs",
    );
    expect(written.split("\n")).toHaveLength(source.split("\n").length);
  });

  it("does for each what the changed source does", () => {
    const scopes = [plain, { ...plain, a: true }, { ...plain, b: 0 }];
    const runChanged = (text: string, { a, b, c }: typeof plain): string[] => {
      const done: string[] = [];
      // oxlint-disable-next-line typescript/no-implied-eval -- the text is the one above.
      const run = new Function("a", "b", "c", "f", "g", "h", text);
      run(
        a,
        b,
        c,
        () => done.push("f"),
        (x: number) => done.push(`g${x}`),
        (x: number) => x,
      );
      return done;
    };
    expect(chosen.length).toBeGreaterThan(2);
    for (const [number, mutant] of chosen.entries())
      expect(scopes.map((scope) => runWith(number, scope))).toEqual(
        scopes.map((scope) => runChanged(applyMutant(source, mutant), scope)),
      );
  });

  it("is told as the line that it was and is", () => {
    const [mutant] = findMutants("a.ts", "\n  if (isOpen) f = 1;");
    expect(mutant && describeChange("\n  if (isOpen) f = 1;", mutant)).toBe(
      "- if (isOpen) f = 1;\n+ if (!(isOpen)) f = 1;",
    );
  });
});
