// Documents of a project on another machine, by its own shell and tmux: which belong to a pane, their files, and their panes.
import * as z from "zod";
import type { FeatureTarget, FeatureContext } from "../../core/ports/feature.ts";
import { parseRegistry, type Registry } from "./files/registry.ts";
import { createHash, randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { RemoteFiles, RemotePut, RemotePutResult, RemotePane } from "./calls.ts";
import { printWords } from "../../core/model/commandWords.ts";
import type { PaneView } from "../../core/model/view.ts";

const TIMEOUT_MS = 5_000;
const MAX_REGISTRY_BYTES = 1_000_000;
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;
const TAIL_BYTES = 4_000;
const MAX_ANSWER_BYTES = 2 * MAX_REGISTRY_BYTES + 10_000;

/** The nearest folder upwards that has an own `.agent-doc`, and its two files, each in a line. */
const REGISTRY_SCRIPT = `cd -- "$1" 2>/dev/null || exit 0
root=$(pwd -P)
while [ ! -d "$root/.agent-doc" ] || [ -L "$root/.agent-doc" ] || [ ! -O "$root/.agent-doc" ]; do
  [ -n "$root" ] || exit 0
  root=\${root%/*}
done
printf '%s\\n' "$root"
for name in sessions agtmux; do
  file=$root/.agent-doc/$name.json
  [ ! -f "$file" ] || [ -L "$file" ] || [ ! -O "$file" ] || head -c ${MAX_REGISTRY_BYTES} "$file" | tr -d '\\n'
  printf '\\n'
done
`;

/** A line per document: whether it is as its snapshot, its path, its end; an empty one for what is no document of the project. */
const DOCUMENTS_SCRIPT = `root=$1; shift
encode() { base64 | tr -d '\\n'; }
for file in "$@"; do
  folder=$(cd -- "$(dirname -- "$root/$file")" 2>/dev/null && pwd -P)
  real=$folder/$(basename -- "$file")
  case $real in "$root"/*) ;; *) real= ;; esac
  if [ -z "$real" ] || [ -L "$real" ] || [ ! -f "$real" ] || [ "$(wc -c <"$real")" -gt ${MAX_DOCUMENT_BYTES} ]; then
    echo
    continue
  fi
  hash=$( (printf %s "$real" | sha256sum || printf %s "$real" | shasum -a 256) 2>/dev/null | cut -c1-64)
  same=0 seen=$root/.agent-doc/snapshots/$hash.md
  [ ! -f "$seen" ] || [ -L "$seen" ] || [ -L "\${seen%/*}" ] || ! cmp -s "$real" "$seen" || same=1
  printf '%s %s %s\\n' "$same" "$(printf %s "$real" | encode)" "$(tail -c ${TAIL_BYTES} "$real" | encode)"
done
`;

const ask = async ({ run }: FeatureTarget, script: string, words: readonly string[]): Promise<string[]> => {
  const { exitCode, stdout } = await run(["sh", "-c", script, "sh", ...words], {
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
  });
  return exitCode === 0 ? stdout.split("\n") : [];
};

/** Null where the folder is in no project. @throws AgtmuxError E_DOCUMENT_INVALID for a registry that does not parse. */
export const readRemoteRegistry = async (target: FeatureTarget, folder: string): Promise<Registry | null> => {
  const [root = "", entries = "", own = ""] = await ask(target, REGISTRY_SCRIPT, [folder]);
  if (!root.startsWith("/")) return null;
  const where = `${root}/.agent-doc`;
  return parseRegistry(
    root,
    { path: `${where}/sessions.json`, text: entries },
    { path: `${where}/agtmux.json`, text: own },
  );
};

interface RemoteDocument {
  readonly path: string;
  readonly isSeen: boolean;
  /** Its last part; it may begin in the middle of a line. */
  readonly end: string;
}

const base64 = z.base64().transform((text) => Buffer.from(text, "base64").toString());
const lineSchema = z
  .tuple([z.enum(["0", "1"]), base64, z.union([z.literal(""), base64])])
  .transform(([same, path, end]): RemoteDocument => ({ path, isSeen: same === "1", end }));

/** Null for each file that is no document of the project, or cannot be read. */
export const readRemoteDocuments = async (
  target: FeatureTarget,
  root: string,
  files: readonly string[],
): Promise<(RemoteDocument | null)[]> => {
  const lines = await ask(target, DOCUMENTS_SCRIPT, [root, ...files]);
  return files.map((_file, at) => lineSchema.safeParse((lines[at] ?? "").split(" ")).data ?? null);
};

// Files: those of one document, read in one program, and replaced only where they are still what was read. What comes back is as
// hostile as what is read on this machine.

const FILES_TIMEOUT_MS = 20_000;
const MAX_DOCUMENT = 1024 * 1024;
const MAX_OWN = 1024 * 1024;
/** Of what an editor saved into a file that was just replaced: it is nowhere else. */
const MAX_LATE = 8 * MAX_DOCUMENT;
/** A kept response has the response and its baseline. */
const MAX_PENDING = { files: 3, bytes: 4 * MAX_DOCUMENT };
/** More would cost the connection: the script ends long before. */
const MAX_ANSWER = 32 * 1024 * 1024;

const HASH = "hash_of() { { sha256sum || shasum -a 256; } 2>/dev/null | cut -c1-64; }";
const SAY = "say() { printf '%s\\n' \"$1\"; exit 0; }";

/** A word for what is wrong, or `ok` and then a line in base64 for each thing; `-` for what is not there. */
const READ_SCRIPT = `${SAY}
${HASH}
file=$1
steps=0
while [ -L "$file" ]; do
  steps=$((steps + 1))
  [ "$steps" -le 40 ] || say missing
  to=$(readlink "$file") || say missing
  case $to in /*) file=$to ;; *) file=\${file%/*}/$to ;; esac
done
[ -e "$file" ] || say missing
[ -f "$file" ] || say kind
folder=$(cd "\${file%/*}/" 2>/dev/null && pwd -P) || say missing
real=\${folder%/}/\${file##*/}
[ "$real" -ef "$1" ] || say missing
[ -r "$real" ] || say unreadable
[ "$(wc -c <"$real")" -le ${MAX_DOCUMENT} ] || say large
root=$folder
while [ ! -d "$root/.agent-doc" ] || [ ! -O "$root/.agent-doc" ]; do
  if [ -z "$root" ]; then root=$folder; break; fi
  root=\${root%/*}
done
own=$root/.agent-doc
# Nobody else says what is kept for a document, and which pane it has.
if [ -e "$own" ] || [ -L "$own" ]; then [ -d "$own" ] && [ ! -L "$own" ] && [ -O "$own" ] || say foreign; fi
# A project brings its folders along, and a link among them leads anywhere.
for one in snapshots answered pending patches; do [ ! -L "$own/$one" ] || say folder; done
hash=$(printf %s "$real" | hash_of)
[ "\${#hash}" -eq 64 ] || say unhashed
set -- "$own/pending/$hash-"*.json
[ -e "$1" ] || shift
[ $# -le ${MAX_PENDING.files} ] || say pending
word() { printf %s "$1" | base64 | tr -d '\\n'; echo; }
any() { if [ -f "$1" ] && [ ! -L "$1" ]; then head -c "$2" "$1" | base64 | tr -d '\\n'; else printf %s -; fi; echo; }
text() { if [ -O "$1" ]; then any "$1" "$2"; else echo -; fi; }
editor=0
if [ -d "$own/patches" ]; then
  [ -z "$(find "$own/agtmux-seen.json" -mmin -10 2>/dev/null)" ] || editor=1
  for one in "$own"/editor-*.json; do
    [ -e "$one" ] || break
    pid=\${one##*/editor-}
    pid=\${pid%.json}
    case $pid in '' | *[!0-9]*) continue ;; esac
    if kill -0 "$pid" 2>/dev/null; then editor=1; break; fi
  done
fi
echo ok
word "$real"
word "$root"
echo "$editor"
any "$real" ${MAX_DOCUMENT + 1}
text "$own/snapshots/$hash.md" ${MAX_DOCUMENT + 1}
for name in components.toml sessions.json agtmux.json; do text "$own/$name" ${MAX_OWN}; done
text "$own/answered/$hash.json" ${MAX_OWN}
for one in "$@"; do
  word "\${one##*/}"
  text "$one" ${MAX_PENDING.bytes}
done
`;

/**
 * Words: the file, the hash that it has (\`-\`: it is not there, \`*\`: whatever it has), the hash of what comes on standard input,
 * and two names beside it. What an editor wrote into the old file at the moment of the rename comes back. Then, where a document
 * still has a hash: what is to be removed.
 */
const PUT_SCRIPT = `${SAY}
${HASH}
file=$1 expected=$2 wanted=$3 made=$4 old=$5
shift 5
drop() { rm -f "$made" "$old"; say "$1"; }
umask 022
for one in "\${file%/*}" "\${file%/*/*}"; do [ ! -L "$one" ] || say link; done
mkdir -p "\${file%/*}" || say failed
[ ! -L "$file" ] || say link
if [ -e "$file" ]; then
  [ -f "$file" ] || say changed
  case $(ls -ld "$file") in ??w* | ?????w* | ????????w*) ;; *) say readonly ;; esac
  [ -w "$file" ] || say readonly
  exec 3<"$file" 4<"$file" || say unreadable
  cp -p "$file" "$made" && cat >"$made" || drop failed
else
  case $expected in [0-9a-f]*) say changed ;; esac
  (set -C; cat >"$made") || drop failed
fi
[ "$(hash_of <"$made")" = "$wanted" ] || drop failed
late=
if [ "$expected" = - ]; then
  ln "$made" "$file" 2>/dev/null || drop changed
  rm -f "$made"
else
  case $expected in
    [0-9a-f]*)
      # A sum takes milliseconds, in which another writer may rename over the file. Not every disk has a second name for one.
      ln "$file" "$old" 2>/dev/null && named=1 || named=
      [ "$(hash_of <"$file")" = "$expected" ] || drop changed
      if [ -n "$named" ]; then [ "$file" -ef "$old" ] || drop changed; fi ;;
  esac
  mv -f "$made" "$file" || drop failed
  rm -f "$old"
  case $expected in [0-9a-f]*)
    if [ "$(hash_of <&3)" != "$expected" ]; then
      sleep 0.3 2>/dev/null || sleep 1
      printf 'late '
      head -c ${MAX_LATE + 1} <&4 | base64 | tr -d '\\n'
      exit 0
    fi ;;
  esac
fi
if [ $# -gt 0 ]; then
  document=$1 has=$2
  shift 2
  [ "$(hash_of <"$document")" = "$has" ] || say later
  rm -f "$@"
fi
say ok
`;

const PROBLEMS: Readonly<Record<string, readonly [message: string, remedy: string]>> = {
  missing: ["there is no such file", "Name a Markdown file by its full path."],
  kind: ["it is not a file", "Name a Markdown file by its full path."],
  unreadable: ["it may not be read", "Make it readable there."],
  large: ["it is larger than 1 MB", "Run 'agtmux doc' on that machine."],
  readonly: ["it is read-only", "Make it writable ('chmod u+w'), and repeat; it was not changed."],
  link: ["it is a link where none is expected", "Remove the link there, and repeat; nothing was changed."],
  foreign: [
    "its folder has an '.agent-doc' that is another user's, or no folder",
    "Keep the document in a folder of your own.",
  ],
  folder: [
    "a folder in its '.agent-doc' is a link",
    "Remove the link there, and repeat; nothing was changed.",
  ],
  unhashed: [
    "neither sha256sum nor shasum is there",
    "Install one of them there, or run 'agtmux doc' on that machine.",
  ],
  pending: [
    "more responses are kept for it than are fetched",
    "Run 'agtmux doc recover' on that machine first.",
  ],
  failed: ["it could not be written", "Look at its folder and the disk of that machine; it was not changed."],
};

const problemOf = (path: string, word: string): AgtmuxError => {
  const [message, remedy] = PROBLEMS[word] ?? [
    "the machine's shell gave no answer",
    "Try it again; see 'agtmux target list'.",
  ];
  const isUsage = word === "missing" || word === "kind";
  return new AgtmuxError(isUsage ? "E_USAGE" : "E_DOCUMENT_INVALID", `${path}: ${message}`, { remedy });
};

const run = async (
  target: FeatureTarget,
  script: string,
  words: readonly string[],
  stdin?: string,
): Promise<string> => {
  const given = {
    timeoutMs: FILES_TIMEOUT_MS,
    maxBytes: MAX_ANSWER,
    ...(stdin === undefined ? {} : { stdin }),
  };
  const { exitCode, stdout } = await target.run(["sh", "-c", script, "sh", ...words], given);
  return exitCode === 0 ? stdout : "";
};

const decode = (path: string, text: string): string => {
  const bytes = Buffer.from(z.base64().or(z.literal("")).parse(text), "base64");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new AgtmuxError("E_DOCUMENT_INVALID", `${path} isn't UTF-8 text`, { cause: error });
  }
};

