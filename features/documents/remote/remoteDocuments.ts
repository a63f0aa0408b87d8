// Documents of a project on another machine, by its own shell: the registry in one program, the documents that belong to a pane in a
// second one. It only reads; what comes back is as hostile as what is read on this machine.
import * as z from "zod";
import type { FeatureTarget } from "../../../core/ports/feature.ts";
import { parseRegistry, type Registry } from "../files/registry.ts";

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

/** A line for each document: whether it is as its snapshot, its path, and its end; an empty one for what is no document of the project. */
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

export interface RemoteDocument {
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
