// The completion script for zsh: candidates go to compadd, which quotes and filters them itself.
import { sharedScript } from "./posix.ts";
import type { CompletedVerb } from "./table.ts";

export const zshScript = (table: readonly CompletedVerb[]): string => `#compdef agtmux
# zsh completion for agtmux, made by 'agtmux completions zsh'.
${sharedScript(table)}
# Offers candidates, each with a text behind a tab.
__agtmux_offer() {
  local -a values shown
  local candidate tab=$'\\t'
  for candidate in "$@"; do
    values+=("\${candidate%%$tab*}")
    if [[ $candidate == *$tab* ]]; then shown+=("\${candidate%%$tab*}  \${candidate#*$tab}")
    else shown+=("$candidate")
    fi
  done
  (( \${#values} )) && compadd -l -d shown -a values
}

__agtmux_offer_source() {
  local -a found
  if [[ $1 == files ]]; then _files; return; fi
  __agtmux_find "$1" "\${(Q)PREFIX}"
  __agtmux_offer "\${found[@]}"
}

_agtmux() {
  emulate -L zsh -o sh_word_split
  local open kind verb position
  local -a verbs options positionals
  __agtmux_walk "\${(@Q)words[2,CURRENT-1]}"
  __agtmux_table "$verb"
  if [[ -n $open && $position -gt 0 ]]; then _files
  elif [[ -n $kind ]]; then __agtmux_offer_source "$kind"
  elif [[ $PREFIX == --*=* ]]; then
    __agtmux_value "$verb" "\${PREFIX%%=*}"
    compset -P '*='
    [[ -n $kind ]] && __agtmux_offer_source "$kind"
  elif [[ $PREFIX == -* ]]; then __agtmux_offer "\${options[@]}"
  else
    [[ $position -eq 0 ]] && __agtmux_offer "\${verbs[@]}"
    (( position < \${#positionals} )) && __agtmux_offer_source "\${positionals[position+1]}"
  fi
}

if [[ \${funcstack[1]-} == _agtmux ]]; then _agtmux "$@"; else compdef _agtmux agtmux; fi
`;
