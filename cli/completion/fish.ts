// The completion script for fish: one `complete` line per verb, option and argument. fish quotes what it inserts itself.
import { type CompletedVerb, type Source } from "./table.ts";

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

const openVerbs = (table: readonly CompletedVerb[]): string =>
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
                contains -- "$path" ${openVerbs(table)}; or set skip 1
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
complete -c agtmux -n 'contains -- (__agtmux_walk)[1] ${openVerbs(table).replaceAll("'", "")}; and test (__agtmux_walk)[2] -gt 0' -F
${table.flatMap(linesOf).join("\n")}
`;
