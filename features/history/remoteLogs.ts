// Logs on another machine: found, read in pieces and searched by small scripts there, so that no log comes over whole. What comes
// back is bounded, and everything in it may be false; it is only ever text.
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { FileHistory } from "../../core/ports/agentFiles.ts";
import type { FeatureTarget } from "../../core/ports/feature.ts";
import type { LogContent } from "./logFile.ts";

/** How the index names a log of another machine. */
export const remoteKey = (target: string, path: string): string => `${target}:${path}`;

/** The path of a log there. */
export const remotePath = ({ target, path }: { target: string; path: string }): string =>
  path.slice(target.length + 1);

/** The database in which a session is, on its own machine. */
export const databaseOf = (row: { target: string; path: string }): string =>
  (row.target === HOST_TARGET ? row.path : remotePath(row)).replace(/#[^#/]*$/, "");

const LIST_LIMIT_MS = 20_000;
const READ_LIMIT_MS = 15_000;
const SEARCH_LIMIT_MS = 30_000;
const MAX_LISTING_BYTES = 1024 * 1024;
/** Of the lines of one log in which a text stands. */
const MAX_LINES_BYTES = 2 * 1024 * 1024;
const MAX_LINES = 40;
/** For the words that frame an answer. */
const FRAME_BYTES = 4_096;

/** GNU and busybox have one `stat`, BSD another. No link is followed below the root. */
const LIST = `cd "$1" 2>/dev/null || exit 0
l() { find . -mindepth "$d" -maxdepth "$d" -type f -exec stat "$@" {} + 2>/dev/null | sort -rn | head -n "$n"; }
d=$2 n=$3
if stat -c %Y . >/dev/null 2>&1; then l -c '%Y %s %n'; else l -f '%m %z %N'; fi
`;

/** Every piece stands between two nonces. `$1` nonce, `$2` bytes of the beginning, `$3` of the end, then files. */
const HEADS = `o=$1 h=$2 t=$3; shift 3
for f do
if [ -f "$f" ] && [ ! -L "$f" ] && [ -r "$f" ]; then head -c "$h" <"$f"; printf '%s' "$o"; tail -c "$t" <"$f"; else printf '%s' "$o"; fi
printf '%s' "$o"
done
`;

/** `$1` file, `$2` the first byte from 1, `$3` their number. As base64: bytes are counted, and a text would change them. */
const PIECE = `if [ -f "$1" ] && [ ! -L "$1" ] && [ -r "$1" ]; then tail -c "+$2" <"$1" | head -c "$3" | base64; else exit 3; fi
`;
const NO_LOG = 3;

/** The text comes on the input, because other users can read arguments. `-s`: a log that went is no hit. */
const FIND = `LC_ALL=C exec grep -l -s -i -F -f - -- "$@"
`;
const LINES = `f=$1; [ -f "$f" ] && [ ! -L "$f" ] || exit 3
LC_ALL=C grep -h -s -i -F -m ${MAX_LINES} -f - -- "$f" | head -c ${MAX_LINES_BYTES}
`;

/**
 * `$1` file, `$2` the first byte from 1, `$3` their number, `$4` not empty: a line has to begin there, else all begins with the
 * log; `$5` what stands in the lines that are wanted. Prints first where it began, and how long a last line without its end is.
 */
const MARKED = `f=$1 s=$2 n=$3
[ -f "$f" ] && [ ! -L "$f" ] && [ -r "$f" ] || exit 3
p() { tail -c "+$s" <"$f" | head -c "$n"; }
[ -z "$4" ] || [ "$s" = 1 ] || [ -z "$(tail -c "+$((s - 1))" <"$f" | head -c 1)" ] || s=1
r=0; [ -z "$(p | tail -c 1)" ] || r=$(p | tail -n 1 | wc -c)
echo "$s" $r
p | LC_ALL=C grep -a -E -e "$5"
[ $? -le 1 ]
`;

const script = (text: string, ...words: readonly string[]): string[] => [
  "sh",
  "-c",
  text,
  "agtmux",
  ...words,
];

export interface RemoteLog {
  path: string;
  /** Below the root, with "/". */
  below: string;
  size: number;
  /** Epoch ms, by the far clock. */
  mtime: number;
}

/** The newest logs of one root, at most `count`. @throws Error where they cannot be listed. */
export const listRemoteLogs = async (
  { target, dataDir }: { target: FeatureTarget; dataDir: string },
  { folder, depth, file }: FileHistory["roots"][number],
  count: number,
): Promise<RemoteLog[]> => {
  const root = `${dataDir}/${folder}`;
  const { exitCode, stdout, timedOut } = await target.run(
    script(LIST, root, String(depth + 1), String(count)),
    { timeoutMs: LIST_LIMIT_MS, maxBytes: MAX_LISTING_BYTES },
  );
  if (exitCode !== 0) throw new Error(timedOut ? "listing them takes too long" : "they cannot be listed");
  return stdout
    .split("\n")
    .flatMap((line): RemoteLog[] => {
      const [, mtime, size, below = ""] = /^(\d{1,12}) (\d{1,15}) \.\/(.{1,1000})$/.exec(line) ?? [];
      const isInside = !below.split("/").some((part) => part === ".." || part === ".");
      return mtime !== undefined && isInside && file.test(below)
        ? [{ path: `${root}/${below}`, below, size: Number(size), mtime: Number(mtime) * 1_000 }]
        : [];
    })
    .slice(0, count);
};

/** The beginnings and ends of logs, in their order; empty texts for one that cannot be read. */
export const readRemoteHeads = async (
  target: FeatureTarget,
  logs: readonly RemoteLog[],
  { headBytes, tailBytes, nonce }: { headBytes: number; tailBytes: number; nonce: string },
): Promise<{ head: string; tail: string }[]> => {
  const { exitCode, stdout } = await target.run(
    script(HEADS, nonce, String(headBytes), String(tailBytes), ...logs.map(({ path }) => path)),
    { timeoutMs: READ_LIMIT_MS, maxBytes: logs.length * (headBytes + tailBytes + 100) * 2 + FRAME_BYTES },
  );
  const pieces = stdout.split(nonce);
  if (exitCode !== 0 || pieces.length !== logs.length * 2 + 1) throw new Error("they cannot be read");
  return logs.map((_log, index) => ({ head: pieces[index * 2] ?? "", tail: pieces[index * 2 + 1] ?? "" }));
};

/** Null where there is no plain file. Reads fail where the far side does not give what was asked. */
const openRemoteLog = async (target: FeatureTarget, path: string): Promise<LogContent | null> => {
  const stat = await target.files.stat(path);
  if (stat?.isFile !== true) return null;
  return {
    size: stat.size,
    read: async (start, end) => {
      const wanted = Math.max(0, Math.min(end, stat.size) - start);
      if (wanted === 0) return Buffer.alloc(0);
      const { exitCode, stdout } = await target.run(
        script(PIECE, path, String(start + 1), String(wanted)),
        // Base64 is a third longer, and has line ends.
        { timeoutMs: READ_LIMIT_MS, maxBytes: Math.ceil(wanted * 1.5) + FRAME_BYTES },
      );
      if (exitCode === NO_LOG) return Buffer.alloc(0);
      if (exitCode !== 0) throw new Error(`read ${path}: the target did not give it`);
      return Buffer.from(stdout, "base64").subarray(0, wanted);
    },
  };
};

/** Null where there is no log. */
export const withRemoteLog = async <T>(
  target: FeatureTarget,
  path: string,
  work: (log: LogContent) => Promise<T>,
): Promise<T | null> => {
  const log = await openRemoteLog(target, path);
  return log === null ? null : work(log);
};

/** Which of these logs have the text somewhere; `pattern` as it stands in a log of JSON. @throws Error */
export const findInRemoteLogs = async (
  target: FeatureTarget,
  paths: readonly string[],
  pattern: string,
): Promise<Set<string>> => {
  const { exitCode, stdout, timedOut } = await target.run(script(FIND, ...paths), {
    timeoutMs: SEARCH_LIMIT_MS,
    maxBytes: MAX_LISTING_BYTES,
    stdin: `${pattern}\n`,
  });
  // 1: in none; 2: in those that could be read.
  if (exitCode === null || exitCode > 2)
    throw new Error(timedOut ? "searching takes too long" : "they cannot be searched");
  const known = new Set(paths);
  return new Set(stdout.split("\n").filter((line) => known.has(line)));
};

/** The first lines of a log with the text in them; the last one may be cut. */
export const linesOfRemoteLog = async (
  target: FeatureTarget,
  path: string,
  pattern: string,
): Promise<Buffer> => {
  const { stdout } = await target.run(script(LINES, path), {
    timeoutMs: SEARCH_LIMIT_MS,
    maxBytes: MAX_LINES_BYTES + FRAME_BYTES,
    stdin: `${pattern}\n`,
  });
  return Buffer.from(stdout, "utf8");
};

interface MarkedLines {
  /** Where the stretch began: where it was asked for, or at the beginning of the log. */
  start: number;
  /** Behind its last whole line; `start` where it has none. */
  end: number;
  /** In order; the last may be cut. */
  lines: string[];
}

/**
 * The lines of a stretch in which `mark` stands; null where there is no log any more, `too much` where they are more than
 * `maxBytes`, which never happens to a stretch of that length. @throws Error where they are not given.
 */
export const readMarkedLines = async (
  target: FeatureTarget,
  path: string,
  {
    start,
    length,
    beginsLine,
    mark,
    maxBytes,
  }: { start: number; length: number; beginsLine: boolean; mark: RegExp; maxBytes: number },
): Promise<MarkedLines | "too much" | null> => {
  const { exitCode, stdout, timedOut } = await target.run(
    script(MARKED, path, String(start + 1), String(length), beginsLine ? "1" : "", mark.source),
    { timeoutMs: READ_LIMIT_MS, maxBytes: maxBytes + FRAME_BYTES },
  );
  if (exitCode === NO_LOG) return null;
  if (exitCode === null && !timedOut && length > maxBytes) return "too much";
  const [first = "", ...lines] = stdout.split("\n");
  const [, from, rest] = /^(\d{1,16}) +(\d{1,9})$/.exec(first) ?? [];
  if (exitCode !== 0 || from === undefined || (Number(from) - 1 !== start && from !== "1"))
    throw new Error(`read ${path}: the target did not give it`);
  const began = Number(from) - 1;
  return { start: began, end: Math.max(began, began + length - Number(rest)), lines };
};
