// The completion script for bash 3.2 and later. It needs nothing but bash. It joins words again that readline split at ':' and
// '=', and quotes its candidates itself, because a session can have any name.
import { sharedScript } from "./posix.ts";
import type { CompletedVerb } from "./table.ts";

export const bashScript = (
  table: readonly CompletedVerb[],
): string => `# bash completion for agtmux, made by 'agtmux completions bash'.
${sharedScript(table)}
# Puts the words up to the cursor into words, joined again where readline split them at ':' or '='.
__agtmux_words() {
  local rest=$COMP_LINE index word
  words=()
  for ((index = 0; index <= COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ $index -eq 0 || -z $rest || $rest == [[:space:]]* ]]; then words+=("$word")
    else words[\${#words[@]}-1]+=$word
    fi
    while [[ $rest == [[:space:]]* ]]; do rest=\${rest#?}; done
    rest=\${rest#"$word"}
  done
}

# Offers what begins with $1. What could not be written safely inside the quotes that are open is left out.
__agtmux_offer() {
  local typed=$1 candidate quoted done_part
  shift
  for candidate in "$@"; do
    candidate=\${candidate%%$'\\t'*}
    case $typed in
      \\'*) [[ $candidate != *\\'* && "'$candidate" == "$typed"* ]] && COMPREPLY+=("$candidate") ;;
      \\"*) [[ $candidate != *[\\"\\$\\\`\\\\!]* && "\\"$candidate" == "$typed"* ]] && COMPREPLY+=("$candidate") ;;
      *)
        printf -v quoted %q "$candidate"
        # The shell's own '~' is to stay one; bash 3.2 does not quote that of a name.
        if [[ $typed == "~/"* ]]; then printf -v quoted '~/%q' "\${candidate#"~/"}"
        elif [[ $quoted == "~"* ]]; then quoted="\\\\$quoted"
        fi
        [[ $candidate == "$typed"* || $quoted == "$typed"* ]] || continue
        # readline puts it behind a quote in the middle of a word, which would end where this begins.
        [[ $quoted == "\\$'"* && $typed == *[\\'\\"]* ]] && continue
        # readline replaces only what follows the last ':'.
        if [[ $typed == *:* && $COMP_WORDBREAKS == *:* ]]; then
          done_part=\${typed%"\${typed##*:}"}
          quoted=\${quoted#"$done_part"}
        fi
        COMPREPLY+=("$quoted")
        ;;
    esac
  done
}

# Offers files. Where bash has compopt it quotes their names itself; bash 3.2 inserts what it is given as it stands.
__agtmux_offer_files() {
  local found=() line typed=$1
  if compopt -o filenames 2>/dev/null; then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$typed")
    return
  fi
  line=\${typed#[\\'\\"]}
  while IFS= read -r line; do found+=("$line"); done < <(__agtmux_files "\${line//\\\\/}" "$typed")
  __agtmux_offer "$typed" "\${found[@]}"
}

# Prints the files that begin with $1, where what is typed is $2; a name that nobody can type is left out.
__agtmux_files() {
  local file home=
  shopt -u failglob nullglob
  set +f
  # Within quotes, and behind a backslash, '~' is a name like any other.
  if [[ $2 == "~/"* ]]; then home=$HOME/; set -- "\${1#"~/"}"; fi
  for file in "$home$1"*; do
    [[ -e $file || -L $file ]] || continue
    [[ $file == *[[:cntrl:]]* ]] && continue
    [[ -d $file ]] && file+=/
    printf '%s\\n' "\${home:+~/}\${file#"$home"}"
  done
}

__agtmux_offer_source() {
  local found=() line
  if [[ $1 == files ]]; then
    __agtmux_offer_files "$2"
    return
  fi
  line=\${2#[\\'\\"]}
  __agtmux_find "$1" "\${line//\\\\/}"
  __agtmux_offer "$2" "\${found[@]}"
}

_agtmux() {
  local words verbs options positionals open kind verb position current prefix index
  COMPREPLY=()
  __agtmux_words
  current=\${words[\${#words[@]}-1]}
  unset "words[\${#words[@]}-1]"
  __agtmux_walk "\${words[@]:1}"
  __agtmux_table "$verb"
  if [[ -n $open && $position -gt 0 ]]; then
    __agtmux_offer_source files "$current"
  elif [[ -n $kind ]]; then
    __agtmux_offer_source "$kind" "$current"
  elif [[ $current == --*=* ]]; then
    __agtmux_value "$verb" "\${current%%=*}"
    prefix=\${current%%=*}=
    [[ -n $kind ]] && __agtmux_offer_source "$kind" "\${current#*=}"
    if [[ $COMP_WORDBREAKS != *=* ]]; then
      for index in "\${!COMPREPLY[@]}"; do COMPREPLY[index]=$prefix\${COMPREPLY[index]}; done
    fi
  elif [[ $current == -* ]]; then
    __agtmux_offer "$current" "\${options[@]}"
  else
    [[ $position -eq 0 ]] && __agtmux_offer "$current" "\${verbs[@]}"
    [[ $position -lt \${#positionals[@]} ]] && __agtmux_offer_source "\${positionals[position]}" "$current"
  fi
  return 0
}

complete -F _agtmux agtmux
`;
