// What is run to make, judge and remove a linked work tree. Only the making of its entry needs the repository's own settings to be
// read by git; there, every program that they could name for it is switched off, and nothing is checked out. Files are checked out,
// and everything else is asked, with settings of ours (lookScript.ts), so that no filter and no hook can run.
import { ENDABLE, PREPARE } from "../git/lookScript.ts";

/** Exit statuses, beside those of a look. */
export const WORKTREE_STATUS = {
  notMade: 95,
  notFilled: 94,
  changed: 93,
  notMoved: 92,
  hasModules: 91,
} as const;

/** `$1` the main work tree, `$2` the new one's path, `$3` its branch, `$4` where a new branch begins (empty: it exists). */
const REAL = `${ENDABLE}real() { ask env -i PATH="$PATH" HOME="$HOME" LC_ALL=C GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null \\
GIT_TERMINAL_PROMPT=0 GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none git --no-pager -C "$r" \\
-c core.fsmonitor=false -c core.hooksPath=/dev/null "$@"; }
`;

/** `$5` git's common folder, `$6` settings. Prints what git says where it refuses. */
export const ADD = `u=$(umask); r=$1 p=$2 b=$3 f=$4 c=$5 k=$6
${REAL}if [ -n "$f" ]; then real worktree add --no-checkout -b "$b" -- "$p" "$f"; else real worktree add --no-checkout -- "$p" "$b"; fi \\
>/dev/null || exit ${WORKTREE_STATUS.notMade}
read -r l <"$p/.git" || exit ${WORKTREE_STATUS.notFilled}
set -- "" "\${l#gitdir: }" "$c" "$p" "ref: refs/heads/$b" "$k" ""
${PREPARE}umask "$u"
ask "$@" read-tree --reset -u HEAD && exit 0
real worktree remove --force -- "$w" >/dev/null 2>&1; [ -z "$f" ] || real branch -D -- "$b" >/dev/null 2>&1
exit ${WORKTREE_STATUS.notFilled}
`;

/** Ignored files and folders, each ended by NUL; then, after an empty record, how many commits \`m\` lacks: 0 or 1. */
export const JUDGE = `${PREPARE}o=$s/out.$$
ask "$@" ls-files -s >"$o" && grep -q '^160000' "$o"; r=$?; rm -f "$o"; [ $r != 0 ] || exit ${WORKTREE_STATUS.hasModules}
ask "$@" ls-files --others --ignored --exclude-standard --directory -z
printf '\\000'
[ -z "$m" ] || ask "$@" rev-list --count --max-count=1 HEAD --not "$m" -- 2>/dev/null
exit 0
`;

/**
 * Moves the work tree aside, where nothing that goes by its path finds it, looks at it once more, and removes it only if it is still
 * clean and merged; else, and where it is ended before, it is moved back. `$9` is the name aside; `$10` is not empty where ignored files may go too.
 */
export const REMOVE = `q=$9 i=\${10-}
read -r l <"$2/HEAD" && [ "$l" = "$5" ] || exit ${WORKTREE_STATUS.changed}
mv -- "$4" "$q" || exit ${WORKTREE_STATUS.notMoved}
p=$4; set -- "$1" "$2" "$3" "$q" "$5" "$6" "$7" "$8"
${PREPARE}n=; trap '[ -z "$j" ] || kill -KILL "$j"; [ -n "$n" ] || mv -- "$q" "$p"; exit ${WORKTREE_STATUS.changed}' HUP INT TERM
if ask "$@" status --porcelain -z --untracked-files=normal --ignore-submodules=none --no-renames >"$s/out" && [ ! -s "$s/out" ] &&
{ [ -n "$i" ] || { ask "$@" ls-files --others --ignored --exclude-standard --directory -z >"$s/out" && [ ! -s "$s/out" ]; }; } &&
ask "$@" rev-list --count --max-count=1 HEAD --not "$m" -- >"$s/out" 2>/dev/null && [ "$(cat "$s/out")" = 0 ]; then n=1; rm -rf -- "$q" "$g"
else mv -- "$q" "$p"; exit ${WORKTREE_STATUS.changed}; fi
`;