/** @throws AgtmuxError E_USAGE where there is no such file, E_DOCUMENT_INVALID for what cannot be read whole. */
export const readRemoteFiles = async (target: FeatureTarget, path: string): Promise<RemoteFiles> => {
  const [word = "", ...lines] = (await run(target, READ_SCRIPT, [path])).split("\n");
  if (word !== "ok") throw problemOf(path, word);
  const [file = "", root = "", editor, ...texts] = lines;
  const optional = (at: number): string | null => {
    const line = texts[at] ?? "-";
    return line === "-" ? null : decode(path, line);
  };
  const text = optional(0);
  // It went away, or grew, while it was read.
  if (text === null) throw problemOf(path, "missing");
  if (Buffer.byteLength(text) > MAX_DOCUMENT) throw problemOf(path, "large");
  const pending: { name: string; text: string }[] = [];
  for (let at = 6; at + 1 < texts.length; at += 2)
    pending.push({ name: decode(path, texts[at] ?? ""), text: optional(at + 1) ?? "" });
  return {
    file: decode(path, file),
    root: decode(path, root),
    hasEditor: editor !== "0",
    text,
    snapshot: optional(1),
    components: optional(2),
    sessions: optional(3),
    own: optional(4),
    answered: optional(5),
    pending,
  };
};

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const uncompressed = promisify(gunzip);

