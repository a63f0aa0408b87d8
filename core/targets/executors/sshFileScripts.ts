// The scripts that read and write files on the remote side, for any POSIX `sh`. `$1` is always the path; a missing file is
// status 44. They use what GNU, BSD and busybox have in common, and try both forms of `stat`.

/** Exit status of a script when the file does not exist. */
export const MISSING_STATUS = 44;

/**
 * `gone`: nothing is at the path. A folder on the way that may not be searched does not prove that; the next command then
 * fails with its own message.
 */
const GONE = `gone() { [ ! -e "$1" ] || return 1
d=$1; while :; do case $d in (*/*) d=\${d%/*};; (*) d=.;; esac
[ -n "$d" ] || d=/; [ ! -e "$d" ] || break; done
[ ! -d "$d" ] || [ -x "$d" ]; }
`;

/** Only regular files are read. A FIFO would block, so it counts as empty, as it does locally. */
const readBy = (command: string): string => `${GONE}if gone "$1"; then exit ${MISSING_STATUS}; fi
[ ! -p "$1" ] || exit 0
[ -f "$1" ] || { : <"$1" || exit 1; echo "it is no regular file" >&2; exit 1; }
if [ "$2" -gt 0 ]; then ${command} <"$1"; else : <"$1"; fi`;

/**
 * Names end in NUL. The three patterns match all names except `.` and `..`. A pattern that matches nothing stays as it is,
 * which is why each name is tested.
 */
const LIST = `${GONE}if gone "$1"; then exit ${MISSING_STATUS}; fi
[ -d "$1" ] || exit ${MISSING_STATUS}
[ -r "$1" ] || { echo "Permission denied" >&2; exit 1; }
cd "$1" || exit 1
for f in * .[!.]* ..?*; do if [ -e "$f" ] || [ -L "$f" ]; then printf '%s\\000' "$f"; fi; done
exit 0`;

const STAT = `${GONE}if gone "$1"; then exit ${MISSING_STATUS}; fi
stat -L -c 'G %f %s %Y %y' "$1" 2>/dev/null || stat -L -f 'B %p %z %Fm' "$1"`;

const LINK = `[ -L "$1" ] || exit ${MISSING_STATUS}
readlink -n "$1" 2>/dev/null || exit ${MISSING_STATUS}`;

/**
 * `$2` is the mode of a new file, `$3` the name of the temporary one, `$4` the number of bytes to come. It follows symbolic
 * links by itself, because their end need not exist. `noclobber` refuses a temporary name that somebody else made. When a lost
 * connection cuts the content, it is never renamed into place.
 */
const WRITE = `p=$1; n=0; umask 077
while [ -L "$p" ]; do n=$((n+1)); [ $n -le 40 ] || { echo "too many symbolic links" >&2; exit 1; }
t=$(readlink -n "$p"; echo x); t=\${t%x}; case $t in (/*) p=$t;; (*) p=\${p%/*}/$t;; esac; done
[ ! -d "$p" ] || { echo "it is a folder" >&2; exit 1; }
d=\${p%/*}; [ -n "$d" ] || d=/
mkdir -p "$d" || exit 1
t=$d/$3; set -C
trap 'rm -f "$t"; exit 1' TERM HUP INT
if { [ "$4" -eq 0 ] || head -c "$4"; } >"$t" && [ "$(wc -c <"$t")" -eq "$4" ]; then :; else rm -f "$t"; echo "it could not be written whole" >&2; exit 1; fi
m=$2; if [ -e "$p" ]; then m=$(stat -L -c %a "$p" 2>/dev/null || stat -L -f %Mp%Lp "$p") || { rm -f "$t"; exit 1; }; fi
sync "$t" 2>/dev/null
if chmod "$m" "$t" && mv -f "$t" "$p"; then :; else rm -f "$t"; exit 1; fi`;

const REMOVE = `rm -f "$1"`;

export const FILE_SCRIPTS = {
  readStart: readBy('head -c "$2"'),
  readEnd: readBy('tail -c "$2"'),
  readLink: LINK,
  list: LIST,
  stat: STAT,
  write: WRITE,
  remove: REMOVE,
} as const;
