// What has changed in a worktree since its branch began, line by line: which commit that is, how git is asked for it, and how its
// answer is read. Git gets a copy of the index, in which new files stand too, so that it compares them like all others; nothing is
// written into the repository. How git is asked safely is in workTrees.ts.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { DiffHunk, FileDiff, TreeDiff } from "../../core/model/treeDiff.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { FeatureTarget } from "../../core/ports/feature.ts";
import { NotLookedAt, type Repository } from "./readRepository.ts";
import { ENDABLE, LOOK_STATUS, lookWords, PREPARE, reasonOf, type WorkTrees } from "./workTrees.ts";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 3 * 1024 * 1024;
const MAX_FILES = 500;
/** Files that git does not know yet; more are named by their number alone. */
const MAX_UNTRACKED = 300;
const MAX_FILE_LINES = 10_000;
/** Where all together are too large, files above this many characters are left out. */
const MAX_FILE_SIZE = 128 * 1024;
const MAX_LINES = 20_000;
const MAX_LINE = 1_000;
/** Files above this are not compared by lines. */
const BIG_FILE = "1m";

// Base: the commit that everything is compared with. Pure.

/** Names of branches that git can be given as they are. */
const REF = /^refs\/(?:heads|remotes)\/[\p{L}\p{N}._/@+#-]{1,200}$/u;

/**
 * The branches that this one may have begun at: what it follows, if that is not its own copy elsewhere, and the usual main ones.
 * The closest counts. Behind `-`, for where there is none of these, its own copy.
 */
export const findBeginnings = (
  { branch, settings }: Pick<Repository, "branch" | "settings">,
  remoteHead: string | null,
): string[] => {
  const own = `refs/heads/${branch ?? ""}`;
  const upstream = settings.upstreams.get(branch ?? "");
  const remote = upstream === undefined || upstream.remote === "." ? "origin" : upstream.remote;
  const followed =
    upstream === undefined
      ? []
      : [
          upstream.remote === "."
            ? upstream.merge
            : upstream.merge.replace("refs/heads/", `refs/remotes/${remote}/`),
        ];
  const usual = ["main", "master"].flatMap((name) => [
    `refs/remotes/${remote}/${name}`,
    `refs/heads/${name}`,
  ]);
  const head = /^ref: (\S+)$/.exec(remoteHead?.trim() ?? "")?.[1];
  const isCopy = upstream?.merge === own;
  return [
    ...new Set([
      ...(isCopy ? [] : followed),
      ...(head === undefined ? [] : [head]),
      ...usual,
      "-",
      ...(isCopy ? followed : []),
    ]),
  ].filter((ref) => ref === "-" || (ref !== own && REF.test(ref)));
};

const REFLOG = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> (\d+) [+-]\d{4}(?:\t|$)/;

/** What was checked out at a moment (epoch ms), by git's own log of that; null where the log does not reach back. */
export const headAt = (log: string, at: number): string | null => {
  let found: string | null = null;
  for (const line of log.split("\n")) {
    const [, before, after, seconds] = REFLOG.exec(line) ?? [];
    if (before === undefined || after === undefined) continue;
    if (Number(seconds) * 1_000 > at) return found ?? (/^0+$/.test(before) ? null : before);
    found = after;
  }
  return found;
};

// Scripts. Each gets the fields of a probe (`lookWords`).

/**
 * `$8`: branches, as `findBeginnings` names them; `$9`: a commit, or empty. Prints where HEAD left the closest branch, and which that
 * is; else that commit, else the last one; then the files that git does not know.
 */
const FIND = `e=$9
${PREPARE}b= n=
for r in $m; do
if [ "$r" = - ]; then [ -z "$b" ] || break; continue; fi
[ -e "$c/$r" ] || grep -qsF " $r" "$c/packed-refs" || continue
ask "$@" merge-base HEAD "$r" >"$s/b" 2>/dev/null && read -r f <"$s/b" || continue
if [ -z "$b" ] || { [ "$b" != "$f" ] && ask "$@" merge-base --is-ancestor "$b" "$f" 2>/dev/null; }; then b=$f n=$r; fi
done
for r in "$e" HEAD; do
[ -z "$b" ] && [ -n "$r" ] || continue
ask "$@" rev-parse --verify -q "$r^{commit}" >"$s/b" 2>/dev/null && read -r b <"$s/b" && n=$r
done
printf '%s %s\\000' "$b" "$n"
ask "$@" ls-files --others --exclude-standard -z || exit ${LOOK_STATUS.cannotRead}
`;

const OPTIONS =
  "-c core.quotePath=false -c diff.renameLimit=400 -c core.bigFileThreshold=" +
  `${BIG_FILE} diff -M --no-ext-diff --no-textconv --ignore-submodules=all --no-color --src-prefix=a/ --dst-prefix=b/`;

/**
 * `$8`: the commit to compare with; `$9`: attributes for the patch. Standard input: entries of new files for the index. Prints the
 * list of files with their lines counted, an empty record, and the patch. The copy of the index keeps its time: by that git knows
 * which files may have changed in the moment in which it was written.
 */
const COMPARE = `umask 077
a=$9 q=$2 d=$(mktemp -d) || exit ${LOOK_STATUS.noFolder}
trap 'rm -rf -- "$d"' EXIT
cat >"$d/in" || exit ${LOOK_STATUS.noFolder}
${ENDABLE}if [ -f "$q/index" ]; then ask cp -p -- "$q/index" "$d/index" || exit ${LOOK_STATUS.cannotRead}
elif [ -e "$q/index" ]; then exit ${LOOK_STATUS.cannotRead}; fi
set -- "$d" "$d" "$3" "$4" "$5" "$6" "$7" "$8"
${PREPARE}ask "$@" update-index -q --refresh >/dev/null 2>&1
fed() { ask sh -c 'f=$1; shift; exec "$@" <"$f"' sh "$d/in" "$@"; }
[ ! -s "$d/in" ] || fed "$@" update-index --add --replace -z --index-info || exit ${LOOK_STATUS.cannotRead}
ask "$@" ${OPTIONS} --raw --numstat -z "$m" -- || exit ${LOOK_STATUS.cannotRead}
printf '\\000'
[ -z "$a" ] || printf '%s' "$a" >"$d/info/attributes" || exit ${LOOK_STATUS.noFolder}
ask "$@" ${OPTIONS} -p "$m" -- || exit ${LOOK_STATUS.cannotRead}
`;

// Output. Pure.

/** Without lines yet. */
type Listed = Omit<FileDiff, "hunks" | "left_out" | "is_untracked">;

const CHANGES: Readonly<Record<string, FileDiff["change"]>> = {
  A: "added",
  D: "deleted",
  M: "modified",
  R: "renamed",
  T: "retyped",
};

/** The records of `--raw --numstat -z`, and what follows them. */
export const parseList = (output: string): { files: Listed[]; patch: string } => {
  const files: Listed[] = [];
  const end = output.startsWith("\0") ? 0 : output.indexOf("\0\0") + 1;
  const records = (end > 0 ? output.slice(0, end) : end === 0 ? "" : output).split("\0");
  const byPath = new Map<string, Listed>();
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at] ?? "";
    const letter = /^:\d+ \d+ [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*$/.exec(record)?.[1];
    const counted = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(record);
    if (letter !== undefined) {
      const first = records[(at += 1)] ?? "";
      const isMoved = letter === "R" || letter === "C";
      const path = isMoved ? (records[(at += 1)] ?? "") : first;
      const change = CHANGES[letter] ?? "modified";
      const file: Listed = {
        identity: { path },
        old_path: isMoved ? first : null,
        change,
        is_binary: false,
        added: 0,
        removed: 0,
      };
      files.push(file);
      byPath.set(path, file);
    } else if (counted !== null) {
      const [, added, removed, name = ""] = counted;
      // Of one that was renamed both names follow.
      const path = name === "" ? (records[(at += 2)] ?? "") : name;
      const file = byPath.get(path);
      if (file === undefined) continue;
      file.is_binary = added === "-";
      file.added = added === "-" ? null : Number(added);
      file.removed = removed === "-" ? null : Number(removed);
    }
  }
  return { files, patch: end < 0 ? "" : output.slice(end + 1) };
};

