// Reads a git configuration as data. Only settings that are plain facts about files and branches are taken over, each checked by
// its form; no setting that names a program, a file or an address ever is. Pure.

export interface GitSettings {
  /** Facts by `section.key`, as they are written into the settings that git is given. */
  facts: ReadonlyMap<string, string>;
  /** By branch: the remote and the branch there that it follows. */
  upstreams: ReadonlyMap<string, { remote: string; merge: string }>;
  /** Why git cannot be asked with these facts alone; null: it can. */
  obstacle: string | null;
}

const BOOLEAN = /^(?:true|false|yes|no|on|off|0|1)$/i;
const FACTS: Readonly<Record<string, RegExp>> = {
  "core.autocrlf": /^(?:true|false|input|yes|no|on|off)$/i,
  "core.eol": /^(?:lf|crlf|native)$/i,
  "core.checkstat": /^(?:default|minimal)$/i,
  "core.filemode": BOOLEAN,
  "core.ignorecase": BOOLEAN,
  "core.precomposeunicode": BOOLEAN,
  "core.symlinks": BOOLEAN,
  "core.trustctime": BOOLEAN,
  "extensions.objectformat": /^(?:sha1|sha256)$/i,
};

/** Sections that change what git makes of a file, by a program or by a file that is not read here. */
const obstacleOf = (section: string, key: string, value: string): string | null => {
  if (section === "filter") return "its files go through a filter, and a filter is a program";
  if (section === "include" || section === "includeif") return "its settings include other files";
  if (section === "extensions" && key === "refstorage" && value !== "files")
    return `its branches are kept in the form '${value.slice(0, 20)}', which is not read`;
  return null;
};

/** Names of branches and remotes that need no quoting anywhere. */
const NAME = /^[\p{L}\p{N}._/@+#-]{1,200}$/u;

interface Entry {
  section: string;
  subsection: string | null;
  key: string;
  value: string;
}

const HEADER = /^\[([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\]\s*(.*)$/u;
const ENTRY = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/;

/** A value with quotes, escapes or a comment is left empty: none of the facts needs them. */
const plainValue = (raw: string | undefined): string =>
  raw === undefined ? "true" : /["\\;#]/.test(raw) ? "" : raw.trim();

function* entriesOf(text: string): Generator<Entry> {
  let section = "";
  let subsection: string | null = null;
  for (const line of text.split("\n")) {
    let rest = line.trim();
    const header = HEADER.exec(rest);
    if (header !== null) {
      section = (header[1] ?? "").toLowerCase();
      subsection = header[2] ?? null;
      rest = header[3] ?? "";
      // A section counts though nothing stands in it: its entries may be written in a way that is not read here.
      yield { section, subsection, key: "", value: "" };
    }
    const entry = ENTRY.exec(rest);
    if (entry === null) continue;
    yield { section, subsection, key: (entry[1] ?? "").toLowerCase(), value: plainValue(entry[2]) };
  }
}

export const readSettings = (text: string): GitSettings => {
  const facts = new Map<string, string>();
  const remotes = new Map<string, string>();
  const merges = new Map<string, string>();
  let obstacle: string | null = null;
  for (const { section, subsection, key, value } of entriesOf(text)) {
    obstacle ??= obstacleOf(section.split(".", 1)[0] ?? "", key, value);
    const name = `${section}.${key}`;
    if (subsection === null && FACTS[name]?.test(value) === true) facts.set(name, value);
    if (section !== "branch" || subsection === null || !NAME.test(subsection)) continue;
    if (key === "remote" && NAME.test(value)) remotes.set(subsection, value);
    if (key === "merge" && value.startsWith("refs/heads/") && NAME.test(value)) merges.set(subsection, value);
  }
  const upstreams = new Map(
    [...merges].flatMap(([branch, merge]) => {
      const remote = remotes.get(branch);
      return remote === undefined ? [] : [[branch, { remote, merge }] as const];
    }),
  );
  return { facts, upstreams, obstacle };
};

/** The person's own list of ignored files, where the settings in their home name one. */
export const readExcludesFile = (text: string, home: string): string | null => {
  let named: string | null = null;
  for (const { section, subsection, key, value } of entriesOf(text))
    if (section === "core" && subsection === null && key === "excludesfile") named = value;
  const path = named?.replace(/^~\//, `${home}/`) ?? "";
  return path.startsWith("/") ? path : null;
};

const entryText = (section: string, entries: readonly (readonly [string, string])[]): string =>
  entries.length === 0
    ? ""
    : `[${section}]\n${entries.map(([key, value]) => `\t${key} = ${value}\n`).join("")}`;

/** The whole settings with which git looks at the repository: these facts, and what keeps it from starting anything. */
export const settingsText = ({ facts, upstreams }: GitSettings, branch: string | null): string => {
  const of = (wanted: string): [string, string][] =>
    [...facts].flatMap(([name, value]) =>
      name.startsWith(`${wanted}.`) ? [[name.slice(wanted.length + 1), value]] : [],
    );
  const upstream = branch === null ? undefined : upstreams.get(branch);
  const following =
    upstream === undefined
      ? ""
      : entryText(`branch "${branch}"`, [
          ["remote", upstream.remote],
          ["merge", upstream.merge],
        ]) +
        (upstream.remote === "."
          ? ""
          : entryText(`remote "${upstream.remote}"`, [
              ["url", "/dev/null"],
              ["fetch", `+refs/heads/*:refs/remotes/${upstream.remote}/*`],
            ]));
  const extensions = of("extensions");
  return (
    entryText("core", [
      ["repositoryformatversion", extensions.length === 0 ? "0" : "1"],
      ["bare", "false"],
      ["fsmonitor", "false"],
      ["hooksPath", "/dev/null"],
      ["attributesFile", "/dev/null"],
      ...of("core"),
    ]) +
    entryText("extensions", extensions) +
    // Else a look could write the index.
    entryText("diff", [["autoRefreshIndex", "false"]]) +
    following
  );
};