/** Where each thing lies; nothing else is written. */
const placeOf = ({ root, file, what }: RemotePut): string => {
  const own = `${root === "/" ? "" : root}/.agent-doc`;
  if (what === "document") return file;
  if (what === "snapshot") return `${own}/snapshots/${sha256(file)}.md`;
  if (what === "answered") return `${own}/answered/${sha256(file)}.json`;
  if (what === "sessions" || what === "own") return `${own}/${what === "own" ? "agtmux" : "sessions"}.json`;
  return `${own}/pending/${sha256(file)}-${what.pending}.json`;
};

/** `changed`: the file is another one by now, and stays as it is. `later`: it was put, and the document has changed meanwhile. */
export const putRemoteFile = async (target: FeatureTarget, put: RemotePut): Promise<RemotePutResult> => {
  const text = (
    await uncompressed(Buffer.from(put.gzip, "base64"), { maxOutputLength: MAX_PENDING.bytes })
  ).toString();
  const path = placeOf(put);
  const at = path.lastIndexOf("/") + 1;
  const nameBeside = (): string =>
    `${path.slice(0, at)}.${path.slice(at).slice(0, 100)}.${randomUUID().slice(0, 8)}.agtmux`;
  const expected = put.expected === null ? "-" : (put.expected ?? "*");
  const settled =
    put.settles === undefined
      ? []
      : [
          put.file,
          put.settles.document,
          ...put.settles.pending.map((id) => placeOf({ ...put, what: { pending: id } })),
        ];
  const words = [path, expected, sha256(text), nameBeside(), nameBeside(), ...settled];
  const answer = await run(target, PUT_SCRIPT, words, text);
  if (answer.startsWith("late ")) {
    const late = decode(path, answer.slice(5).trim());
    // Half of it would be taken for what a person has left of the document.
    if (Buffer.byteLength(late) > MAX_LATE) throw problemOf(path, "large");
    return { outcome: "late", text: late };
  }
  const word = answer.trim();
  if (word === "ok" || word === "changed" || word === "later") return { outcome: word };
  throw problemOf(path, word);
};

