#!/bin/sh
# tryPackage.sh <folder>: tries what was packaged for this machine with the real Electron in it, as far as that goes without a
# desktop: the command line answers, starts a daemon and sees a pane, and on macOS the signature holds. Leaves nothing running.
set -eu
release=$1
case $(uname -s)-$(uname -m) in
  Darwin-arm64) resources=$release/mac-arm64/agtmux.app/Contents/Resources ;;
  Darwin-*) resources=$release/mac/agtmux.app/Contents/Resources ;;
  Linux-aarch64) resources=$release/linux-arm64-unpacked/resources ;;
  *) resources=$release/linux-unpacked/resources ;;
esac
agtmux=$resources/cli/bin/agtmux

scratch=$(mktemp -d)
socket=$scratch/tmux
finish() {
  AGTMUX_HOME=$scratch/home "$agtmux" daemon stop || true
  tmux -S "$socket" kill-server 2>/dev/null || true
  rm -rf "$scratch"
}
trap finish EXIT

export AGTMUX_HOME="$scratch/home" AGTMUX_TMUX_SOCKETS="$socket"
tmux -S "$socket" -f /dev/null new-session -d -s tried 'exec cat'
"$agtmux" --version
panes=$("$agtmux" list panes --all --plain --columns session)
echo "$panes"
[ "$panes" = tried ]

if [ "$(uname -s)" = Darwin ]; then
  app=${resources%/Contents/Resources}
  codesign --verify --deep --strict --verbose=2 "$app"
  codesign --display --entitlements - "$app"
fi
