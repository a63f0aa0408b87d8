# The agent that a test plays: draws frames, runs hooks, leaves like the real one. Run by a bash that is linked under the
# agent's name, so that ps and tmux see that name; one process, no children but hooks. Works with bash 3.2.
# Usage: <agent> player.sh <folder>; the folder holds two FIFOs (control, answers) and the files that commands name.
# Commands, one a line: "frame <file>", "hook <event> <payload file>", "exit <code>". Each is answered by "done".

here=${1:-$PLAYER_FOLDER}
unset BASH_ENV PLAYER_FOLDER
# Started without arguments, so that its command line is its name alone, it does not get the terminal as its input.
[ -t 0 ] || exec </dev/tty
exec 3<>"$here/control" 4<>"$here/answers"
saved_tty=$(stty -g)
# The real one takes keys raw: nothing is echoed and Ctrl-C is a key.
stty -echo -icanon -isig

# Every command that the settings name for the event, each with the payload, in sh, as the real one does.
run_hooks() {
  for file in "$here/hook.$1".*; do
    [ -f "$file" ] || continue
    IFS= read -r -d '' command <"$file"
    sh -c "$command" <"$2" >/dev/null 2>&1 3>&- 4>&-
  done
}

leave() {
  trap '' TERM INT HUP
  if [ -f "$here/session.path" ]; then
    IFS= read -r session <"$here/session.path"
    rm -f "$session"
  fi
  if [ -f "$here/exit.event" ]; then
    IFS= read -r event <"$here/exit.event"
    run_hooks "$event" "$here/$2"
  fi
  printf '\033[?1006l\033[?1003l\033[?1002l\033[?1000l\033[?1049l\033[?25h\033]0;\007'
  stty "$saved_tty"
  exit "$1"
}

if [ ! -f "$here/dies.at.once" ]; then
  trap 'leave 143 end.other' TERM
  trap 'leave 130 end.other' INT
  trap 'leave 129 end.other' HUP
fi

printf 'pid %s %s %s\n' "$$" "$TMUX_PANE" "$TMUX" >&4
while :; do
  IFS=' ' read -r verb first second <&3 || continue
  case $verb in
    frame)
      IFS= read -r -d '' frame <"$here/$first"
      printf '%s' "$frame"
      ;;
    hook) run_hooks "$first" "$here/$second" ;;
    exit) leave "$first" end.exit ;;
  esac
  printf 'done\n' >&4
done