const ESCAPES: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\u000B": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};

/** A name as git writes it into a line. */
const quoted = (name: string): string => {
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  const text = name.replaceAll(/[\u0000-\u001F\u007F"\\]/g, (one) => {
    const code = one.charCodeAt(0);
    return ESCAPES[one] ?? `\\${code.toString(8).padStart(3, "0")}`;
  });
  return text === name ? name : `"${text}"`;
};

interface PatchSection {
  header: string;
  hunks: DiffHunk[];
  /** It ends before it is whole. */
  isCut: boolean;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/s;

/** What begins a file or a hunk counts only outside of a hunk, so that no line of a file can pass for it. */
export const parsePatch = (patch: string): PatchSection[] => {
  const sections: PatchSection[] = [];
  const lines = patch.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const section = sections.at(-1);
    if (line.startsWith("diff --git ")) sections.push({ header: line, hunks: [], isCut: false });
    const [, oldStart, oldLines = "1", newStart, newLines = "1", heading = ""] = HUNK.exec(line) ?? [];
    if (section === undefined || oldStart === undefined) continue;
    const hunk: DiffHunk = { old_start: Number(oldStart), new_start: Number(newStart), heading, lines: [] };
    let [olds, news] = [Number(oldLines), Number(newLines)];
    for (let next = lines[at + 1]; next !== undefined; next = lines[at + 1]) {
      const [sign] = next;
      const isInside = olds > 0 || news > 0;
      if (sign !== "\\" && (!isInside || (sign !== " " && sign !== "-" && sign !== "+"))) break;
      if (sign === " " || sign === "-") olds -= 1;
      if (sign === " " || sign === "+") news -= 1;
      hunk.lines.push(next);
      at += 1;
    }
    if (olds > 0 || news > 0 || at === lines.length - 1) section.isCut = true;
    section.hunks.push(hunk);
  }
  return sections;
};

