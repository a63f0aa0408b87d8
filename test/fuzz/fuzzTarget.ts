// What a fuzzed boundary is: where its cases come from and what must hold for each of them. Everything else (time, hangs,
// polluted prototypes, rejections that nobody handles) the runner watches for all targets alike.
import type * as fc from "fast-check";

export interface OpenTarget<T> {
  readonly arbitrary: fc.Arbitrary<T>;
  /** Throws where a property does not hold. Errors that the boundary declares are its own to catch. */
  readonly check: (value: T) => void | Promise<void>;
  readonly close?: () => Promise<void>;
}

export interface FuzzTarget {
  /** `<boundary>/<part>`; unique. */
  readonly name: string;
  /** Share of all cases: a target whose case costs much gets less. */
  readonly weight: number;
  /** The longest that one case may take, in milliseconds. */
  readonly budgetMs: number;
  /** Agent types and router procedures that it exercises, so that a test can say which none does. */
  readonly covers: readonly string[];
  /** Seeds are read and servers started here, not before. */
  readonly open: () => Promise<OpenTarget<unknown>>;
}

interface TargetOptions<T> {
  readonly name: string;
  readonly weight?: number;
  readonly budgetMs?: number;
  readonly covers?: readonly string[];
  readonly open: () => OpenTarget<T> | Promise<OpenTarget<T>>;
}

/** What the long mode promises: no case longer than a second. */
const BUDGET_MS = 1_000;

export const defineTarget = <T>(options: TargetOptions<T>): FuzzTarget => ({
  name: options.name,
  weight: options.weight ?? 1,
  budgetMs: options.budgetMs ?? BUDGET_MS,
  covers: options.covers ?? [],
  // The runner hands each value only to the check of the target that made it.
  open: async () => (await options.open()) as OpenTarget<unknown>,
});
