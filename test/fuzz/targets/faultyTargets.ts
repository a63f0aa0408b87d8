// Targets that are wrong on purpose, for the runner's own test: what it must find. They are in no other run.
import * as fc from "fast-check";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";

/** About one case in ten. */
const isChosen = (number: number): boolean => number % 10 === 3;
const faulty = (name: string, fault: () => void | Promise<void>, budgetMs = 1_000): FuzzTarget =>
  defineTarget({
    name: `faulty/${name}`,
    budgetMs,
    open: () => ({
      arbitrary: fc.nat(1_000),
      check: (number) => (isChosen(number) ? fault() : undefined),
    }),
  });

const spin = (until: () => boolean): void => {
  while (!until());
};

export const FAULTY_TARGETS: readonly FuzzTarget[] = [
  faulty("throws", () => {
    throw new Error("a property that does not hold");
  }),
  faulty("hangs", () => spin(() => false)),
  faulty(
    "is slow",
    () => {
      const began = process.threadCpuUsage().user;
      spin(() => process.threadCpuUsage().user - began > 10_000);
    },
    3,
  ),
  faulty("pollutes", () => {
    // oxlint-disable-next-line no-extend-native -- this is the fault
    Object.defineProperty(Object.prototype, `polluted${Math.random()}`, { value: 1, configurable: true });
  }),
  faulty("leaves a rejection", () => {
    void Promise.reject(new Error("nobody handles it"));
  }),
];
