// The part of the completion script that bash and zsh share: the table as `case` statements, and the walk over the words
// before the cursor. Everything that comes from the grammar is quoted; nothing is evaluated.
import { type CompletedVerb, type Source } from "./table.ts";
import { quoteWord } from "../../core/model/shellWord.ts";

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
const openVerbs = (table: readonly CompletedVerb[]): string =>
  table
    .filter(({ isOpen }) => isOpen)
    .map(({ path }) => `${quoteWord(`${path}|`)}[1-9]*`)
    .join("|");

/**
 * Functions for both shells. The caller must declare verbs, options, positionals, open, kind, verb, position and found as
 * local.
 */
export const sharedScript = (table: readonly CompletedVerb[]): string => `
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
      ${openVerbs(table)}) break ;;
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
