// The spool of a target as its far shell sees it. Nothing on the far side waits for us: a hook drops a file as it always
// does, and a glance at the folder, which costs no program there, says when one is there.
import { quoteArgv } from "../quote.ts";
import type { FarShell } from "./farShell.ts";

const TIMEOUT_MS = 15_000;
const MAX_BAD_FILES = 100;

/** One file of the spool: `ageMs` by the target's own clock, `bytes` at most what was asked for. */
export interface SpooledFile {
  name: string;
  modifiedSeconds: number;
  ageMs: number;
  size: number;
  /** Null: no regular file of the user. */
  bytes: Buffer | null;
}

export interface FarSpool {
  /** Looks without waiting; `onFiles` of the drain is told when something lies there. */
  glance(): void;
  onFiles(listener: () => void): void;
  /** The oldest files first, at most `count`. */
  read(options: { count: number; maxBytes: number }): Promise<SpooledFile[]>;
  remove(names: readonly string[]): Promise<void>;
  /** Takes a file that is no event out of the way. */
  reject(name: string): Promise<void>;
}

/** Names that our own script makes; anything else is not for us to read. */
const NAME = /^[A-Za-z0-9._-]{1,255}$/;

/**
 * Says the time and describes at most `count` files, the oldest ones where there are more: two programs in the usual case.
 * Fractions of seconds come where the far `date` and `stat` have them.
 */
const listScript = (folder: string, count: number): string => `l() { set -- *
if [ $# -gt ${count} ]; then IFS='
'; set -f; set -- $(ls -tr | head -n ${count}); set +f; unset IFS; fi
stat -c 'G %Y %s %y %n' -- "$@" || stat -f 'B %m %z %Fm %N' -- "$@"; }
if cd ${folder}; then date '+%s %N'; l; cd /; fi`;

const GNU = /^G (\d+) (\d+) \S+ [\d:]+(?:\.(\d+))?(?: [+-]\d{4})? (.+)$/;
const BSD = /^B (\d+) (\d+) \d+\.(\d+) (.+)$/;

interface ListedFile extends Omit<SpooledFile, "bytes"> {
  /** Nanoseconds within the second, nine digits. */
  nanos: string;
}

/** Ages are never negative; without fractions of the far clock they are right within a second. */
const parseListing = (answer: string): ListedFile[] => {
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
    });
};

export const createFarSpool = (options: {
  shell: FarShell;
  /** The spool's folder on the target, absolute. */
  spoolDir: string;
  makeNonce: () => string;
}): FarSpool => {
  const { shell, spoolDir, makeNonce } = options;
  const folder = quoteArgv([`${spoolDir}/new`]);
  const bad = quoteArgv([`${spoolDir}/bad`]);
  let isPrepared = false;

  const ask = async (script: string): Promise<Buffer> => {
    const answer = await shell.ask(script, { timeoutMs: TIMEOUT_MS });
    return answer.stdout;
  };
  const pathOf = (name: string): string => quoteArgv([`${spoolDir}/new/${name}`]);

  const list = async (count: number): Promise<ListedFile[]> =>
    parseListing((await ask(listScript(folder, count))).toString("utf8"));

  return {
    glance: () => {
      const define = isPrepared ? "" : `p() { set -- ${folder}/*; [ -e "$1" ] && n; }\n`;
      isPrepared = true;
      shell.tell(`${define}p`);
    },
    onFiles: (listener) => shell.onNotice(listener),
    read: async ({ count, maxBytes }) => {
      const listed = await list(count);
      if (listed.length === 0) return [];
      const nonce = makeNonce();
      const answer = await ask(
        listed
          .map(
            ({ name }) =>
              `f=${pathOf(name)}; if [ -f "$f" ] && [ ! -L "$f" ] && [ -O "$f" ]; then printf F; head -c ${maxBytes} <"$f"; else printf E; fi; printf '\\n%s\\n' ${nonce}`,
          )
          .join("\n"),
      );
      const end = Buffer.from(`\n${nonce}\n`);
      let from = 0;
      return listed.map(({ nanos: _nanos, ...file }) => {
        const to = answer.indexOf(end, from);
        const part = answer.subarray(from, to === -1 ? from : to);
        from = to === -1 ? answer.length : to + end.length;
        const isFile = part.subarray(0, 1).toString("latin1") === "F";
        return { ...file, bytes: isFile ? part.subarray(1) : null };
      });
    },
    remove: async (names) => {
      if (names.length > 0) await ask(`rm -f -- ${names.map(pathOf).join(" ")}`);
    },
    reject: async (name) => {
      await ask(
        `mkdir -p ${bad} && mv -f -- ${pathOf(name)} ${bad}/ && ls -t ${bad} | tail -n +${MAX_BAD_FILES + 1} | ` +
          `while IFS= read -r x; do rm -rf -- ${bad}/"$x"; done`,
      );
    },
  };
};
