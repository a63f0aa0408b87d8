#!/bin/sh
# Installs agtmux below ~/.local, for you alone; it needs neither root nor Node, and changes no profile of a shell:
#
#   curl -fsSL <address of the releases>/latest/download/install.sh | sh
#   … | sh -s -- --version 1.2.3 --prefix ~/opt
#
# It reads SHA256SUMS of the release, fetches the archive for this system, compares the two, and unpacks it beside the versions
# that are there already; then one link leads to it. AGTMUX_RELEASES names another address, such as a mirror's.
set -eu
umask go-w

# Filled in when a release is made.
releases='@RELEASES@'

max_sums=65536
max_archive=83886080
max_unpacked=419430400
work=

say() { printf '%s\n' "$*"; }
die() {
  printf 'agtmux: %s\n' "$*" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }
# As a word of a shell.
quote() { printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"; }

clean() {
  [ -z "$work" ] || rm -rf "$work"
}
trap clean EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

usage() {
  say 'usage: install.sh [--version <version>] [--prefix <folder, by default ~/.local>]'
}

# Sets `system` as the files of a release name it.
find_system() {
  case $(uname -m) in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) die "there is no archive for $(uname -m). Build it from a clone." ;;
  esac
  case $(uname -s) in
    Linux)
      system=linux-$arch
      # The loader that the Node in the archive needs.
      case $arch in
        x64) loader=/lib64/ld-linux-x86-64.so.2 ;;
        *) loader=/lib/ld-linux-aarch64.so.1 ;;
      esac
      [ -e "$loader" ] ||
        die "$loader is missing: this Linux has another libc. Install Node 24 and the package for npm."
      ;;
    Darwin)
      # A shell that is translated for an older processor calls itself one.
      [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || :)" = 1 ] && arch=arm64
      system=macos-$arch
      ;;
    *) die "there is no archive for $(uname -s)." ;;
  esac
}

# What is sent in the clear can be changed on its way; only this machine itself may.
check_address() {
  case $releases in
    '') die 'this script names no address of releases. Set AGTMUX_RELEASES to one.' ;;
    *[!A-Za-z0-9.:/_~%+-]*) die 'the address of the releases has characters that none has.' ;;
    https://?*) protocols='=https' ;;
    http://127.0.0.1:[0-9]* | http://127.0.0.1/* | http://localhost:[0-9]* | http://localhost/*)
      protocols='=http,https'
      ;;
    *) die "$releases does not begin with https://." ;;
  esac
  releases=${releases%/}
}

# fetch <address> <file> <most bytes>: an answer that is larger, too slow or cut short is refused.
fetch() {
  rm -f "$work/failed"
  {
    if has curl; then
      curl -fsSL --proto "$protocols" --proto-redir "$protocols" --max-redirs 5 --connect-timeout 20 \
        --speed-limit 1000 --speed-time 30 --retry 2 --url "$1"
    elif has wget; then
      wget -q -T 30 -O - "$1"
    else
      printf 'agtmux: curl or wget is needed.\n' >&2
      false
    fi || : >"$work/failed"
  } | head -c "$(($3 + 1))" >"$2"
  [ "$(($(wc -c <"$2")))" -le "$3" ] || die "$1 is larger than $3 bytes."
  [ ! -e "$work/failed" ] || die "$1 could not be fetched."
}

sha256_of() {
  if has sha256sum; then
    sha256sum <"$1"
  elif has shasum; then
    shasum -a 256 <"$1"
  elif has openssl; then
    openssl dgst -sha256 -r <"$1"
  else
    die 'sha256sum, shasum or openssl is needed.'
  fi | cut -c 1-64
}

