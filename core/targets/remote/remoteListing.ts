// The listing of a remote spool: what the remote shell prints of its files and how that reads. Fractions of seconds come where the
// remote `date` and `stat` have them.
import type { SpooledFile } from "../../ports/remoteSpool.ts";

/** One file of the spool: `ageMs` by the target's own clock. */
export type ListedFile = Omit<SpooledFile, "bytes">;

/** Names that our own script makes; anything else is not for us to read. */
const NAME = /^[A-Za-z0-9._-]{1,255}$/;

/**
 * `l <count>` says the time and describes at most so many files of the shell's folder, the oldest ones where there are more:
 * two programs in the usual case.
 */
export const LIST_FUNCTION = `l() { date '+%s %N'; c=$1; set -- *
if [ $# -gt $c ]; then IFS='
'; set -f; set -- $(ls -tr | head -n $c); set +f; unset IFS; fi
stat -c 'G %Y %s %y %n' -- "$@" || stat -f 'B %m %z %Fm %N' -- "$@"; }
`;

const GNU = /^G (\d+) (\d+) \S+ [\d:]+(?:\.(\d+))?(?: [+-]\d{4})? (.+)$/;
const BSD = /^B (\d+) (\d+) \d+\.(\d+) (.+)$/;

/** The oldest first. Ages are never negative; without fractions of the remote clock they are right within a second. */
export const parseListing = (answer: string): ListedFile[] => {
  const [first = "", ...lines] = answer.split("\n");
  const [, now = "0", nanosNow] = /^(\d+) (\d{9})?/.exec(first) ?? [];
  const nowMs = Number(now) * 1_000 + (nanosNow === undefined ? 0 : Number(nanosNow) / 1e6);
  return lines
    .flatMap((line) => {
      const [, modified, size, fraction = "", name = ""] = GNU.exec(line) ?? BSD.exec(line) ?? [];
      if (modified === undefined || !NAME.test(name)) return [];
      const nanos = fraction.padEnd(9, "0").slice(0, 9);
      const modifiedSeconds = Number(modified);
      const ageMs = Math.max(0, nowMs - modifiedSeconds * 1_000 - Number(nanos) / 1e6);
      return [{ name, modifiedSeconds, nanos, ageMs, size: Number(size) }];
    })
    .toSorted((a, b) => {
      if (a.modifiedSeconds !== b.modifiedSeconds) return a.modifiedSeconds - b.modifiedSeconds;
      const [one, other] = [a.nanos + a.name, b.nanos + b.name];
      return one < other ? -1 : one > other ? 1 : 0;
    })
    .map(({ nanos: _nanos, ...file }) => file);
};
