// Writes zip archives with modes and symbolic links, as Electron's releases are. Nothing is compressed.
import { crc32 } from "node:zlib";

export type ZipEntry =
  | { readonly path: string; readonly text: string; readonly isExecutable?: boolean }
  | { readonly path: string; readonly link: string };

const modeOf = (entry: ZipEntry): number => {
  if ("link" in entry) return 0o120777;
  return entry.isExecutable === true ? 0o100755 : 0o100644;
};

/** What both headers of an entry have in common, from the version on that is needed to extract it. */
const fieldsOf = (name: Buffer, body: Buffer): Buffer => {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt32LE(crc32(body), 10);
  fields.writeUInt32LE(body.length, 14);
  fields.writeUInt32LE(body.length, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
};

const signature = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

export const zipFile = (entries: readonly ZipEntry[]): Buffer => {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.path);
    const body = Buffer.from("link" in entry ? entry.link : entry.text);
    const fields = fieldsOf(name, body);
    const part = Buffer.concat([signature(0x04034b50), fields, name, body]);
    const more = Buffer.alloc(14);
    // Made on Unix: the upper half of the attributes is the mode.
    more.writeUInt32LE((modeOf(entry) * 0x10000) >>> 0, 6);
    more.writeUInt32LE(offset, 10);
    central.push(Buffer.concat([signature(0x02014b50), Buffer.from([20, 3]), fields, more, name]));
    local.push(part);
    offset += part.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, directory, signature(0x06054b50), end]);
};
