#!/bin/sh
# describeMac.sh <file>: what a Mac of the workflow is and lets us do, so that a failure there can be told from one of ours: versions,
# who is at the screen, and whether programs may be scripted, notifications shown and the screen pictured. Never fails.
mkdir -p "$(dirname "$1")"
{
  for command in \
    'sw_vers' 'uname -a' 'tmux -V' 'node --version' \
    'node_modules/electron/dist/Electron.app/Contents/MacOS/Electron --version' \
    'stat -f %Su /dev/console' 'launchctl managername' 'csrutil status' \
    'lsappinfo front' 'system_profiler SPDisplaysDataType'; do
    echo "\$ $command"
    $command 2>&1
  done
  echo '$ osascript: how many windows Terminal has'
  osascript -e 'with timeout of 10 seconds' -e 'tell application "Terminal" to count windows' -e 'end timeout' 2>&1
  echo '$ osascript: a notification'
  osascript -e 'display notification "tried" with title "agtmux"' 2>&1
  echo '$ screencapture'
  screencapture -x "${1%.txt}.png" 2>&1 && echo pictured
} | tee "$1"
exit 0
