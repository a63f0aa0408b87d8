// Which document belongs to which pane: `.agent-doc/sessions.json` of the project, which other programs read and write as well, and
// which may have come with a repository. What the person claimed is in agtmux's home: only that says which tmux server and which
// instance of the pane was meant, because tmux gives a pane's id again after a restart, and which documents may be handed to an
// agent by themselves. A copy in the project, `agtmux.json`, is for those who read it from another machine.
import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { withDocumentLock, readKept, writeKept } from "./wholeFile.ts";
import type { ProjectPaths } from "./documentPaths.ts";

/** Fields that others have put there stay. */
const entrySchema = z.looseObject({
  pane: z.string(),
  pid: z.number(),
  cwd: z.string(),
  started: z.string(),
  file: z.string(),
  window: z.string().optional(),
});

export type RegistryEntry = z.infer<typeof entrySchema>;

/** A pane of one tmux server, for as long as both exist. */
export const paneLifeSchema = z.object({
  socket: z.string(),
  serverPid: z.number().int(),
  serverStart: z.number().int(),
  panePid: z.number().int(),
});
export type PaneLife = z.infer<typeof paneLifeSchema>;

const ownSchema = z.object({
  life: paneLifeSchema.nullable(),
  /** The document, without links; null where only its prompt was recorded. */
  file: z.string().nullable().default(null),
  /** Of the prompt that was shown last. */
  shownPrompt: z.string().nullable(),
});

export type OwnEntry = z.infer<typeof ownSchema>;

interface Claims {
  /** By the document's id. */
  readonly entries: Readonly<Record<string, RegistryEntry>>;
  readonly own: Readonly<Record<string, OwnEntry>>;
}

export interface Registry extends Claims {
  /** The project whose registry it is. */
  readonly root: string;
}

/** A thousand claims and more. */
const MAX_BYTES = 1024 * 1024;
const FOLDER = "documents";

const entriesPath = ({ folder }: ProjectPaths): string => join(folder, "sessions.json");
const copyPath = ({ folder }: ProjectPaths): string => join(folder, "agtmux.json");

/** In the home `home`, what was claimed in the project `root`. */
export const claimsPath = (home: string, root: string): string =>
  join(home, FOLDER, `${createHash("sha256").update(root).digest("hex")}.json`);

interface Read {
  readonly path: string;
  /** Null where the file is not there. */
  readonly text: string | null;
}

const parseJson = <T>({ path, text }: Read, schema: z.ZodType<T>, empty: T): T => {
  if (text === null || text.trim() === "") return empty;
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new AgtmuxError("E_DOCUMENT_INVALID", `the registry ${path} cannot be read`, {
      cause: error,
      remedy: "Correct it by hand, or remove it and claim the documents again; it was left as it is.",
    });
  }
};

/** @throws AgtmuxError E_DOCUMENT_INVALID for a registry that does not parse. */
export const parseRegistry = (root: string, entries: Read, own: Read): Registry => ({
  root,
  entries: parseJson(entries, z.record(z.string(), entrySchema), {}),
  own: parseJson(own, z.record(z.string(), ownSchema), {}),
});

/** `home`: agtmux's. @throws AgtmuxError E_DOCUMENT_INVALID for a registry that does not parse. */
export const readRegistry = async (folder: ProjectPaths, home: string): Promise<Registry> => {
  const [entries, own] = [entriesPath(folder), claimsPath(home, folder.root)];
  return parseRegistry(
    folder.root,
    { path: entries, text: await readKept(folder, entries, MAX_BYTES) },
    { path: own, text: await readKept({ root: home }, own, MAX_BYTES) },
  );
};

/** Reads, changes and writes both files while nobody else of us does. The home has to be there. */
export const changeRegistry = (
  folder: ProjectPaths,
  home: string,
  change: (registry: Registry) => Claims,
): Promise<void> =>
  withDocumentLock(folder, async () => {
    const before = await readRegistry(folder, home);
    const after = change(before);
    const textOf = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
    // The person's own first: without it, an entry of the project counts as another program's.
    if (after.own !== before.own) {
      await writeKept({ root: home }, claimsPath(home, folder.root), textOf(after.own), { isPrivate: true });
      await writeKept(folder, copyPath(folder), textOf(after.own));
    }
    if (after.entries !== before.entries) await writeKept(folder, entriesPath(folder), textOf(after.entries));
  });

/** Without these documents. */
export const withoutEntries = ({ entries, own }: Claims, ids: readonly string[]): Claims => {
  const rest = <T>(all: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(all).filter(([id]) => !ids.includes(id)));
  return { entries: rest(entries), own: rest(own) };
};