# Sets `version` and `sum` from the one line of SHA256SUMS that is about this system.
read_sums() {
  found=$(awk -v suffix="-$system.tar.gz" -v wanted="$version" '
    NF == 2 && length($1) == 64 && $1 !~ /[^0-9a-f]/ {
      name = $2
      sub(/^\*/, "", name)
      if (index(name, "agtmux-") != 1) next
      at = length(name) - length(suffix) + 1
      if (at < 9 || substr(name, at) != suffix) next
      version = substr(name, 8, at - 8)
      if (length(version) > 40 || version !~ /^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$/) next
      if (wanted != "" && version != wanted) next
      print version, $1
    }' "$work/SHA256SUMS")
  [ -n "$found" ] || die "the release has no archive for $system${version:+ of version $version}."
  version=${found%% *}
  sum=${found#* }
  case $sum in *[!0-9a-f]*) die "SHA256SUMS names more than one archive for $system." ;; esac
}

# Only plain files and folders below the one folder, and none with other rights than usual.
check_archive() {
  unpacked=$(gzip -dc "$1" 2>/dev/null | head -c "$((max_unpacked + 1))" | wc -c)
  [ "$((unpacked))" -le "$max_unpacked" ] || die 'the archive is larger than it may be when it is unpacked.'
  tar -tzf "$1" >"$work/names" 2>/dev/null || die 'the archive is damaged.'
  awk -v folder="$name/" '
    index($0, folder) != 1 || /\\/ || /(^|\/)\.\.(\/|$)/ { bad = 1 }
    END { exit bad || NR == 0 }' "$work/names" || die 'the archive has files outside of its folder.'
  tar -tvzf "$1" >"$work/list" 2>/dev/null || die 'the archive is damaged.'
  awk '
    substr($0, 1, 10) !~ /^[-d][-rwx][-rwx][-rwx][-rwx][-rwx][-rwx][-rwx][-rwx][-rwx]$/ || / -> / || / link to / { bad = 1 }
    END { exit bad }' "$work/list" || die 'the archive has links or special files in it.'
}

# The user that owns a file, and whether everybody may write to it (w). No stat is the same everywhere, and names are not read.
# shellcheck disable=SC2012
owner_of() { ls -ldn "$1" | awk '{ print $3 }'; }
# shellcheck disable=SC2012
others_of() { ls -ldn "$1" | cut -c 9; }

check_folder() {
  [ -d "$1" ] || die "$1 is in the way: it is no folder."
  [ "$(owner_of "$1/.")" = "$me" ] || die "$1 belongs to another user."
  [ "$(others_of "$1/.")" != w ] || die "everybody may write to $1. Run 'chmod o-w' on it."
}

# True where there is nothing yet, or the link that this script makes.
is_free() {
  if [ -L "$1" ]; then [ "$(readlink "$1")" = "$2" ]; else [ ! -e "$1" ]; fi
}

# link <where below the prefix> <what it leads to>, if the release has that.
link() {
  [ -e "$target/${2#*/current/}" ] || return 0
  is_free "$prefix/$1" "$2" || return 0
  mkdir -p "$(dirname "$prefix/$1")" 2>/dev/null || return 0
  [ -L "$prefix/$1" ] || ln -s "$2" "$prefix/$1" 2>/dev/null || return 0
  links="$links $(quote "$prefix/$1")"
}

place() {
  target=$base/$name
  old=$(readlink "$base/current" 2>/dev/null || :)
  [ ! -L "$target" ] || die "$target is in the way: it is a link."
  # The same version once more puts a whole one in the place of what may have been damaged.
  [ ! -e "$target" ] || mv "$target" "$work/replaced"
  mv "$work/$name" "$target"
  ln -s "$name" "$work/current"
  # By the Node that has just come, because no mv of a shell puts a link in the place of another one that leads to a folder.
  for node in "$target"/node_modules/node-*/bin/node; do
    "$node" -e 'require("node:fs").renameSync(process.argv[1], process.argv[2])' "$work/current" "$base/current" ||
      die "$base/current could not be changed."
  done
  # One version is kept beside the new one: what still runs loads parts of it.
  for folder in "$base"/agtmux-*; do
    if [ ! -d "$folder" ] || [ -L "$folder" ]; then continue; fi
    case ${folder##*/} in
      "$name" | "$old") ;;
      *) rm -rf "$folder" ;;
    esac
  done
}

