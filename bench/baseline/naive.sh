#!/usr/bin/env bash
# The naive way: every two seconds one `tmux list-panes`, one `tmux capture-pane` for each pane, and a pattern that looks for a
# dialog on the screen. Written as somebody would who wants it good: matched inside the shell, so that a pane costs one process.
# Usage: naive.sh <tmux socket> [seconds]; says "waiting <pane>" for each pane that shows a dialog and "round <panes>" after each round.
socket=$1
pause=${2:-2}
dialog='Do you want to|Would you like to|Esc to cancel|❯ 1\. Yes|\(y/n\)|Allow (once|always)'
while :; do
  panes=$(tmux -S "$socket" list-panes -a -F '#{pane_id}')
  count=0
  for pane in $panes; do
    screen=$(tmux -S "$socket" capture-pane -p -t "$pane" 2>/dev/null)
    [[ $screen =~ $dialog ]] && echo "waiting $pane"
    count=$((count + 1))
  done
  echo "round $count"
  sleep "$pause"
done
