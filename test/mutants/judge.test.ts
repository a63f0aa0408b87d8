import { expect, it } from "vitest";
import { isAskedIn, orderTests, STAGES, wavesOf, writeReport, type Found } from "./judge.ts";
import { findMutants } from "./mutate.ts";

const test = (ms: number, reached: number[], isOk = true) => ({ ms, isOk, reached });

it("only tests are asked that reach the place and did well without: near and cheap ones first", () => {
  const tests = {
    "core/store/rows.test.ts": test(2_000, [1]),
    "core/store/open.test.ts": test(800, [1]),
    "core/store/rows.slow.test.ts": test(10, [1]),
    "cli/list.test.ts": test(50, [1]),
    "cli/other.test.ts": test(50, [2]),
    "cli/broken.test.ts": test(50, [1], false),
    "e2e/popover.e2e.ts": test(5, [1]),
    "test/chain/pi.slow.test.ts": test(20, [1]),
  };
  const asked = STAGES.map((stage) => orderTests(tests, { stage, file: "core/store/rows.ts", number: 1 }));
  expect(asked).toEqual([
    ["core/store/rows.test.ts", "cli/list.test.ts", "core/store/open.test.ts"],
    [],
    ["e2e/popover.e2e.ts"],
    ["core/store/rows.slow.test.ts", "test/chain/pi.slow.test.ts"],
    [],
  ]);
});

it("a page is opened only for what it draws", () => {
  const [mutant] = findMutants("core/store/rows.ts", "f();");
  const stagesOf = (file: string) =>
    STAGES.filter((stage) => mutant && isAskedIn(stage, { ...mutant, file })).map(({ name }) => name);
  expect(stagesOf("core/store/rows.ts")).toEqual(["short", "types", "long"]);
  expect(stagesOf("ui/rows.ts")).toHaveLength(STAGES.length);
});

it("waves begin small and grow; a file that is longer than its wave runs alone", () => {
  const ms: Record<string, number> = { a: 1_000, b: 1_500, c: 1_000, d: 4_000, e: 20_000 };
  expect(wavesOf(Object.keys(ms), (file) => ms[file] ?? 0)).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  expect(wavesOf([], () => 0)).toEqual([]);
});

it("the report counts, and shows what only the long command notices and what nothing does", () => {
  const source = "if (a) b = 1;\nif (c) d = 1;\nif (e) f = 1;\n";
  const mutants = findMutants("ui/x.ts", source);
  const [first, second, third] = mutants.map(({ id }) => id);
  const found: Found = {
    commit: "abc",
    tests: { "ui/x.test.ts": test(1, [], false) },
    passed: {},
    verdicts: {
      [first!]: { noticed: "short", by: "ui/y.test.ts: says so" },
      [second!]: { noticed: "long", by: "ui/z.slow.test.ts: says so" },
      [third!]: { noticed: "never", by: "" },
    },
  };
  const report = writeReport({ found, mutants, sourceOf: () => source, about: "a machine" });
  expect(report).toContain("| ui | 3 | 1 | 0 | 1 | 1 |");
  expect(report).toContain("notice 1 of the 2 that those of the long one do: 50.0 %");
  expect(report).toContain("left out, because they fail without a mutant:\n\nui/x.test.ts");
  expect(report).toContain("ui/x.ts:2 (ui/z.slow.test.ts: says so)\n  - if (c) d = 1;\n  + if (!(c)) d = 1;");
  expect(report).toContain("nothing notices:\n\nui/x.ts:3\n  - if (e) f = 1;");
});
