// The spool of a target as its remote shell sees it. Nothing on the remote side waits for us: a hook drops a file as it always
// does. A glance at the folder also brings the files in it, because every further question is another round trip. While the
// folder is empty, a glance starts no program there.
import type { SpooledFile, RemoteSpool } from "../../ports/targetExecutor.ts";
import { quoteArgv } from "../remoteScript.ts";
import type { RemoteShell } from "./remoteShell.ts";

// Listing: the script that prints it and the parser of what it prints. Times have fractions of a second where the remote `date` and
// `stat` give them.

/** One file of the spool: `ageMs` by the target's own clock. */
type ListedFile = Omit<SpooledFile, "bytes">;

/** The names that our own script makes; files with other names are not read. */
const NAME = /^[A-Za-z0-9._-]{1,255}$/;

/**
 * `l <count>` prints the time and describes at most `count` files of the shell's folder, the oldest ones if there are more.
 * Usually it starts two programs.
 */
const LIST_FUNCTION = `l() { date '+%s %N'; c=$1; set -- *
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

const TIMEOUT_MS = 15_000;
const MAX_BAD_FILES = 100;

/** If a folder holds more files than this, a glance does not bring them: they are asked for. */
const GLANCE_FILES = 20;
const GLANCE_FILE_BYTES = 16 * 1024;
/** Roughly the most bytes that one answer may hold. */
const READ_BYTES = 16 * 1024 * 1024;

/**
 * `p` is the glance. When the folder has files, it prints a notice, and then stays quiet until `g` is cleared. For few files
 * the notice holds the listing and, after a mark each, the kind, name and first bytes of every file.
 */
const functions = (folder: string, mark: string): string => `${LIST_FUNCTION}
g=
f() { if [ -f "$1" ] && [ ! -L "$1" ] && [ -O "$1" ]; then printf F; else printf E; fi; }
p() { [ -z "$g" ] || return 0; set -- ${folder}/*; [ -e "$1" ] || [ -L "$1" ] || return 0; g=1; n
if [ $# -le ${GLANCE_FILES} ] && cd ${folder}; then l ${GLANCE_FILES}; for x in *; do case $x in (*[!A-Za-z0-9._-]*) continue;; esac
printf '\n%s\n' ${mark}; k=$(f "$x"); printf '%s%s\n' "$k" "$x"; [ $k = E ] || head -c ${GLANCE_FILE_BYTES} <"$x"; done; cd /; fi; m; }
`;

/** Null: the glance is incomplete, and the files have to be asked for. */
const parseGlance = (body: Buffer, mark: string): SpooledFile[] | null => {
  const divider = Buffer.from(`\n${mark}\n`);
  const parts: Buffer[] = [];
  let from = 0;
  for (let to = body.indexOf(divider); to !== -1; to = body.indexOf(divider, from)) {
    parts.push(body.subarray(from, to));
    from = to + divider.length;
  }
  parts.push(body.subarray(from));
  const [listing = Buffer.alloc(0), ...contents] = parts;
  const bytesOf = new Map<string, Uint8Array | null>(
    contents.map((part) => {
      const newline = part.indexOf("\n");
      const name = part.subarray(1, newline).toString("latin1");
      return [name, part[0] === 0x46 ? part.subarray(newline + 1) : null] as const;
    }),
  );
  const files = parseListing(listing.toString("utf8")).map((file) => ({
    ...file,
    bytes: bytesOf.get(file.name),
  }));
  const isWhole = (file: (typeof files)[number]): file is SpooledFile =>
    file.bytes !== undefined && (file.bytes === null || file.bytes.length === file.size);
  return listing.length > 0 && files.every(isWhole) ? files : null;
};

export const createRemoteSpool = (options: {
  shell: RemoteShell;
  /** The spool's folder on the target, absolute. */
  spoolDir: string;
  makeNonce: () => string;
}): RemoteSpool => {
  const { shell, spoolDir, makeNonce } = options;
  const folder = quoteArgv([`${spoolDir}/new`]);
  const bad = quoteArgv([`${spoolDir}/bad`]);
  let isPrepared = false;

  const mark = makeNonce();
  /** After a notice the remote side stays quiet, so that the same files do not come twice. */
  let hasNoticed = false;

  // Events of agents go before the collector's questions.
  const ask = async (script: string, maxBytes?: number): Promise<Buffer> => {
    const answer = await shell.ask(script, {
      timeoutMs: TIMEOUT_MS,
      isUrgent: true,
      ...(maxBytes === undefined ? {} : { maxBytes }),
    });
    return answer.stdout;
  };
  const prepare = (): string => {
    const define = isPrepared ? "" : functions(folder, mark);
    isPrepared = true;
    return define;
  };
  const pathOf = (name: string): string => quoteArgv([`${spoolDir}/new/${name}`]);

  const list = async (count: number): Promise<ListedFile[]> =>
    parseListing(
      (await ask(`${prepare()}if cd ${folder}; then l ${Math.floor(count)}; cd /; fi`)).toString("utf8"),
    );

  return {
    glance: () => {
      shell.tellForNotice(`${prepare()}${hasNoticed ? "g=\n" : ""}p`);
      hasNoticed = false;
    },
    onFiles: (listener) =>
      shell.onNotice((body) => {
        hasNoticed = true;
        listener(parseGlance(body, mark));
      }),
    read: async ({ count, maxBytes }) => {
      let room = READ_BYTES;
      const listed = (await list(count)).filter(({ size }, index) => {
        room -= Math.min(size, maxBytes);
        return index === 0 || room > 0;
      });
      if (listed.length === 0) return [];
      const nonce = makeNonce();
      // Reads no more bytes than were listed, so that the size of the answer is known before it comes.
      const sizeOf = ({ size }: ListedFile): number => Math.min(size, maxBytes);
      const answer = await ask(
        listed
          .map(
            (file) =>
              `f=${pathOf(file.name)}; if [ -f "$f" ] && [ ! -L "$f" ] && [ -O "$f" ]; then printf F; head -c ${sizeOf(file)} <"$f"; else printf E; fi; printf '\\n%s\\n' ${nonce}`,
          )
          .join("\n"),
        listed.reduce((sum, file) => sum + sizeOf(file), 0),
      );
      const end = Buffer.from(`\n${nonce}\n`);
      let from = 0;
      return listed.map((file) => {
        const to = answer.indexOf(end, from);
        const part = answer.subarray(from, to === -1 ? from : to);
        from = to === -1 ? answer.length : to + end.length;
        const isFile = part.subarray(0, 1).toString("latin1") === "F";
        return { ...file, bytes: isFile ? part.subarray(1) : null };
      });
    },
    remove: async (names) => {
      if (names.length === 0) return;
      const { status } = await shell.ask(`rm -f -- ${names.map(pathOf).join(" ")}`, {
        timeoutMs: TIMEOUT_MS,
      });
      if (status !== 0) throw new Error("remove events from the target's spool: some are still there");
    },
    reject: async (name) => {
      await ask(
        `mkdir -p ${bad} && mv -f -- ${pathOf(name)} ${bad}/ && ls -t ${bad} | tail -n +${MAX_BAD_FILES + 1} | ` +
          `while IFS= read -r x; do rm -rf -- ${bad}/"$x"; done`,
      );
    },
  };
};
