// Which document belongs to which pane: `.agent-doc/sessions.json`, which other programs read and write as well, and beside it
// `agtmux.json` with what tells one life of a pane from the next, because tmux gives a pane's id again after a restart.
import { join } from "node:path";
import * as z from "zod";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { withDocumentLock } from "./documentLock.ts";
import type { DocumentPaths } from "./documentPaths.ts";
import { readTextIfThere, writeWhole } from "./wholeFile.ts";

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

/** A pane of one tmux server, for as long as both live. */
export const paneLifeSchema = z.object({
  socket: z.string(),
  serverPid: z.number().int(),
  serverStart: z.number().int(),
  panePid: z.number().int(),
});
export type PaneLife = z.infer<typeof paneLifeSchema>;

const ownSchema = z.object({
  life: paneLifeSchema.nullable(),
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

type Folder = Pick<DocumentPaths, "folder" | "lock" | "root">;

const entriesPath = ({ folder }: Folder): string => join(folder, "sessions.json");
const ownPath = ({ folder }: Folder): string => join(folder, "agtmux.json");

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

/** @throws AgtmuxError E_DOCUMENT_INVALID for a registry that does not parse. */
export const readRegistry = async (folder: Folder): Promise<Registry> => {
  const read = async (path: string): Promise<Read> => ({ path, text: await readTextIfThere(path) });
  return parseRegistry(folder.root, await read(entriesPath(folder)), await read(ownPath(folder)));
};

/** Reads, changes and writes both files while nobody else of us does. */
export const changeRegistry = (folder: Folder, change: (registry: Registry) => Claims): Promise<void> =>
  withDocumentLock(folder.lock, async () => {
    const before = await readRegistry(folder);
    const after = change(before);
    const write = (path: string, value: unknown) => writeWhole(path, `${JSON.stringify(value, null, 2)}\n`);
    if (after.entries !== before.entries) await write(entriesPath(folder), after.entries);
    if (after.own !== before.own) await write(ownPath(folder), after.own);
  });

/** Without these documents. */
export const withoutEntries = ({ entries, own }: Claims, ids: readonly string[]): Claims => {
  const rest = <T>(all: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(all).filter(([id]) => !ids.includes(id)));
  return { entries: rest(entries), own: rest(own) };
};
