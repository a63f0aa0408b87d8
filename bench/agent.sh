# The agent of the bench's panes: draws recorded frames when it is told to, at rest costs nothing, and when busy redraws whole
# frames in turns. Run by a bash that is linked under the agent's name. Usage: claude agent.sh <control fifo> <folder of frames>.
# Commands, one a line: "frame <name>", "busy <seconds between redraws>", "rest".
exec 3<>"$1"
# Nothing ever comes from here: waiting for it is a pause without a process. A pause in the command's own reading would lose what
# came half before its end.
exec 4<> <(:)
frames=$2
stty -echo -icanon -isig
pace=
turn=0
IFS= read -r -d '' first <"$frames/running"
IFS= read -r -d '' second <"$frames/tool_running"
while :; do
  if [ -n "$pace" ] && ! read -r -t 0 <&3; then
    read -r -t "$pace" <&4
    turn=$((1 - turn))
    if [ $turn = 1 ]; then printf '%s' "$first"; else printf '%s' "$second"; fi
    continue
  fi
  IFS=' ' read -r verb what <&3
  case $verb in
    frame)
      IFS= read -r -d '' frame <"$frames/$what"
      printf '%s' "$frame"
      ;;
    busy) pace=$what ;;
    rest) pace= ;;
  esac
done
