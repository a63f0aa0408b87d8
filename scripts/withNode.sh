#!/bin/sh
# `sh scripts/withNode.sh <script or tool> [arguments]`: runs one of our scripts, or a tool of node_modules/.bin, under a Node that
# is new enough. Every npm script goes through here, because npm starts them with the system's, and not every npm puts the
# Node of an optional package on the path (9.2, which Debian has, does not).
case $0 in
  */*) root=${0%/*}/.. ;;
  *) root=.. ;;
esac
root=$(cd "$root" && pwd) || exit 1
. "$root/bin/findNode.sh"
# What the script starts is a Node script too, or starts one. An own Node is on the path already.
[ "$node" = "$bundled" ] && PATH=${node%/*}:$PATH && export PATH
case $1 in
  *.mjs | *.ts | -*) exec "$node" "$@" ;;
esac
tool=$root/node_modules/.bin/$1
if [ ! -x "$tool" ]; then
  echo "agtmux: $1 is not installed. Run 'npm ci'." >&2
  exit 1
fi
shift
exec "$tool" "$@"
