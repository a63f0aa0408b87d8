// A folder as a gzipped tar, with the same bytes for the same files: sorted, without owners and times of this machine. Only plain
// files and folders: `agtmux upgrade` and install.sh take nothing else out of one.
import { createWriteStream, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createGzip } from "node:zlib";

const BLOCK = 512;
/** 1 January 2000, in seconds. */
const TIME = 946_684_800;
const MAX_NAME = 100;
const MAX_PREFIX = 155;

/** Name and prefix of ustar, which divides a long path at a slash. */
const divide = (path) => {
  if (path.length <= MAX_NAME) return [path, ""];
  const at = path.indexOf("/", path.length - MAX_NAME - 1);
  if (at === -1 || at > MAX_PREFIX) throw new Error(`${path} is too long for a tar`);
  return [path.slice(at + 1), path.slice(0, at)];
};

const header = (path, { mode, size, type }) => {
  const bytes = Buffer.alloc(BLOCK);
  const [name, prefix] = divide(path);
  const put = (text, at) => bytes.write(text, at, "ascii");
  const octal = (value, at, length) => put(value.toString(8).padStart(length - 1, "0"), at);
  put(name, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(TIME, 136, 12);
  put(" ".repeat(8), 148);
  put(type, 156);
  put("ustar\u000000", 257);
  put("root", 265);
  put("root", 297);
  put(prefix, 345);
  octal(
    bytes.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return bytes;
};

/** Header and content of everything below a folder, parents first; only one file is in memory at a time. */
function* entriesOf(folder, path) {
  yield header(`${path}/`, { mode: 0o755, size: 0, type: "5" });
  for (const name of readdirSync(folder).toSorted()) {
    const [from, to] = [join(folder, name), `${path}/${name}`];
    if (!/^[\u0020-\u007e]+$/.test(name)) throw new Error(`${from} has a name that no release may have`);
    const found = lstatSync(from);
    if (found.isDirectory()) yield* entriesOf(from, to);
    else if (found.isFile()) {
      const content = readFileSync(from);
      const mode = (found.mode & 0o111) === 0 ? 0o644 : 0o755;
      yield header(to, { mode, size: content.length, type: "0" });
      yield content;
      yield Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    } else throw new Error(`${from} is neither a file nor a folder`);
  }
}

/** Writes `folder` as `file`; everything in it is below `name`. */
export const writeTar = async ({ folder, name, file }) => {
  const blocks = function* () {
    yield* entriesOf(folder, name);
    yield Buffer.alloc(2 * BLOCK);
  };
  await pipeline(blocks, createGzip({ level: constants.Z_BEST_COMPRESSION }), createWriteStream(file));
};
