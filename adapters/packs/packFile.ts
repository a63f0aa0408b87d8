// A detection pack as a file: two lines of text (the format, an ed25519 signature) and a gzipped JSON document with rules in the form
// of an adapter file, the versions of the agent that they were driven with, and the recordings that show them. Nothing of a file is
// unpacked or parsed before its signature holds. Which rules are good is said in packCheck.ts.
import { createHash, createPublicKey, sign, verify, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzipSync } from "node:zlib";
import * as z from "zod";
import { MAX_PACK_BYTES } from "../../core/model/detectionPack.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { canonicalStateSchema } from "../../core/model/state.ts";
import type { Screen } from "../../core/ports/agentAdapter.ts";
import type { Deadline } from "../../core/pattern/pattern.ts";
import { readAdapterFile } from "../declarative/createAdapterSource.ts";
import { isPatch, type PatchFile } from "../declarative/schema.ts";

const FORMAT = 1;
const FIRST_LINE = `agtmux-pack ${FORMAT}`;
/** What is signed begins with it, so that a signature means a pack and nothing else. */
const SIGNED_AS = `agtmux detection pack ${FORMAT}\n`;
const HEADER = /^agtmux-pack (\d{1,6})\n([A-Za-z0-9+/]{86}==)\n/;
const MAX_HEADER = 120;
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024;

/** A screen that was seen, and what a person who looks at it would name. `also`: right too, as far as the screen tells. */
const recordingSchema = z
  .object({
    name: z.string().regex(/^[\w.+-]{1,100}$/),
    state: canonicalStateSchema,
    also: z.array(canonicalStateSchema).max(7).default([]),
    columns: z.number().int().min(1).max(1_000),
    rows: z.number().int().min(1).max(500),
    title: z.string().max(1_000),
    is_alternate: z.boolean(),
    cursor: z
      .object({ x: z.number().int().min(0), y: z.number().int().min(0), is_visible: z.boolean() })
      .strict()
      .nullable(),
    screen: z.string().max(200_000),
  })
  .strict();
export type PackRecording = z.infer<typeof recordingSchema>;

const contentSchema = z
  .object({
    format: z.literal(FORMAT),
    agent_type: z.string().regex(/^[a-z0-9_-]{1,40}$/),
    made_at: z.iso.datetime(),
    driven_with: z
      .array(z.string().regex(/^[\w.+-]{1,40}$/))
      .min(1)
      .max(50),
    rules: z.record(z.string(), z.unknown()),
    recordings: z.array(recordingSchema).min(1).max(1_500),
  })
  .strict();
export type PackContent = z.infer<typeof contentSchema>;

/** A pack whose signature and form are good. `version`: of its rules. */
export interface DetectionPack {
  readonly hash: string;
  readonly version: string;
  readonly content: PackContent;
  readonly rules: PatchFile;
}

/** A refusal with what to do; what is in force stays. */
export const refused = (
  message: string,
  more: { remedy?: string; details?: readonly string[]; cause?: unknown } = {},
) => new AgtmuxError("E_PACK_REFUSED", message, more);

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** @throws AgtmuxError E_PACK_REFUSED for anything but an ed25519 public key as PEM. */
export const readPackKey = (pem: string, what: string): KeyObject => {
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch (cause) {
    throw refused(`${what} is not a public key`, {
      cause,
      remedy: "Put an ed25519 public key there, as PEM.",
    });
  }
  // A private key also gives a public one; it has no place on this machine.
  if (key.asymmetricKeyType !== "ed25519" || pem.includes("PRIVATE"))
    throw refused(`${what} is not an ed25519 public key`, {
      remedy: "Put what 'openssl pkey -pubout' prints for the key there.",
    });
  return key;
};

const signedBytes = (packed: Uint8Array): Buffer => Buffer.concat([Buffer.from(SIGNED_AS), packed]);

