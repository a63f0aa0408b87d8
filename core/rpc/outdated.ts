// Whether a running daemon has to make room for a newer one. After an upgrade the old one, with its bugs, would run on as long
// as agents do. A command started it, so a command may end it.
import type { Hello } from "../api/service.ts";

const numbersOf = (version: string): number[] =>
  /^(\d+)\.(\d+)\.(\d+)(?![\d.])/.exec(version)?.slice(1).map(Number) ?? [];

/** Compares only the three numbers; false where one of the texts is not a version. */
const isOlder = (one: string, other: string): boolean => {
  const [mine, theirs] = [numbersOf(one), numbersOf(other)];
  const index = mine.findIndex((number, at) => number !== theirs[at]);
  return (mine[index] ?? 0) < (theirs[index] ?? 0);
};

/**
 * True for a daemon of an older version that a command started. A newer one never makes room, so that two installations do not
 * replace each other in turns. Neither does one in the app, or one that a person or a service manager runs.
 */
export const isOutdated = ({ host, isOnDemand, version }: Hello, ownVersion: string): boolean =>
  host === "headless" && isOnDemand && isOlder(version, ownVersion);