tell() {
  say "agtmux $version is installed in $target."
  say "The command is $prefix/bin/agtmux. Nothing else was changed${links:+, but for links to its completions and man page}."
  case ":${PATH-}:" in
    *":$prefix/bin:"*)
      first=$(command -v agtmux || :)
      [ "$first" = "$prefix/bin/agtmux" ] || say "Another agtmux comes first on your PATH: $first."
      ;;
    *)
      say "$prefix/bin is not on your PATH. For that, add this line to your shell's profile:"
      say "  export PATH=$(quote "$prefix/bin"):\"\$PATH\""
      ;;
  esac
  say
  say 'Next, run: agtmux setup'
  say 'Later: agtmux upgrade. To remove it:'
  say '  agtmux setup --remove'
  say "  rm -r $(quote "$base") $(quote "$prefix/bin/agtmux")$links"
  say '  rm -r ~/.agtmux     # states, history and settings'
}

main() {
  version=
  prefix=
  while [ $# -gt 0 ]; do
    case $1 in
      --version | --prefix)
        [ $# -ge 2 ] || die "$1 needs a value."
        case $1 in
          --version) version=${2#v} ;;
          *) prefix=$2 ;;
        esac
        shift 2
        ;;
      -h | --help)
        usage
        exit 0
        ;;
      *)
        usage >&2
        exit 2
        ;;
    esac
  done
  case $version in *[!0-9A-Za-z.-]*) die 'this is no version.' ;; esac
  releases=${AGTMUX_RELEASES:-$releases}
  case $releases in @*) releases= ;; esac
  check_address
  find_system

  me=$(id -u)
  case ${HOME-} in /*) ;; *) die 'HOME is not set.' ;; esac
  prefix=${prefix:-$HOME/.local}
  case $prefix in
    *'
'*) die 'the folder has a line break in its name.' ;;
    /*) ;;
    *) prefix=$PWD/$prefix ;;
  esac
  prefix=${prefix%/}
  command=../share/agtmux/current/bin/agtmux
  base=$prefix/share/agtmux
  links=

  # Whatever is in the way is found before anything is fetched.
  is_free "$prefix/bin/agtmux" "$command" || die "$prefix/bin/agtmux is there already, and not from here. Move it away."
  mkdir -p "$base" "$prefix/bin" || die "$prefix cannot be written to. Name another folder with --prefix."
  check_folder "$prefix"
  check_folder "$prefix/bin"
  check_folder "$base"
  [ -L "$base/current" ] || [ ! -e "$base/current" ] || die "$base/current is in the way: it is no link."
  work=$(mktemp -d "$base/.install-XXXXXX") || die "$base cannot be written to."

  if [ -n "$version" ]; then
    fetch "$releases/download/v$version/SHA256SUMS" "$work/SHA256SUMS" "$max_sums"
  else
    fetch "$releases/latest/download/SHA256SUMS" "$work/SHA256SUMS" "$max_sums"
  fi
  read_sums
  name=agtmux-$version-$system
  say "Fetching $releases/download/v$version/$name.tar.gz"
  fetch "$releases/download/v$version/$name.tar.gz" "$work/archive" "$max_archive"
  [ "$(sha256_of "$work/archive")" = "$sum" ] || die "the archive is not the one that SHA256SUMS names. Nothing was installed."
  check_archive "$work/archive"
  tar -xzf "$work/archive" -o -C "$work" || die 'the archive could not be unpacked.'
  [ "$("$work/$name/bin/agtmux" --version </dev/null 2>/dev/null || :)" = "$version" ] ||
    die 'what was fetched does not run on this system. Nothing was installed.'
  place
  [ -L "$prefix/bin/agtmux" ] || ln -s "$command" "$prefix/bin/agtmux" ||
    die "$prefix/bin/agtmux could not be made. The command is $target/bin/agtmux."
  link share/bash-completion/completions/agtmux ../../agtmux/current/share/bash-completion/completions/agtmux
  link share/fish/vendor_completions.d/agtmux.fish ../../agtmux/current/share/fish/vendor_completions.d/agtmux.fish
  link share/zsh/site-functions/_agtmux ../../agtmux/current/share/zsh/site-functions/_agtmux
  link share/man/man1/agtmux.1 ../../agtmux/current/share/man/man1/agtmux.1
  tell
}

# The whole script was read before anything is done: one that was cut short does nothing.
main "$@"