/** The sections of a patch by file. Both are in the same order; a file that became a link has two. */
const bySection = (
  files: readonly Listed[],
  sections: readonly PatchSection[],
): Map<Listed, PatchSection> => {
  const found = new Map<Listed, PatchSection>();
  let next = 0;
  for (const section of sections) {
    const fits = ({ identity, old_path: old }: Listed): boolean =>
      section.header === `diff --git ${quoted(`a/${old ?? identity.path}`)} ${quoted(`b/${identity.path}`)}`;
    const last = files[next - 1];
    if (last !== undefined && fits(last)) {
      const before = found.get(last);
      found.set(last, {
        ...section,
        hunks: [...(before?.hunks ?? []), ...section.hunks],
      });
      continue;
    }
    const index = files.findIndex((file, at) => at >= next && fits(file));
    const file = files[index];
    if (file === undefined) continue;
    found.set(file, section);
    next = index + 1;
  }
  return found;
};

const linesOf = ({ added, removed }: Pick<FileDiff, "added" | "removed">): number =>
  (added ?? 0) + (removed ?? 0);

const sizeOf = (section: PatchSection | undefined): number =>
  (section?.hunks ?? []).reduce((sum, { lines }) => lines.reduce((all, line) => all + line.length, sum), 0);

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

const cutLine = (line: string): string => (line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE)}…`);

/** Puts lines to files as far as the bounds allow. */
const fill = (
  files: readonly Listed[],
  sections: ReadonlyMap<Listed, PatchSection>,
  untracked: ReadonlySet<string>,
): FileDiff[] => {
  let room = MAX_LINES;
  return files.map((file) => {
    const section = sections.get(file);
    const hunks = section?.hunks ?? [];
    const size = hunks.reduce((sum, { lines }) => sum + lines.length, 0);
    const common = { ...file, is_untracked: untracked.has(file.identity.path) };
    const without = (reason: string | null): FileDiff => ({ ...common, hunks: [], left_out: reason });
    if (file.is_binary || linesOf(file) === 0) return without(null);
    if (linesOf(file) > MAX_FILE_LINES || section?.isCut === true)
      return without(`${counted(linesOf(file), "changed line")} are too many to show`);
    if (size === 0) return without("its lines are too long or too many to show");
    if (size > room) return without(`the files before it fill the limit of ${MAX_LINES} lines`);
    room -= size;
    const isLong = hunks.some(({ lines }) => lines.some((line) => line.length > MAX_LINE));
    return {
      ...common,
      hunks: hunks.map((hunk) => ({
        ...hunk,
        heading: hunk.heading.slice(0, 200),
        lines: hunk.lines.map(cutLine),
      })),
      left_out: isLong ? `lines are cut after ${MAX_LINE} characters` : null,
    };
  });
};

/** A line of attributes by which git says of a file only that it differs. */
const asBinary = (path: string): string => {
  const pattern = `/${path.replaceAll(/[*?[\\]/g, "\\$&")}`;
  const text = quoted(pattern);
  return `${text === pattern ? `"${text}"` : text} -diff\n`;
};

// The look itself.

/** The empty file and the empty tree, by the length of the repository's hashes; git knows both everywhere. */
const EMPTY = {
  40: { blob: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904" },
  64: {
    blob: "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
    tree: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
  },
} as const;

const emptyOf = ({ settings }: Repository) =>
  EMPTY[settings.facts.get("extensions.objectformat")?.toLowerCase() === "sha256" ? 64 : 40];

const MAX_LOG_BYTES = 64 * 1024;
const ROUNDS = 4;

interface Found {
  base: TreeDiff["base"];
  untracked: string[];
  leftOut: string[];
}

const parseFind = (stdout: string, isCut: boolean): Found => {
  const [first = "", ...names] = stdout.split("\0").slice(0, -1);
  const [commit = "", name = ""] = first.split(" ");
  const files = names.filter((one) => !one.endsWith("/"));
  const nested = names.length - files.length;
  const more = files.length - MAX_UNTRACKED;
  return {
    base: {
      kind:
        commit === "" ? "nothing" : name.startsWith("refs/") ? "branch" : name === "HEAD" ? "commit" : "turn",
      name: name.startsWith("refs/") ? name.replace(/^refs\/(?:heads|remotes)\//, "") : null,
      commit: commit === "" ? null : commit,
    },
    untracked: files.slice(0, MAX_UNTRACKED),
    leftOut: [
      ...(more > 0
        ? [`${isCut ? "more than " : ""}${counted(more, "new file")} that git does not know`]
        : []),
      ...(nested > 0 ? [`${counted(nested, "folder")} with a repository of its own`] : []),
    ],
  };
};

/** Why git could not be asked, as NotLookedAt. */
const check = (result: Awaited<ReturnType<FeatureTarget["run"]>>, mayBeCut: boolean): void => {
  const isCut = result.exitCode === null && !result.timedOut && mayBeCut;
  const reason = isCut ? null : reasonOf(result);
  if (reason !== null) throw new NotLookedAt(reason);
};

type Diffed = Pick<TreeDiff, "branch" | "base" | "left_out" | "items" | "summary">;

const compare = async (
  target: FeatureTarget,
  words: readonly string[],
  { commit, entries }: { commit: string; entries: string },
) => {
  const hidden = new Set<string>();
  for (let round = 1; ; round += 1) {
    const attributes = [...hidden].map(asBinary).join("");
    const result = await target.run(
      ["sh", "-c", COMPARE, "agtmux-compare", ...words.slice(0, 7), commit, attributes],
      { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, stdin: entries },
    );
    check(result, true);
    const { files, patch } = parseList(result.stdout);
    const sections = bySection(files, parsePatch(patch));
    const isCut = result.exitCode === null;
    const last = [...sections.keys()].at(-1);
    // What fills the room is left out, so that the rest finds its place.
    const before = hidden.size;
    for (const file of isCut ? files : [])
      if (file === last || linesOf(file) > MAX_FILE_LINES || sizeOf(sections.get(file)) > MAX_FILE_SIZE)
        hidden.add(file.identity.path);
    if (!isCut || round === ROUNDS || hidden.size === before) {
      const section = last === undefined ? undefined : sections.get(last);
      if (isCut && last !== undefined && section !== undefined)
        sections.set(last, { ...section, isCut: true });
      return { files, sections };
    }
  }
};

/** What has changed in a worktree, and since when. @throws AgtmuxError E_WORKSPACE_REFUSED where that cannot be told. */
const diffTree = async (
  trees: WorkTrees,
  name: string,
  target: FeatureTarget,
  { workTree, turnBeganAt }: { workTree: string; turnBeganAt: number | null },
): Promise<Diffed> => {
  const { repository, ...input } = await trees.inputOf(name, target, workTree);
  const { files } = target;
  const upstream = repository.settings.upstreams.get(repository.branch ?? "");
  const remote = upstream === undefined || upstream.remote === "." ? "origin" : upstream.remote;
  const remoteHead = await files.readText(`${repository.commonDir}/refs/remotes/${remote}/HEAD`, MAX_LINE);
  const log =
    turnBeganAt === null ? null : await files.readTail(`${repository.gitDir}/logs/HEAD`, MAX_LOG_BYTES);
  const words = lookWords({ ...input, folder: null });
  const beginnings = findBeginnings(repository, remoteHead).join(" ");
  const turn = log === null || turnBeganAt === null ? null : headAt(log, turnBeganAt);
  const asked = await target.run(["sh", "-c", FIND, "agtmux-find", ...words, beginnings, turn ?? ""], {
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  });
  check(asked, true);
  const found = parseFind(asked.stdout, asked.exitCode === null);
  const empty = emptyOf(repository);
  const entries = found.untracked.map((path) => `100644 ${empty.blob}\t${path}\0`).join("");
  const commit = found.base.commit ?? empty.tree;
  const compared = await compare(target, words, { commit, entries });
  const listed = compared.files.slice(0, MAX_FILES);
  const more = compared.files.length - listed.length;
  const items = fill(listed, compared.sections, new Set(found.untracked));
  const sum = (key: "added" | "removed"): number =>
    compared.files.reduce((total, file) => total + (file[key] ?? 0), 0);
  return {
    branch: repository.branch,
    base: found.base,
    summary: { files: compared.files.length, added: sum("added"), removed: sum("removed") },
    left_out: [...found.leftOut, ...(more > 0 ? [counted(more, "further file")] : [])],
    items,
  };
};

/** The same for the worktree of a row. @throws AgtmuxError E_WORKSPACE_REFUSED */
export const diffOfRow = async (
  trees: WorkTrees,
  target: FeatureTarget,
  { identity, short_ref: ref, activity }: PaneView,
): Promise<Diffed & { work_tree: string }> => {
  const workTree = activity?.work_tree ?? null;
  if (workTree === null)
    throw new AgtmuxError("E_WORKSPACE_REFUSED", `${ref} isn't in a git worktree`, {
      remedy: "Only agents in a git repository have changes.",
    });
  const turn = activity?.turn_began_at ?? null;
  const where = { workTree, turnBeganAt: turn === null ? null : Date.parse(turn) };
  try {
    return { work_tree: workTree, ...(await diffTree(trees, identity.target, target, where)) };
  } catch (error) {
    if (!(error instanceof NotLookedAt)) throw error;
    throw new AgtmuxError(
      "E_WORKSPACE_REFUSED",
      `can't tell what has changed in ${workTree}: ${error.message}`,
      {
        remedy: "Look at it with 'git diff' there.",
      },
    );
  }
};
