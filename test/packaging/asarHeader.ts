// Reads the header of an asar archive: a pickle of sizes and a JSON tree of its files.
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";

interface AsarEntry {
  readonly files?: Readonly<Record<string, AsarEntry>>;
  readonly offset?: string;
  readonly size?: number;
  readonly unpacked?: boolean;
}

export interface AsarArchive {
  /** Paths of all files, without folders. */
  readonly paths: readonly string[];
  /** Those whose content lies beside the archive. */
  readonly unpacked: readonly string[];
  /** SHA-256 of the header, in hex: what Electron compares with the plist. */
  readonly headerHash: string;
  /** A packed file's content. */
  read(path: string): string;
}

const readAt = (file: string, position: number, length: number): Buffer => {
  const handle = openSync(file, "r");
  try {
    const data = Buffer.alloc(length);
    readSync(handle, data, 0, length, position);
    return data;
  } finally {
    closeSync(handle);
  }
};

const filesOf = (entry: AsarEntry, path: string): [string, AsarEntry][] =>
  entry.files === undefined
    ? [[path, entry]]
    : Object.entries(entry.files).flatMap(([name, child]) =>
        filesOf(child, path === "" ? name : `${path}/${name}`),
      );

/** Fails where the file is no archive. */
export const readAsar = (archive: string): AsarArchive => {
  const sizes = readAt(archive, 0, 16);
  const contentAt = 8 + sizes.readUInt32LE(4);
  const header = readAt(archive, 16, sizes.readUInt32LE(12)).toString();
  const files = new Map(filesOf(JSON.parse(header) as AsarEntry, ""));
  return {
    paths: [...files.keys()],
    unpacked: [...files].filter(([, { unpacked }]) => unpacked === true).map(([path]) => path),
    headerHash: createHash("sha256").update(header).digest("hex"),
    read: (path) => {
      const { offset, size } = files.get(path) ?? {};
      if (offset === undefined || size === undefined) throw new Error(`${path} is not in ${archive}`);
      return readAt(archive, contentAt + Number(offset), size).toString();
    },
  };
};
