// Whether a running daemon is to make room for a newer one. After an upgrade the old one would go on, faults included, for as
// long as agents run. It was started by a command, so a command may end it.
import type { Hello } from "../api/service.ts";

const numbersOf = (version: string): number[] =>
  /^(\d+)\.(\d+)\.(\d+)(?![\d.])/.exec(version)?.slice(1).map(Number) ?? [];

/** By the three numbers alone; false where one of the two is no version. */
const isOlder = (one: string, other: string): boolean => {
  const [mine, theirs] = [numbersOf(one), numbersOf(other)];
  const index = mine.findIndex((number, at) => number !== theirs[at]);
  return (mine[index] ?? 0) < (theirs[index] ?? 0);
};

/**
 * True for a daemon of an older version that a command started. Never the other way round, so that two installations beside
 * each other do not take turns; and never one in the app or one that a person or a service manager runs.
 */
export const isOutdated = ({ host, isOnDemand, version }: Hello, ownVersion: string): boolean =>
  host === "headless" && isOnDemand && isOlder(version, ownVersion);