// Panes: which instance each is, and going to one. tmux there is only queried, told what to select and what to show.

const SHOWN_MS = "3000";
const FORMAT = ["pane_id", "window_id", "pid", "start_time", "pane_pid", "socket_path"]
  .map((name) => `#{${name}}`)
  .join(" ");

const askTmux = async (
  context: FeatureContext,
  { identity }: PaneView,
  words: readonly string[],
): Promise<string> => {
  const tmux = context.target(identity.target).tmux(identity.tmux_server);
  return (await tmux.run(words, { timeoutMs: TIMEOUT_MS })).stdout;
};

const findLife = async (context: FeatureContext, row: PaneView): Promise<RemotePane | null> => {
  const { pane_id: pane } = row.identity;
  const text = await askTmux(context, row, printWords(FORMAT, pane));
  const [id, window = "", serverPid, serverStart, panePid, ...socket] = text.replace(/\n$/, "").split(" ");
  if (id !== pane || !/^@\d+$/.test(window)) return null;
  return {
    row,
    window,
    life: {
      socket: socket.join(" "),
      serverPid: Number(serverPid),
      serverStart: Number(serverStart),
      panePid: Number(panePid),
    },
  };
};

/** The panes with this id, of each tmux server of the machine. @throws AgtmuxError E_TARGET_UNKNOWN, E_TARGET_UNREACHABLE */
export const findRemotePanes = async (
  context: FeatureContext,
  { target, pane }: { target: string; pane: string },
): Promise<RemotePane[]> => {
  // Rows outlive a connection: what they were may not be taken for what is.
  context.target(target);
  const rows = context.rows
    .all()
    .filter(({ identity }) => identity.target === target && identity.pane_id === pane);
  const found = await Promise.all(rows.map((row) => findLife(context, row)));
  return found.filter((one) => one !== null);
};

