#!/bin/sh
# Waits for approvals on all targets and answers by rule: what is on the allow list is approved once, what is on the deny
# list is denied, and everything else is left for you. One line per prompt goes to standard output, apart by tabs: time,
# what was done, the exit status of the answer, the id of the action in 'agtmux audit', the runtime, and what was asked.
#
#   answer-by-rule.sh                                  until Ctrl-C, on every target
#   answer-by-rule.sh --target vm1 --agent claude      with any filter of 'agtmux wait'
#   answer-by-rule.sh --timeout 10m                    until nothing was asked for ten minutes
#
# A rule sees what the agent shows. Write rules for what may be run unseen in any directory, and change decide() to taste.
set -u
# So that a range such as A-Z means these letters and no others.
LC_ALL=C
export LC_ALL
agtmux=${AGTMUX:-agtmux}
tab=$(printf '\t')

# decide <kind> <what is asked>: prints approve, deny or leave. Newlines are '\n' and backslashes '\\' in what is asked, so
# that one line cannot hide a second one.
decide() {
  case $1 in
    command) ;;
    *) echo leave; return ;;
  esac
  case $2 in
    sudo\ * | *\ sudo\ * | *'rm -rf /'* | *'git push --force'*) echo deny; return ;;
  esac
  case $2 in
    # Anything that a shell could read as more than plain words: quotes, expansions, ';', '|', '&', '>', a second line.
    *[!A-Za-z0-9\ ._/=:,@%+-]*) echo leave ;;
    pwd | ls | 'ls '* | 'git status' | 'git status '* | 'git log' | 'git log --oneline') echo approve ;;
    *) echo leave ;;
  esac
}

# answer <approve|deny> <runtime> <fingerprint>: sets status and action. The fingerprint makes sure that only the prompt
# that the rule saw is answered. Status 5: it is gone, or not drawn yet, because an agent's hook is faster than its screen.
answer() {
  for attempt in 1 2 3; do
    result=$("$agtmux" answer "runtime:$2" "--$1" --if-prompt "$3" --json 2>/dev/null)
    status=$?
    [ "$status" -eq 5 ] && [ "$attempt" -lt 3 ] || break
    sleep 1
  done
  action=$(printf '%s\n' "$result" | sed -n 's/.*"action_id":"\([A-Za-z0-9_-]*\)".*/\1/p')
}

after=0
while :; do
  line=$("$agtmux" wait --until waiting_approval --after "$after" "$@" \
    --plain --columns state_version,runtime_id,prompt_fingerprint,kind,body)
  status=$?
  # Nothing more was asked within the --timeout.
  [ "$status" -eq 124 ] && exit 0
  [ "$status" -eq 0 ] || exit "$status"
  # Stopped by a signal before anything was asked.
  [ -n "$line" ] || exit 130
  IFS=$tab read -r version runtime fingerprint kind body <<EOF
$line
EOF
  after=$version
  verdict=$(decide "$kind" "$body")
  [ "$fingerprint" = - ] && verdict=leave
  status=- action=
  [ "$verdict" = leave ] || answer "$verdict" "$runtime" "$fingerprint"
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$verdict" "$status" "${action:--}" "$runtime" "$body"
done