/** `key`: an ed25519 private key. @throws Error where the file would be too large. */
export const writePack = (content: PackContent, key: KeyObject): Buffer => {
  const packed = gzipSync(JSON.stringify(contentSchema.parse(content)), { level: 9 });
  const signature = sign(null, signedBytes(packed), key).toString("base64");
  const file = Buffer.concat([Buffer.from(`${FIRST_LINE}\n${signature}\n`), packed]);
  if (file.length > MAX_PACK_BYTES)
    throw new Error(
      `the pack of ${content.agent_type} has ${file.length} bytes, more than ${MAX_PACK_BYTES}`,
    );
  return file;
};

const unpack = async (packed: Uint8Array): Promise<string> => {
  try {
    const text = await promisify(gunzip)(packed, { maxOutputLength: MAX_UNPACKED_BYTES });
    return new TextDecoder("utf-8", { fatal: true }).decode(text);
  } catch (cause) {
    throw refused(`it cannot be unpacked, or is larger than ${MAX_UNPACKED_BYTES / 1_048_576} MB then`, {
      cause,
    });
  }
};

const parseContent = (text: string): PackContent => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refused("its content is not JSON", { cause });
  }
  const parsed = contentSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const places = parsed.error.issues.slice(0, 5).map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw refused("its content has not the form of a pack", { details: places });
};

/** The packed part, once the signature over it holds. */
const requireSigned = (bytes: Uint8Array, key: KeyObject): Uint8Array => {
  if (bytes.length > MAX_PACK_BYTES) throw refused(`it is larger than ${MAX_PACK_BYTES / 1_048_576} MB`);
  const [header, format, signature = ""] =
    HEADER.exec(Buffer.from(bytes.subarray(0, MAX_HEADER)).toString("latin1")) ?? [];
  if (header === undefined) throw refused("this is not a detection pack, or it is not signed");
  if (format !== String(FORMAT))
    throw refused(`it has format ${format}, and this agtmux knows format ${FORMAT}`, {
      remedy: "Update agtmux; what is in force stays.",
    });
  const packed = bytes.subarray(header.length);
  if (!verify(null, signedBytes(packed), key, Buffer.from(signature, "base64")))
    throw refused("its signature does not hold: it was changed, or somebody else signed it", {
      remedy: "Get it again from where it is published; what is in force stays.",
    });
  return packed;
};

/** `key`: whose signature counts. @throws AgtmuxError E_PACK_REFUSED, with lines and keys for rules that are bad. */
export const readPack = async (
  bytes: Uint8Array,
  { key, deadline }: { key: KeyObject; deadline: Deadline },
): Promise<DetectionPack> => {
  const content = parseContent(await unpack(requireSigned(bytes, key)));
  // As a file of its own, so that a problem names its line.
  const { content: rules, problems } = readAdapterFile(
    "rules",
    JSON.stringify(content.rules, null, 2),
    deadline,
  );
  if (rules === null)
    throw refused(`its rules have ${problems.length} ${problems.length === 1 ? "problem" : "problems"}`, {
      details: problems.map(
        ({ line, path, message }) => `rules:${line}: ${path === "" ? "" : `${path}: `}${message}`,
      ),
    });
  if (!isPatch(rules) || rules.extends !== content.agent_type)
    throw refused(`its rules do not extend ${content.agent_type}, the agent that it is for`);
  return { hash: hashOf(bytes), version: rules.version, content, rules };
};

/** Negative: `a` is older. Both of the form 1.2.3. */
export const compareVersions = (a: string, b: string): number => {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  for (let at = 0; at < 3; at += 1) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
};

/** A recording as a screen reader gets it. */
export const screenOf = ({ screen, title, is_alternate, columns, rows, cursor }: PackRecording): Screen => ({
  lines: screen.split("\n").map((line) => line.trimEnd()),
  title,
  isAlternate: is_alternate,
  width: columns,
  height: rows,
  ...(cursor === null ? {} : { cursor: { x: cursor.x, y: cursor.y, isVisible: cursor.is_visible } }),
});
