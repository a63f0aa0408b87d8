#!/bin/sh
# The plugin for tmux, which TPM runs when tmux reads its configuration (docs/picker.md). It binds the keys of the picker and of
# `agtmux next`, and puts the states into the status line where a person wants that. It takes no key that somebody else bound,
# unless the option names that key. Without the command it changes nothing, and says so once for each tmux server.

option() {
  tmux show-options -gqv "$1"
}

# Where somebody is, else to the first who comes: tmux reads its configuration before anybody is attached. Without `-c`, which
# tmux 3.2a does not take.
say() {
  text="agtmux: $1"
  if [ -n "$(tmux list-clients 2>/dev/null)" ]; then
    tmux display-message -d 10000 "$text"
  else
    hook='client-session-changed[6173]'
    tmux set-hook -g "$hook" "set-hook -gu $hook ; display-message -d 10000 \"$text\""
  fi
}

# The command as a word of sh; a tmux that a desktop started may have a shorter PATH than a shell of the person.
find_command() {
  if command -v agtmux >/dev/null 2>&1; then
    echo agtmux
    return
  fi
  for folder in "$HOME/.local/bin" /opt/homebrew/bin /usr/local/bin; do
    # tmux reads '#' and sh reads "'" in what a key runs.
    case $folder in *[\'#]*) continue ;; esac
    if [ -x "$folder/agtmux" ]; then
      echo "'$folder/agtmux'"
      return
    fi
  done
  return 1
}

# bind_key <option> <its default> <what the key does> <tmux command …>
bind_key() {
  key=$(option "$1")
  default=$2
  note=$3
  shift 3
  if [ "$key" = none ]; then
    return
  elif [ -z "$key" ]; then
    key=$default
    # Asked for one key, tmux 3.7 says nothing.
    case $(tmux list-keys -T prefix | grep " prefix  *$key  *") in
      '' | *agtmux*) ;;
      *) return ;;
    esac
  fi
  # By itself it would end the command.
  [ "$key" = ';' ] && key='\;'
  tmux bind-key -N "$note" "$key" "$@" 2>/dev/null || say "tmux knows no key such as $1 names"
}

# Before what is there, once.
show_states() {
  line=$(option "status-$1")
  case $line in *'status --format tmux'*) return ;; esac
  tmux set-option -g "status-$1" "#($agtmux status --format tmux --no-start) $line"
  [ "$(option "status-$1-length")" -ge 80 ] || tmux set-option -g "status-$1-length" 80
}

if ! agtmux=$(find_command); then
  if [ -z "$(option @agtmux-missing)" ]; then
    tmux set-option -g @agtmux-missing said
    say 'the command is not installed, so the plugin does nothing'
  fi
  exit 0
fi
tmux set-option -gu @agtmux-missing

bind_key @agtmux-picker-key a 'Show the agents' display-popup -E -w 90% -h 85% "$agtmux pick"
bind_key @agtmux-next-key N 'Go to the agent that has waited longest' \
  if-shell -b "TMUX_PANE=#{pane_id} $agtmux next" '' 'display-message "Nothing waits"'
case $(option @agtmux-status) in
  left) show_states left ;;
  right | on) show_states right ;;
  '' | off) ;;
  *) say '@agtmux-status is left, right or off' ;;
esac
exit 0
