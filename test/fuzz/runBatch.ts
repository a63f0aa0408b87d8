// Runs some cases of one target and says what came of them: how many, the slowest, and the first that broke a property,
// shrunk as far as a few seconds allow.
import { inspect } from "node:util";
import * as fc from "fast-check";
import type { FuzzTarget, OpenTarget } from "./fuzzTarget.ts";

// Whether a case changed what every object inherits. The count is looked at after each case, the members after each batch.

const PROTOTYPES: readonly (readonly [string, object])[] = [
  ["Object", Object.prototype],
  ["Array", Array.prototype],
  ["Function", Function.prototype],
  ["String", String.prototype],
  ["Number", Number.prototype],
  ["Map", Map.prototype],
  ["Set", Set.prototype],
  ["Promise", Promise.prototype],
  ["RegExp", RegExp.prototype],
  ["Error", Error.prototype],
  ["JSON", JSON],
  ["Object (static)", Object],
];

const guardPrototypes = () => {
  const counts = PROTOTYPES.map(([, prototype]) => Reflect.ownKeys(prototype).length);
  const members = PROTOTYPES.map(([, prototype]) => Object.getOwnPropertyDescriptors(prototype));
  return {
    /** Throws naming the prototype that has another number of members than at the start. */
    checkCount: (): void => {
      for (const [index, [name, prototype]] of PROTOTYPES.entries())
        if (Reflect.ownKeys(prototype).length !== counts[index]) {
          // Taken out again, so that the next case is not blamed for it.
          const before: object = members[index] ?? {};
          for (const key of Reflect.ownKeys(prototype))
            if (!Object.hasOwn(before, key)) Reflect.deleteProperty(prototype, key);
          throw new Error(`prototype pollution: ${name} has another number of members`);
        }
    },
    /** Throws naming the prototype with another member than at the start. */
    checkMembers: (): void => {
      for (const [index, [name, prototype]] of PROTOTYPES.entries()) {
        const before: Record<PropertyKey, PropertyDescriptor> = members[index] ?? {};
        for (const key of Reflect.ownKeys(prototype))
          if (Reflect.getOwnPropertyDescriptor(prototype, key)?.value !== before[key]?.value)
            throw new Error(`prototype pollution: ${name}.${String(key)} is another one`);
      }
    },
  };
};

export interface Batch {
  readonly seed: number;
  readonly cases: number;
  /** Of a finding: only this case is run, and shrunk no further. */
  readonly path?: string;
}

export interface Finding {
  readonly target: string;
  readonly seed: number;
  /** Null for what no single case can be blamed for. */
  readonly path: string | null;
  readonly message: string;
  readonly value: string;
}

/** Told before and after every case: a watchdog in another thread reads it. */
export interface Beat {
  begin(caseNumber: number): void;
  end(): void;
}

const SHRINK_MS = 5_000;
const MAX_VALUE = 2_000;

const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return inspect(error).slice(0, MAX_VALUE);
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return `${error.name}: ${error.message.slice(0, 500)}\n${frames.slice(0, 6).join("\n")}`;
};

export const describeValue = (value: unknown): string =>
  inspect(value, { depth: 6, maxStringLength: 1_200, maxArrayLength: 40, breakLength: 120 }).slice(
    0,
    MAX_VALUE,
  );

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** A case that took too long once may only have waited for a processor: it counts when it does so again and again. */
const holdBudget = async (
  { check }: OpenTarget<unknown>,
  value: unknown,
  budgetMs: number,
): Promise<void> => {
  let quickest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 2 && quickest > budgetMs; attempt += 1) {
    const began = cpuMs();
    await check(value);
    quickest = Math.min(quickest, cpuMs() - began);
  }
  if (quickest > budgetMs) throw new Error(`slow: ${quickest.toFixed(0)} ms of this thread's own computing`);
};

export const runBatch = async (
  target: FuzzTarget,
  open: OpenTarget<unknown>,
  { seed, cases, path }: Batch,
  beat: Beat,
) => {
  const prototypes = guardPrototypes();
  let slowestMs = 0;
  let ran = 0;
  let failedAt = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(open.arbitrary, async (value) => {
    // What is left of the time for shrinking is over: the smallest failure so far is the one to show.
    if (performance.now() - failedAt > SHRINK_MS) return;
    beat.begin(ran);
    ran += 1;
    const began = performance.now();
    try {
      const pending = open.check(value);
      if (pending !== undefined) await pending;
      const tookMs = performance.now() - began;
      if (failedAt === Number.POSITIVE_INFINITY) slowestMs = Math.max(slowestMs, tookMs);
      prototypes.checkCount();
      if (tookMs > target.budgetMs) await holdBudget(open, value, target.budgetMs);
    } catch (error) {
      failedAt = Math.min(failedAt, performance.now());
      throw error;
    } finally {
      beat.end();
    }
  });
  const result = await fc.check(property, {
    seed,
    numRuns: cases,
    ...(path === undefined ? {} : { path, endOnFailure: true }),
  });
  if (!result.failed) {
    prototypes.checkMembers();
    return { cases: ran, slowestMs, finding: null };
  }
  return {
    cases: result.numRuns,
    slowestMs,
    finding: {
      target: target.name,
      seed,
      path: result.counterexamplePath,
      message: describeError(result.errorInstance),
      value: describeValue(result.counterexample?.[0]),
    },
  };
};

export type BatchResult = Awaited<ReturnType<typeof runBatch>>;

/** The case of a batch by its number, without running any: to show one that never came back. */
export const caseOf = async (
  open: OpenTarget<unknown>,
  { seed, cases }: Batch,
  number: number,
): Promise<string> => {
  let at = 0;
  let found = "";
  await fc.check(
    fc.asyncProperty(open.arbitrary, async (value) => {
      if (at === number) found = describeValue(value);
      at += 1;
    }),
    { seed, numRuns: Math.min(cases, number + 1) },
  );
  return found;
};
