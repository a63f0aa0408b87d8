// The completion scripts for bash, zsh and fish. bash and zsh share the table as `case` statements, and the walk over the words
// before the cursor. Everything that comes from the grammar is quoted; nothing is evaluated.
import type { CompletedVerb, Source } from "./pages.ts";
import { quoteWord } from "../../core/model/commandWords.ts";

/** One word for the script: `words a b`, `live refs`, `files` or `none`. */
const encode = (source: Source): string => {
  switch (source.kind) {
    case "words":
      return `words ${source.words.join(" ")}`;
    case "live":
      return `live ${source.live}`;
    case "files":
    case "none":
      return source.kind;
  }
};

const words = (all: readonly string[]): string => all.map(quoteWord).join(" ");
const withText = (name: string, says: string): string => `${name}\t${says}`;

const tableCase = ({ path, verbs, options, positionals, isOpen }: CompletedVerb): string => {
  const parts = [
    verbs.length > 0 ? `verbs=(${words(verbs.map(({ name, says }) => withText(name, says)))})` : "",
    `options=(${words(options.map(({ names, says }) => withText(names[0] ?? "", says)))})`,
    positionals.length > 0 ? `positionals=(${words(positionals.map(encode))})` : "",
    isOpen ? "open=1" : "",
  ];
  return `    ${quoteWord(path)}) ${parts.filter((part) => part !== "").join("; ")} ;;`;
};

/** One branch per source, with all the options that have it. */
const valueCases = (table: readonly CompletedVerb[]): string[] => {
  const bySource = new Map<string, string[]>();
  for (const { path, options } of table)
    for (const { names, source } of options)
      if (source !== null)
        for (const name of names) {
          const key = encode(source);
          bySource.set(key, [...(bySource.get(key) ?? []), quoteWord(`${path}|${name}`)]);
        }
  return [...bySource].map(([source, keys]) => `    ${keys.join("|")}) kind=${quoteWord(source)} ;;`);
};

/** After the first argument of these verbs, all words belong to another program. */
const openVerbsPosix = (table: readonly CompletedVerb[]): string =>
  table
    .filter(({ isOpen }) => isOpen)
    .map(({ path }) => `${quoteWord(`${path}|`)}[1-9]*`)
    .join("|");

/**
 * Functions for both shells. The caller must declare verbs, options, positionals, open, kind, verb, position and found as
 * local.
 */
const sharedScript = (table: readonly CompletedVerb[]): string => `
# What there is at a command: its verbs and options (each with a tab and a text), and where its arguments come from.
__agtmux_table() {
  verbs=(); options=(); positionals=(); open=
  case $1 in
${table.map(tableCase).join("\n")}
  esac
}

# Where the value of option $2 of command $1 comes from; nothing for a switch.
__agtmux_value() {
  kind=
  case "$1|$2" in
${valueCases(table).join("\n")}
  esac
}

__agtmux_is_verb() {
  case $1 in
    ${table
      .filter(({ path }) => path !== "")
      .map(({ path }) => quoteWord(path))
      .join("|")}) return 0 ;;
  esac
  return 1
}

# Reads the words before the cursor: the command they name, how many arguments it has, and the value that is due.
__agtmux_walk() {
  verb= kind= position=0
  local word next
  for word in "$@"; do
    if [ -n "$kind" ]; then kind=; continue; fi
    case "$verb|$position" in
      ${openVerbsPosix(table)}) break ;;
    esac
    case $word in
      --|--*=*) continue ;;
      -*) __agtmux_value "$verb" "$word"; continue ;;
    esac
    next=\${verb:+$verb }$word
    if [ "$position" = 0 ] && __agtmux_is_verb "$next"; then verb=$next; else position=$((position + 1)); fi
  done
}

# Puts the candidates of a source into found; $2 is what is typed of it.
__agtmux_find() {
  local line
  case $1 in
    'words '*) for line in \${1#words }; do found+=("$line"); done ;;
    'live '*)
      while IFS= read -r line; do found+=("$line"); done < <(command agtmux __complete "\${1#live }" "$2" 2>/dev/null)
      ;;
  esac
}
`;