const rowOf = (context: FeatureContext, ref: string): PaneView => {
  const row = context.rows.all().find(({ identity }) => identity.pane_ref === ref);
  if (row === undefined) throw new AgtmuxError("E_STALE_SNAPSHOT", "the pane is no longer there");
  return row;
};

export const selectRemotePane = async (
  context: FeatureContext,
  { ref, serverPid, serverStart }: { ref: string; serverPid: number; serverStart: number },
): Promise<void> => {
  const row = rowOf(context, ref);
  const { pane_id: pane } = row.identity;
  // After a restart of the server its ids mean other panes.
  const isSame = `#{&&:#{==:#{pid},${serverPid}},#{==:#{start_time},${serverStart}}}`;
  const select = `select-window -t ${pane} ; select-pane -t ${pane} ; display-message -p done`;
  const said = await askTmux(context, row, ["if-shell", "-F", isSame, select, "display-message -p other"]);
  if (said.trim() !== "done")
    throw new AgtmuxError("E_STALE_SNAPSHOT", "the pane is another one by now; nothing was selected");
};

/** The log is read by the skill. A link could lead anywhere. */
const LOG_SCRIPT = '[ -L "$1/.agent-doc/claims.log" ] || printf "%s\\n" "$2" >>"$1/.agent-doc/claims.log"';

export const tellClaimed = async (
  context: FeatureContext,
  { ref, root, name }: { ref: string; root: string; name: string },
): Promise<void> => {
  const row = rowOf(context, ref);
  const { pane_id: pane, target } = row.identity;
  if (pane === null) throw new AgtmuxError("E_UNSUPPORTED", "no pane shows this agent");
  // `#` would begin a format of tmux.
  const message = `Claimed ${name} (pane ${pane})`.replaceAll("#", "##");
  await askTmux(context, row, ["display-message", "-d", SHOWN_MS, "-t", pane, message]);
  const words = ["sh", "-c", LOG_SCRIPT, "sh", root, `Claimed ${name} for pane ${pane}`];
  await context.target(target).run(words, { timeoutMs: TIMEOUT_MS });
};
