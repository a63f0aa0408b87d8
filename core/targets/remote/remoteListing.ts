// The listing of a remote spool: the script that prints it and the parser of what it prints. Times have fractions of a second
// where the remote `date` and `stat` give them.
import type { SpooledFile } from "../../ports/remoteSpool.ts";

/** One file of the spool: `ageMs` by the target's own clock. */
export type ListedFile = Omit<SpooledFile, "bytes">;

/** The names that our own script makes; files with other names are not read. */
const NAME = /^[A-Za-z0-9._-]{1,255}$/;

/**
 * `l <count>` prints the time and describes at most `count` files of the shell's folder, the oldest ones if there are more.
 * Usually it starts two programs.
 */
export const LIST_FUNCTION = `l() { date '+%s %N'; c=$1; set -- *
if [ $# -gt $c ]; then IFS='
'; set -f; set -- $(ls -tr | head -n $c); set +f; unset IFS; fi
stat -c 'G %Y %s %y %n' -- "$@" || stat -f 'B %m %z %Fm %N' -- "$@"; }
`;

const GNU = /^G (\d+) (\d+) \S+ [\d:]+(?:\.(\d+))?(?: [+-]\d{4})? (.+)$/;
const BSD = /^B (\d+) (\d+) \d+\.(\d+) (.+)$/;

/** The oldest comes first. Ages are never negative. If the remote clock gives no fractions, they are right within a second. */
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
