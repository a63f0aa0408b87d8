// How git is asked about a work tree without any program of the repository being run. Git never reads the repository's settings:
// it is given a folder of ours as its own, with settings of ours, in which only the branches, the objects and the list of ignored
// files are links to the real ones. So there is no hook, no filter, no monitor, no text conversion and no address that it could
// know of, whatever is written into the repository meanwhile. What its files contain is data to git.
import { GIT_BOUNDS } from "../../../core/model/git.ts";

/** Exit statuses of the script. */
export const LOOK_STATUS = { cannotRead: 96, noFolder: 97, noGit: 127 } as const;

export interface LookInput {
  /** A folder of ours that stays; null: one is made for this look and removed. */
  folder: string | null;
  gitDir: string;
  commonDir: string;
  workTree: string;
  head: string;
  settings: string;
  /** The person's own list of ignored files; null: where git looks for it by itself. */
  excludesFile: string | null;
}

/**
 * Git is run by `ask`: where a repository makes it wait for ever (a pipe in place of one of its files), it ends with the script and does
 * not hold what waits for its output.
 */
export const ENDABLE = `${GIT_BOUNDS}j=; ask() { "$@" & j=$!; wait "$j"; }
trap '[ -z "$j" ] || kill -KILL "$j"; exit 1' HUP INT TERM
`;

/**
 * `$1`…`$7` are the fields of LookInput; `$8` is kept as `m` for the script that follows. The environment is made from nothing, because
 * a daemon that was started in a hook of git has variables that point git elsewhere. It never enters the work tree: a relative entry of
 * PATH would find programs there. A file that git reads whole has to be one: what is none may have no end.
 */
export const PREPARE = `umask 077
s=$1 g=$2 c=$3 w=$4 h=$5 k=$6 x=$7 m=\${8-} t=
${ENDABLE}for f in "$c/objects/info/alternates" "$c/packed-refs" "$c/shallow" "$c/info/exclude" "$g/index"; do
[ -f "$f" ] || [ ! -e "$f" ] || exit ${LOOK_STATUS.cannotRead}
done
if [ -z "$s" ]; then s=$(mktemp -d) || exit ${LOOK_STATUS.noFolder}; t=1; trap 'rm -rf "$s"' EXIT; fi
[ -d "$s/info" ] || { mkdir -p "$s/info" && ln -s "$c/refs" "$c/packed-refs" "$c/objects" "$c/shallow" "$s/" &&
ln -s "$c/info/exclude" "$s/info/exclude"; } || exit ${LOOK_STATUS.noFolder}
printf '%s\\n' "$h" >"$s/HEAD" && printf '%s' "$k" >"$s/config" || exit ${LOOK_STATUS.noFolder}
[ -n "$x" ] || x=\${XDG_CONFIG_HOME:-$HOME/.config}/git/ignore
set -- env -i PATH="$PATH" HOME="$s" LC_ALL=C GIT_DIR="$s" GIT_WORK_TREE="$w" GIT_INDEX_FILE="$g/index" \\
GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 GIT_OPTIONAL_LOCKS=0 GIT_TERMINAL_PROMPT=0 \\
GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none git --no-pager -c core.fsmonitor=false -c core.hooksPath=/dev/null \\
-c core.excludesFile="$x"
`;

const LOOK = `${PREPARE}ask "$@" status --porcelain=v2 --branch -z --untracked-files=normal --ignore-submodules=all --no-renames || {
r=$?; [ $r -eq ${LOOK_STATUS.noGit} ] && exit $r; exit ${LOOK_STATUS.cannotRead}; }
set -- "$@" diff --numstat -z --no-renames --no-ext-diff --no-textconv --ignore-submodules=all HEAD --
[ -n "$t" ] || exec "$@" 2>/dev/null
ask "$@" 2>/dev/null
exit 0
`;

/** As words of a script that begins with PREPARE. */
export const lookWords = (input: LookInput): string[] => [
  input.folder ?? "",
  input.gitDir,
  input.commonDir,
  input.workTree,
  input.head,
  input.settings,
  input.excludesFile ?? "",
];

/** Two programs of git, one after the other. */
export const lookCommand = (input: LookInput): string[] => [
  "sh",
  "-c",
  LOOK,
  "agtmux-look",
  ...lookWords(input),
];