// bash 3.2 and later: the script needs nothing but bash. It joins words again that readline split at ':' and '=', and quotes its
// candidates itself, because a session can have any name.

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

// zsh: candidates go to compadd, which quotes and filters them itself.

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

// fish: one `complete` line per verb, option and argument. fish quotes what it inserts itself.

/** fish knows two escapes within single quotes. */
const quoteFish = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** The flags of `complete` that offer a source; -x: no files beside it. */
const offer = (source: Source): string => {
  switch (source.kind) {
    case "words":
      return `-x -a ${quoteFish(source.words.join(" "))}`;
    case "live":
      return `-x -a '(__agtmux_live ${source.live})'`;
    case "files":
      return "-r -F";
    case "none":
      return "-x";
  }
};

const line = (condition: string, rest: string): string =>
  `complete -c agtmux -n ${quoteFish(condition)} ${rest}`;

const linesOf = ({ path, verbs, options, positionals }: CompletedVerb): string[] => {
  const at = (count: number): string => `__agtmux_at ${quoteFish(path)} ${count}`;
  return [
    ...verbs.map(({ name, says }) => line(at(0), `-a ${quoteFish(name)} -d ${quoteFish(says)}`)),
    ...options.map(({ names, says, source }) => {
      const forms = names.map((name) =>
        name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
      );
      const value = source === null ? "" : ` ${offer(source)}`;
      return line(`__agtmux_at ${quoteFish(path)}`, `${forms.join(" ")}${value} -d ${quoteFish(says)}`);
    }),
    ...positionals.flatMap((source, index) =>
      source.kind === "none" ? [] : [line(at(index), offer(source))],
    ),
  ];
};

const valuedOptions = (table: readonly CompletedVerb[]): string[] => [
  ...new Set(
    table.flatMap(({ options }) => options.flatMap(({ names, source }) => (source === null ? [] : names))),
  ),
];

const openVerbsFish = (table: readonly CompletedVerb[]): string =>
  table
    .filter(({ isOpen }) => isOpen)
    .map(({ path }) => quoteFish(path))
    .join(" ");

export const fishScript = (
  table: readonly CompletedVerb[],
): string => `# fish completion for agtmux, made by 'agtmux completions fish'.

function __agtmux_live
    command agtmux __complete $argv[1] (string unescape -- (commandline -ct) | string replace -r '^--[^=]*=' '') 2>/dev/null
end

# Prints the command that the words before the cursor name, and how many arguments it has.
function __agtmux_walk
    set -l path
    set -l count 0
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case '--*=*' --
                continue
            case ${valuedOptions(table).join(" ")}
                contains -- "$path" ${openVerbsFish(table)}; or set skip 1
                continue
            case '-*'
                continue
        end
        set -l next (string join ' ' -- $path $word)
        if test $count = 0; and contains -- "$next" ${table
          .filter(({ path }) => path !== "")
          .map(({ path }) => quoteFish(path))
          .join(" ")}
            set path "$next"
        else
            set count (math $count + 1)
        end
    end
    echo "$path"
    echo $count
end

# True at the command $argv[1]; with $argv[2] only where it has that many arguments.
function __agtmux_at
    set -l now (__agtmux_walk)
    test "$now[1]" = "$argv[1]"; or return 1
    set -q argv[2]; or return 0
    test "$now[2]" = "$argv[2]"
end

# Files are offered only where one is wanted, and after the name of an agent that is run.
complete -c agtmux -f
complete -c agtmux -n 'contains -- (__agtmux_walk)[1] ${openVerbsFish(table).replaceAll("'", "")}; and test (__agtmux_walk)[2] -gt 0' -F
${table.flatMap(linesOf).join("\n")}
`;
