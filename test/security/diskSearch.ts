// Every byte that lies under a folder, searched for what must not be there.
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Secret } from "./secrets.ts";

/** Long enough to be no accident, short enough to lie on one page of a database whose texts are split over several. */
const PIECE = 12;

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Contents by path within the folder; links are not followed. */
export const readAll = (folder: string, except: readonly string[] = []): Map<string, Buffer> =>
  new Map(
    filesUnder(folder)
      .filter((path) => lstatSync(path).isFile() && !except.includes(relative(folder, path)))
      .map((path) => [relative(folder, path), readFileSync(path)]),
  );

const piecesOf = ({ value }: Secret): string[] => [value.slice(-PIECE), value.slice(-2 * PIECE, -PIECE)];

/** `file: kind` for every secret of which a part was found. */
export const findSecrets = (files: ReadonlyMap<string, Buffer>, secrets: readonly Secret[]): string[] =>
  [...files].flatMap(([path, bytes]) =>
    secrets
      .filter((one) => piecesOf(one).some((piece) => piece.length === PIECE && bytes.includes(piece)))
      .map(({ kind }) => `${path}: ${kind}`),
  );

/** Whether a word that may be there is: a search that finds nothing proves nothing otherwise. */
export const hasWord = (files: ReadonlyMap<string, Buffer>, word: string): boolean =>
  [...files.values()].some((bytes) => bytes.includes(word));
