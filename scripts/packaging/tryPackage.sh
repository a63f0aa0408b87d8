#!/bin/sh
# tryPackage.sh app|archive <folder>: tries what was packaged for this machine, as far as that goes without a desktop: the command
# line answers, starts a daemon and sees a pane. The app's runs in the real Electron, and on macOS its signature must hold; the
# archive is unpacked into a path with a space, and finds no Node but its own. Leaves nothing running.
set -eu
kind=$1
release=$2
scratch=$(mktemp -d)
socket=$scratch/tmux
agtmux=
finish() {
  [ -z "$agtmux" ] || AGTMUX_HOME=$scratch/home "$agtmux" daemon stop || true
  tmux -S "$socket" kill-server 2>/dev/null || true
  rm -rf "$scratch"
}
trap finish EXIT

case $kind in
  app)
    case $(uname -s)-$(uname -m) in
      Darwin-arm64) resources=$release/mac-arm64/agtmux.app/Contents/Resources ;;
      Darwin-*) resources=$release/mac/agtmux.app/Contents/Resources ;;
      Linux-aarch64) resources=$release/linux-arm64-unpacked/resources ;;
      *) resources=$release/linux-unpacked/resources ;;
    esac
    agtmux=$resources/cli/bin/agtmux
    ;;
  archive)
    case $(uname -s)-$(uname -m) in
      Darwin-arm64) system=macos-arm64 ;;
      Darwin-*) system=macos-x64 ;;
      Linux-aarch64) system=linux-arm64 ;;
      *) system=linux-x64 ;;
    esac
    mkdir "$scratch/a folder" "$scratch/bin"
    tar -xzf "$release"/agtmux-*-"$system".tar.gz -C "$scratch/a folder"
    for found in "$scratch/a folder"/agtmux-*/bin/agtmux; do agtmux=$found; done
    ln -s "$(command -v tmux)" "$scratch/bin/tmux"
    # The folders that every system has, without a Node that somebody installed.
    PATH=$scratch/bin:/usr/bin:/bin:/usr/sbin:/sbin
    export PATH
    ;;
  *)
    echo "usage: tryPackage.sh app|archive <folder>" >&2
    exit 2
    ;;
esac

export AGTMUX_HOME="$scratch/home" AGTMUX_TMUX_SOCKETS="$socket"
tmux -S "$socket" -f /dev/null new-session -d -s tried 'exec cat'
"$agtmux" --version
panes=$("$agtmux" list panes --all --plain --columns session)
echo "$panes"
[ "$panes" = tried ]

if [ "$kind" = app ] && [ "$(uname -s)" = Darwin ]; then
  app=${resources%/Contents/Resources}
  codesign --verify --deep --strict --verbose=2 "$app"
  codesign --display --entitlements - "$app"
fi
