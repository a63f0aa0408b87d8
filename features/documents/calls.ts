// What surfaces ask of documents, as `documents.<name>`; which names of documents may be shown and typed (`isTellable`); and the
// words that ask an agent to answer in one (`askInWords`).
import * as z from "zod";
import { mutation, type ServiceOf } from "../../core/api/calls.ts";
import type { PaneDocument, PaneView } from "../../core/model/view.ts";
import { refNameSchema } from "../../core/model/runtime.ts";

const refSchema = z.string().min(1).max(1_000);
const paneIdSchema = z.string().regex(/^%\d+$/);

/**
 * Whether a document's name may be shown and typed: control characters in it would be keys, line ends other lines, and marks of
 * direction show another name. What only joins letters, as in Persian and in emoji, is a part of them.
 */
export const isTellable = (file: string): boolean =>
  !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(file);

/** Folders of other programs, which trust the files in them: a document is never in one of these. */
const FOREIGN_FOLDERS = new Set([".git", ".agent-doc"]);
const remotePathSchema = z
  .string()
  .max(4_096)
  .refine((path) => path.startsWith("/"), "a document on another machine needs its full path")
  .refine(isTellable, "the path has characters that can't be passed on")
  .refine(
    (path) => !path.split("/").some((part) => FOREIGN_FOLDERS.has(part)),
    "files in .git and .agent-doc aren't documents",
  );
const remoteNameSchema = z.string().max(4_096).refine(isTellable);
const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);
const pendingIdSchema = z.string().regex(/^[0-9a-f]{16}$/);

const remotePutSchema = z.object({
  target: refNameSchema,
  /** As `remoteRead` gave them. */
  root: z.string().max(4_096).startsWith("/"),
  file: remotePathSchema,
  what: z.union([
    z.enum(["document", "snapshot", "answered", "sessions", "own"]),
    z.object({ pending: pendingIdSchema }),
  ]),
  /** The SHA-256 of what is replaced; null: there must be nothing yet; left out: whatever is there. */
  expected: hashSchema.nullable().optional(),
  /** The new text, by gzip, in base64. */
  gzip: z.base64().max(900_000),
  /** Afterwards, where the document has this SHA-256, these kept responses are removed. */
  settles: z.object({ document: hashSchema, pending: z.array(pendingIdSchema).max(10) }).optional(),
});

export type RemotePut = z.output<typeof remotePutSchema>;
export type RemotePutResult =
  | { readonly outcome: "ok" | "changed" | "later" }
  /** It was replaced while an editor saved into the old file; `text` is what the editor wrote. */
  | { readonly outcome: "late"; readonly text: string };

/** A document of another machine with what lies beside it; null for what is not there. */
export interface RemoteFiles {
  /** Without links. */
  readonly file: string;
  readonly root: string;
  /** An editor's plugin is there. */
  readonly hasEditor: boolean;
  readonly text: string;
  readonly snapshot: string | null;
  readonly components: string | null;
  readonly sessions: string | null;
  readonly own: string | null;
  /** Which answers the snapshot has. */
  readonly answered: string | null;
  readonly pending: readonly { readonly name: string; readonly text: string }[];
}

/** A pane of another machine, and which run of its server and process it is. */
export interface RemotePane {
  readonly row: PaneView;
  readonly life: {
    readonly socket: string;
    readonly serverPid: number;
    readonly serverStart: number;
    readonly panePid: number;
  };
  readonly window: string;
}

export const DOCUMENTS_CALLS = {
  /** The documents of a row's pane, as its project's registry has them now. It reads them from the disk of the pane's machine. */
  ofPane: mutation(z.object({ ref: refSchema }))<PaneDocument[]>(),
  /** Fails with E_USAGE, E_DOCUMENT_INVALID, E_TARGET_UNKNOWN, E_TARGET_UNREACHABLE. */
  remoteRead: mutation(z.object({ target: refNameSchema, path: remotePathSchema }))<RemoteFiles>(),
  /** Replaces one file, if it is still what was read. Fails like `remoteRead`. */
  remotePut: mutation(remotePutSchema)<RemotePutResult>(),
  /** The panes with this id, of each tmux server of the machine. */
  remotePanes: mutation(z.object({ target: refNameSchema, pane: paneIdSchema }))<RemotePane[]>(),
  /** Selects window and pane in the pane's tmux server. Fails with E_STALE_SNAPSHOT where that was started again. */
  remoteSelect: mutation(
    z.object({ ref: refSchema, serverPid: z.number().int(), serverStart: z.number().int() }),
  )<void>(),
  /** Says on the pane's screen and in the project's `claims.log` that a document was claimed for it. */
  remoteClaimed: mutation(
    z.object({ ref: refSchema, root: z.string().max(4_096).startsWith("/"), name: remoteNameSchema }),
  )<void>(),
};

export type DocumentsCalls = typeof DOCUMENTS_CALLS;
export type DocumentsService = ServiceOf<DocumentsCalls>;

/** For agents that have no word of their own for a skill. */
export const askInWords = (file: string): string => `Use the skill agent-doc: answer in the document ${file}`;
