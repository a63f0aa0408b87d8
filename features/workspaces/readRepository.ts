// What has to be known of a repository before git is asked about it: where its parts lie, what is checked out, and those of its
// settings that are mere facts. Read from its files, without a program. Everything in them may be hostile.
import { posix } from "node:path";
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";

// Settings: a git configuration, read as data. Only settings that are plain facts about files and branches are taken over, each
// checked by its form; no setting that names a program, a file or an address ever is. Pure.

interface GitSettings {
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

/** Where branches go: addresses of remotes, and by branch the remote it is pushed to and the branch there that it follows. */
export interface Remotes {
  addresses: ReadonlyMap<string, string>;
  upstreams: GitSettings["upstreams"];
  pushRemotes: ReadonlyMap<string, string>;
  /** `remote.pushDefault`. */
  pushDefault: string | null;
}

export const readRemotes = (text: string): Remotes => {
  const addresses = new Map<string, string>();
  const pushRemotes = new Map<string, string>();
  let pushDefault: string | null = null;
  for (const { section, subsection, key, value } of entriesOf(text)) {
    if (section === "remote" && subsection === null && key === "pushdefault" && NAME.test(value))
      pushDefault = value;
    if (subsection === null || !NAME.test(subsection)) continue;
    // Of several addresses git fetches from the first.
    if (section === "remote" && key === "url" && value !== "" && !addresses.has(subsection))
      addresses.set(subsection, value);
    if (section === "branch" && key === "pushremote" && NAME.test(value)) pushRemotes.set(subsection, value);
  }
  return { addresses, upstreams: readSettings(text).upstreams, pushRemotes, pushDefault };
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

/** The whole settings with which git probes the repository: these facts, and what keeps it from starting anything. */
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
    // Else a probe could write the index.
    entryText("diff", [["autoRefreshIndex", "false"]]) +
    following
  );
};

const MAX_BYTES = 4_096;
const MAX_SETTINGS_BYTES = 256 * 1024;
/** `HEAD` as git writes it; anything else is not read. */
const HEAD = /^(?:ref: refs\/[^\s\p{Cc}]+|[0-9a-f]{40}|[0-9a-f]{64})$/u;

export interface Repository {
  /** Git's folder of this worktree, and the one that all worktrees share. Absolute. */
  gitDir: string;
  commonDir: string;
  /** The content of `HEAD`. */
  head: string;
  /** The branch that is checked out; null for a commit without one. */
  branch: string | null;
  settings: GitSettings;
}

/** What the person's own settings say, which hold in every repository. */
export interface PersonalSettings {
  facts: GitSettings["facts"];
  excludesFile: string | null;
}

export const readPersonal = async (files: TargetFiles, home: string): Promise<PersonalSettings> => {
  const text = (await files.readText(`${home}/.gitconfig`, MAX_SETTINGS_BYTES)) ?? "";
  return { facts: readSettings(text).facts, excludesFile: readExcludesFile(text, home) };
};

/** Why nothing can be said of a worktree. */
export class NotLookedAt extends Error {}

const resolved = (path: string, folder: string): string =>
  posix.normalize(path.startsWith("/") ? path : `${folder}/${path}`).replace(/(?<=.)\/+$/, "");

/** A line that a file holds, without the end of the line; the path in it may have any other character. */
const firstLine = (text: string): string => text.split("\n")[0] ?? "";

const gitDirOf = async (files: TargetFiles, workTree: string): Promise<string> => {
  const path = `${workTree}/.git`;
  const stat = await files.stat(path);
  if (stat === null) throw new NotLookedAt("there is no git repository any more");
  if (!stat.isFile) return path;
  const named = /^gitdir: (.+)$/.exec(firstLine((await files.readText(path, MAX_BYTES)) ?? ""))?.[1];
  if (named === undefined) throw new NotLookedAt("its .git file doesn't name a folder");
  return resolved(named, workTree);
};

/** The settings of the repository, with those of this worktree where it has its own. */
const settingsOf = async (files: TargetFiles, gitDir: string, commonDir: string): Promise<string> => {
  const own = (await files.readText(`${commonDir}/config`, MAX_SETTINGS_BYTES)) ?? "";
  const ofTree = /worktreeconfig/i.test(own)
    ? await files.readText(`${gitDir}/config.worktree`, MAX_SETTINGS_BYTES)
    : null;
  return `${own}\n${ofTree ?? ""}`;
};

interface Checkout extends Omit<Repository, "settings"> {
  /** Its settings, as they are written. */
  settingsText: string;
}

/** What is checked out, whatever git would have to run to compare it. @throws NotLookedAt where there is no repository. */
export const readCheckout = async (files: TargetFiles, workTree: string): Promise<Checkout> => {
  const gitDir = await gitDirOf(files, workTree);
  const common = await files.readText(`${gitDir}/commondir`, MAX_BYTES);
  const commonDir = common === null ? gitDir : resolved(firstLine(common), gitDir);
  const head = firstLine((await files.readText(`${gitDir}/HEAD`, MAX_BYTES)) ?? "").trim();
  if (!HEAD.test(head)) throw new NotLookedAt("what is checked out cannot be read");
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? null;
  return { gitDir, commonDir, head, branch, settingsText: await settingsOf(files, gitDir, commonDir) };
};

/** The commit of a branch, from the files in which git keeps it; null where it isn't found there. */
export const readCommit = async (
  files: TargetFiles,
  commonDir: string,
  branch: string,
): Promise<string | null> => {
  // A name that leads out of the folder is no branch.
  if (!NAME.test(branch) || branch.split("/").some((part) => /^\.*$/.test(part))) return null;
  const own = firstLine((await files.readText(`${commonDir}/refs/heads/${branch}`, MAX_BYTES)) ?? "");
  if (own !== "") return own;
  const packed = (await files.readText(`${commonDir}/packed-refs`, MAX_SETTINGS_BYTES)) ?? "";
  return (
    packed
      .split("\n")
      .find((line) => line.endsWith(` refs/heads/${branch}`))
      ?.split(" ")[0] ?? null
  );
};

/**
 * @throws NotLookedAt where there is no repository, and where what counts as a change depends on the repository's own programs or
 * on other files.
 */
export const readRepository = async (files: TargetFiles, workTree: string): Promise<Repository> => {
  const { settingsText: text, ...checkout } = await readCheckout(files, workTree);
  const settings = readSettings(text);
  if (settings.obstacle !== null) throw new NotLookedAt(settings.obstacle);
  // An attribute may name a filter of the person's. Which one is not known here, so any filter that is named counts.
  const attributes = await files.readText(`${workTree}/.gitattributes`, MAX_SETTINGS_BYTES);
  if (/\sfilter=/.test(attributes ?? ""))
    throw new NotLookedAt("its files go through a filter, and a filter is a program");
  return { ...checkout, settings };
};
