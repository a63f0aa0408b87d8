// Responses that were handed over and are perhaps not yet in their document. They are on the disk before anything else
// happens, and leave it once they were seen in the document: a kill at any moment loses none.
import { createHash } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { DocumentPaths } from "./documentPaths.ts";
import { listKept, readKept, removeKept, removeLeftovers, writeKept } from "./wholeFile.ts";

const pendingSchema = z.object({
  file: z.string(),
  response: z.string(),
  baseline: z.string(),
  at: z.string(),
});

export type PendingResponse = z.infer<typeof pendingSchema> & { readonly path: string };

/** The same response to the same text has the same id, so that a second try is no second response. */
export const pendingId = (response: string, baseline: string): string =>
  createHash("sha256").update(response).update("\0").update(baseline).digest("hex").slice(0, 16);

export const pendingPath = ({ pending, hash }: DocumentPaths, response: string, baseline: string): string =>
  join(pending, `${hash}-${pendingId(response, baseline)}.json`);

export const formatPending = ({ path: _path, ...rest }: PendingResponse): string =>
  `${JSON.stringify(rest)}\n`;

export const savePending = async (paths: DocumentPaths, one: PendingResponse): Promise<void> => {
  await writeKept(paths, one.path, formatPending(one));
  await removeLeftovers(paths.pending);
};

export const removePending = async (
  paths: DocumentPaths,
  { path }: Pick<PendingResponse, "path">,
): Promise<void> => {
  await removeKept(paths, path);
};

/** @throws AgtmuxError E_DOCUMENT_INVALID */
export const parsePending = (path: string, text: string): PendingResponse => {
  try {
    return { ...pendingSchema.parse(JSON.parse(text)), path };
  } catch (error) {
    throw new AgtmuxError("E_DOCUMENT_INVALID", `the kept response ${path} cannot be read`, {
      cause: error,
      remedy: "Look into that file, put what is good into the document by hand, and remove it.",
    });
  }
};

/** Those of one document, oldest first. */
export const listPending = async (paths: DocumentPaths): Promise<PendingResponse[]> => {
  const { pending, hash } = paths;
  const names = await listKept(paths, pending);
  const own = names.filter((name) => name.startsWith(`${hash}-`) && name.endsWith(".json"));
  const found = await Promise.all(
    own.map(async (name) => {
      const text = await readKept(paths, join(pending, name));
      // Another writer has put it in by now.
      return text === null ? [] : [parsePending(join(pending, name), text)];
    }),
  );
  return found.flat().toSorted((a, b) => a.at.localeCompare(b.at));
};
