// Reads the fuses of an Electron binary: one character each behind a sentinel, in the order that Electron's documentation of
// fuses gives. Our own, instead of asking the library that flips them.
import { readFileSync } from "node:fs";

export const WIRE_SENTINEL = "dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX";

const FUSES = [
  "runAsNode",
  "cookieEncryption",
  "nodeOptionsEnvironmentVariable",
  "nodeCliInspectArguments",
  "embeddedAsarIntegrityValidation",
  "onlyLoadAppFromAsar",
  "loadBrowserProcessSpecificV8Snapshot",
  "grantFileProtocolExtraPrivileges",
  "wasmTrapHandlers",
] as const;

type Fuse = (typeof FUSES)[number];

/** Fails where the binary has no fuses. */
export const readFuses = (binary: string): Record<Fuse, boolean> => {
  const text = readFileSync(binary, "latin1");
  const at = text.indexOf(WIRE_SENTINEL);
  if (at === -1) throw new Error(`${binary} has no fuses`);
  // A byte for the wire's version and one for its length.
  const wire = text.slice(at + WIRE_SENTINEL.length + 2);
  return Object.fromEntries(FUSES.map((fuse, index) => [fuse, wire[index] === "1"])) as Record<Fuse, boolean>;
};
