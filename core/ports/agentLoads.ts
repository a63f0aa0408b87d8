// What an adapter knows of the files that its agent reads when it starts in a folder: where they lie, and at which places in them
// the names stand that matter. The adapter only names the places; its caller reads the files.

export type LoadKind =
  | "instructions"
  | "rules"
  | "settings"
  | "permissions"
  | "hooks"
  | "mcp"
  | "skills"
  | "commands"
  | "agents"
  | "extensions";

/** Who decides on it: the machine's administrator, the person, the project. */
export type LoadLevel = "managed" | "person" | "project";

export interface LoadPlace {
  readonly kind: LoadKind;
  readonly level: LoadLevel;
  /**
   * Absolute, below the home (`~/…`), or below the project's folder. Of several names in one folder the first that is there is
   * read. One part may be `*` or `*.md`: then what it stands for are the names.
   */
  readonly path: string | readonly string[];
  /** For a project: the folder alone where it is left out; else each one up to the repository's top, or up to the root. */
  readonly reach?: "top" | "root";
  /** The names are the keys of what stands under this key in the file. */
  readonly names?: { readonly format: "json" | "toml"; readonly key: string };
}

export interface AgentLoads {
  readonly places: readonly LoadPlace[];
  /** Which one is used where two have the same name, as far as that is known. */
  readonly wins: Partial<Record<LoadKind, "nearest" | "person">>;
  /** How this is known. */
  readonly basis: string;
  /** What it may read beside that, in words. */
  readonly unknown: readonly string[];
}

type Rest = Pick<LoadPlace, "reach" | "names">;

export const place = (
  kind: LoadKind,
  level: LoadLevel,
  path: LoadPlace["path"],
  rest: Rest = {},
): LoadPlace => ({ kind, level, path, ...rest });

/** Names of a JSON or TOML file. */
export const inFile = (format: "json" | "toml", key: string): Rest => ({ names: { format, key } });

/** Several kinds in one file: under which key each stands. */
export const settingsFile = (
  level: LoadLevel,
  path: string,
  keys: Partial<Record<LoadKind, string>>,
): LoadPlace[] =>
  (["mcp", "permissions", "hooks"] as const).flatMap((kind) => {
    const key = keys[kind];
    return key === undefined ? [] : [place(kind, level, path, inFile("json", key))];
  });
