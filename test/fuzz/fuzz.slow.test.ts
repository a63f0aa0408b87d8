// The short mode of `npm run fuzz`: some cases of every target, with a seed that is always the same and one that never is.
// And that the runner finds what it is there to find.
import { expect, it } from "vitest";
import type { Finding } from "./runBatch.ts";
import { runFuzz } from "./runFuzz.ts";
import { TARGETS } from "./targets.ts";
import { FAULTY_TARGETS } from "./targets/faultyTargets.ts";

const FIXED_SEED = 20_261_121;
const RANDOM_SEED = Date.now() & 0x7fff_ffff;
const CASES = 3_000;
const HANG_MS = 30_000;
const LIMIT_MS = 240_000;

const describeFinding = ({ target, seed, path, message, value }: Finding): string =>
  `${target}: ${message}\ncase: ${value}\nagain: npm run fuzz -- --target '${target}' --replay=${seed}:${path ?? ""}`;

it(
  "finds what throws, hangs, is slow, pollutes, and leaves a rejection behind",
  { timeout: LIMIT_MS },
  async () => {
    const reports = await runFuzz({
      targets: FAULTY_TARGETS,
      cases: 500,
      seed: 1,
      threads: 2,
      hangMs: 2_000,
    });
    const found = Object.fromEntries(
      reports.map(({ name, findings }) => [name, findings[0]?.message.split("\n")[0] ?? "nothing"]),
    );
    expect(found).toEqual({
      "faulty/throws": "Error: a property that does not hold",
      "faulty/hangs": "hang: the case did not come back within 2000 ms",
      "faulty/is slow": expect.stringMatching(/^Error: slow: \d+ ms/),
      "faulty/pollutes": "Error: prototype pollution: Object has another number of members",
      "faulty/leaves a rejection": expect.stringContaining("nobody handles it"),
    });
  },
);

it.each([
  ["the fixed seed", FIXED_SEED],
  ["a seed of its own", RANDOM_SEED],
])("nothing breaks with %s", { timeout: LIMIT_MS }, async (_what, seed) => {
  if (seed === RANDOM_SEED) console.log(`fuzz seed ${seed}: npm run fuzz -- --cases ${CASES} --seed ${seed}`);
  const reports = await runFuzz({ targets: TARGETS, cases: CASES, seed, threads: 2, hangMs: HANG_MS });
  expect(reports.flatMap(({ findings }) => findings.map(describeFinding))).toEqual([]);
  expect(reports.filter(({ cases }) => cases === 0).map(({ name }) => name)).toEqual([]);
});
