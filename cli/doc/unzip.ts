// Reads a zip as plugins of editors come: entries that are stored or deflated, without encryption. It writes nothing.
import { inflateRawSync } from "node:zlib";
import { AgtmuxError } from "../../core/model/errors.ts";

export interface ZipEntry {
  /** With slashes; within the folder that it is unpacked into, and no folder itself. */
  readonly name: string;
  readonly bytes: Buffer;
}

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const MAX_COMMENT = 0xffff;
const MAX_ENTRIES = 20_000;
const MAX_BYTES = 512 * 1024 * 1024;
const KIND_MASK = 0o170000;
const LINK = 0o120000;

const invalid = (why: string): AgtmuxError =>
  new AgtmuxError("E_USAGE", `the zip cannot be used: ${why}`, { remedy: "Fetch it again." });

const findEnd = (zip: Buffer): number => {
  for (let at = zip.length - END_BYTES; at >= Math.max(0, zip.length - END_BYTES - MAX_COMMENT); at -= 1)
    if (zip.readUInt32LE(at) === END) return at;
  throw invalid("it is no zip");
};

const checkName = (name: string): void => {
  const parts = name.split("/");
  const isPlain = parts.every((part) => part !== "" && part !== "." && part !== "..");
  if (!isPlain || /[\p{Cc}\\:]/u.test(name))
    throw invalid("it has a file that belongs outside of its folder");
};

interface Place {
  readonly at: number;
  readonly method: number;
  readonly packed: number;
  readonly size: number;
}

const unpack = (zip: Buffer, { at, method, packed, size }: Place): Buffer => {
  if (zip.readUInt32LE(at) !== LOCAL) throw invalid("it is damaged");
  const from = at + LOCAL_BYTES + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
  const bytes = zip.subarray(from, from + packed);
  if (method === 0 && packed === size) return bytes;
  if (method !== 8) throw invalid("it is packed in a way that is not known");
  const unpacked = inflateRawSync(bytes, { maxOutputLength: Math.max(1, size) });
  if (unpacked.length !== size) throw invalid("it is damaged");
  return unpacked;
};

const readEntries = (zip: Buffer): ZipEntry[] => {
  const end = findEnd(zip);
  const count = zip.readUInt16LE(end + 10);
  if (count > MAX_ENTRIES) throw invalid("it has too many files");
  const entries: ZipEntry[] = [];
  let [at, total] = [zip.readUInt32LE(end + 16), 0];
  for (let index = 0; index < count; index += 1) {
    if (zip.readUInt32LE(at) !== ENTRY) throw invalid("it is damaged");
    const lengths = [28, 30, 32].map((field) => zip.readUInt16LE(at + field));
    const name = zip.toString("utf8", at + ENTRY_BYTES, at + ENTRY_BYTES + (lengths[0] ?? 0));
    const size = zip.readUInt32LE(at + 24);
    total += size;
    if (total > MAX_BYTES) throw invalid("it is too large");
    if (((zip.readUInt32LE(at + 38) >>> 16) & KIND_MASK) === LINK) throw invalid("it has a link in it");
    if (!name.endsWith("/")) {
      checkName(name);
      const place = { method: zip.readUInt16LE(at + 10), packed: zip.readUInt32LE(at + 20), size };
      entries.push({ name, bytes: unpack(zip, { ...place, at: zip.readUInt32LE(at + 42) }) });
    }
    at += ENTRY_BYTES + lengths.reduce((sum, length) => sum + length, 0);
  }
  return entries;
};

/** @throws AgtmuxError E_USAGE for what is no such zip, or has files that belong elsewhere. */
export const unzip = (zip: Buffer): ZipEntry[] => {
  try {
    return readEntries(zip);
  } catch (error) {
    if (error instanceof AgtmuxError) throw error;
    // A number in it leads out of it, or what is packed is not.
    throw invalid("it is damaged");
  }
};
