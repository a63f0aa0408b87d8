// Reads one file of the spool without ever waiting for it: links are not followed, and a FIFO is opened without a peer. It
// blocks, because a small file that was just written is read ten times faster than through the thread pool. A caller that reads
// many files lets the event loop turn in between.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { MAX_PAYLOAD_BYTES } from "../model/envelope.ts";
import { MAX_HEADER_BYTES, parseEnvelope, type ParsedEnvelope } from "./parseEnvelope.ts";
import { errorCodeOf } from "../model/systemError.ts";

/** Prefixed by the modification time, because a hook's pid, and with it the name of its file, is reused one day. */
const spoolNameOf = (name: string, mtimeNs: bigint): string =>
  `${mtimeNs.toString(36)}-${name}`.slice(0, 255);

/** Null: the file is gone. `uid`: the only owner whose files count; null where the system has none. */
export const readEventFile = (path: string, name: string, uid: number | null): ParsedEnvelope | null => {
  let fd;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === "ENOENT") return null;
    return {
      isOk: false,
      problem: code === "ELOOP" ? "it is a symbolic link" : `it cannot be opened (${code || "unknown"})`,
    };
  }
  try {
    const stat = fstatSync(fd, { bigint: true });
    if (!stat.isFile()) return { isOk: false, problem: "it is not a regular file" };
    if (uid !== null && stat.uid !== BigInt(uid))
      return { isOk: false, problem: "it belongs to another user" };
    const size = Number(stat.size);
    const isTooLarge = size > MAX_PAYLOAD_BYTES + MAX_HEADER_BYTES;
    const wanted = Buffer.alloc(isTooLarge ? MAX_HEADER_BYTES : size);
    let length = 0;
    while (length < wanted.length) {
      const bytesRead = readSync(fd, wanted, length, wanted.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return parseEnvelope({
      spoolName: spoolNameOf(name, stat.mtimeNs),
      eventTime: Number(stat.mtimeNs / 1_000n) / 1_000,
      size,
      bytes: wanted.subarray(0, length),
    });
  } catch (error) {
    return { isOk: false, problem: `it cannot be read (${errorCodeOf(error) || "unknown"})` };
  } finally {
    closeSync(fd);
  }
};
