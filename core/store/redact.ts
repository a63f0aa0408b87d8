// Payloads as they may be stored: secrets out, size bounded. It copies by structure into prototype-free objects, so that
// hostile keys, depth, width and length cost little and change nothing outside the copy.
import { redactText, REDACTED } from "./redactText.ts";

/** Stored JSON of one payload is never larger than this many bytes. */
export const MAX_STORED_BYTES = 16 * 1_024;
const MAX_STRING_CHARS = 4_000;
const MAX_KEY_CHARS = 120;
const MAX_SCANNED_CHARS = 64 * 1_024;
const MAX_DEPTH = 8;
const MAX_ENTRIES = 100;
const CUT = "…[cut]";
/** After the budget is spent, each open container may still add one mark for what it leaves out. */
const BYTES_FOR_MARKS = (MAX_DEPTH + 1) * 96;

const SECRET_KEY =
  /passw(?:or)?d|passphrase|secret|token(?!iz)|authorization|api_?key|access_?key|private_?key|(?:account|signing|encryption)_key|credential|cookie|^auth$/;
/** Keys that count tokens rather than hold one. */
const COUNT_KEY = /tokens$|tokens?_(?:count|usage|used|limit|budget|left|remaining|max)/;

/** `apiKey`, `API-KEY` and `api_key` are one name. */
const normaliseKey = (key: string): string =>
  key
    .slice(0, 200)
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replace(/[\s.-]/g, "_")
    .toLowerCase();

/** How the value under a key is treated; the key is written as `stored`, which takes `bytes` of JSON. */
interface KnownKey {
  stored: string;
  bytes: number;
  isSecret: boolean;
  /** The key names secrets, but this one counts them. */
  isCount: boolean;
}

/**
 * A cache of keys and short texts that redaction did not change; texts are kept with the size of their JSON. It never holds a
 * secret.
 */
interface Known {
  keys: Map<string, KnownKey>;
  texts: Map<string, number>;
}

/**
 * `left`: bytes of JSON that may still be written. `scan`: characters that may still be searched, because texts that shrink
 * would not use up `left`.
 */
interface Budget {
  left: number;
  scan: number;
  known: Known;
}

const MAX_KNOWN = 500;
const MAX_KNOWN_CHARS = 200;

const remember = <T>(known: Map<string, T>, text: string, value: T): void => {
  if (text.length > MAX_KNOWN_CHARS) return;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, value);
};

const bytesOf = (json: string): number => Buffer.byteLength(json);

const spendString = (text: string, budget: Budget): string => {
  budget.scan -= Math.min(text.length, MAX_STRING_CHARS);
  const { texts } = budget.known;
  const bytes = budget.scan < 0 ? undefined : texts.get(text);
  if (bytes !== undefined && bytes <= budget.left) {
    budget.left -= bytes;
    return text;
  }
  let kept = budget.scan < 0 ? CUT : redactText(text, MAX_STRING_CHARS);
  let cost = bytesOf(JSON.stringify(kept));
  if (kept === text) remember(texts, text, cost);
  if (cost > budget.left) {
    // A character costs at most six bytes as JSON (\u0000).
    kept = budget.left < 400 ? CUT : redactText(text, Math.floor(budget.left / 6) - 2);
    cost = bytesOf(JSON.stringify(kept));
  }
  budget.left -= cost;
  return kept;
};

const knowKey = (key: string, { keys }: Known): KnownKey => {
  const known = keys.get(key);
  if (known !== undefined) return known;
  const name = normaliseKey(key);
  const isSecret = SECRET_KEY.test(name);
  const stored = redactText(key, MAX_KEY_CHARS);
  const found = {
    stored,
    bytes: bytesOf(JSON.stringify(stored)),
    isSecret,
    isCount: isSecret && COUNT_KEY.test(name),
  };
  if (stored === key) remember(keys, key, found);
  return found;
};

const copyList = (list: readonly unknown[], depth: number, isSecret: boolean, budget: Budget): unknown[] => {
  const copy: unknown[] = [];
  for (const item of list) {
    if (copy.length >= MAX_ENTRIES || budget.left <= 0) {
      copy.push(`${CUT} ${list.length} items`);
      break;
    }
    budget.left -= 1;
    copy.push(copyValue(item, depth + 1, isSecret, budget));
  }
  return copy;
};

const copyObject = (
  source: object,
  depth: number,
  isSecret: boolean,
  budget: Budget,
): Record<string, unknown> => {
  const copy: Record<string, unknown> = Object.create(null);
  let entries = 0;
  for (const key in source) {
    if (!Object.hasOwn(source, key)) continue;
    if (entries >= MAX_ENTRIES || budget.left <= 0) {
      copy[CUT] = true;
      break;
    }
    entries += 1;
    const { stored, bytes, isSecret: isSecretKey, isCount } = knowKey(key, budget.known);
    budget.left -= bytes + 2;
    const value: unknown = Reflect.get(source, key);
    copy[stored] =
      isSecretKey && !isCount && value !== null && typeof value !== "boolean"
        ? spendString(REDACTED, budget)
        : copyValue(value, depth + 1, isSecret || isSecretKey, budget);
  }
  return copy;
};

/** `isSecret`: the value is below a key that names secrets. Numbers stay, because they are counts; texts do not. */
const copyValue = (value: unknown, depth: number, isSecret: boolean, budget: Budget): unknown => {
  switch (typeof value) {
    case "string":
      return spendString(isSecret ? REDACTED : value, budget);
    case "number":
    case "boolean":
      budget.left -= 25;
      return value;
    case "bigint":
      return spendString(String(value), budget);
    case "object": {
      budget.left -= 4;
      if (value === null) return null;
      if (depth >= MAX_DEPTH) return spendString(CUT, budget);
      return Array.isArray(value)
        ? copyList(value, depth, isSecret, budget)
        : copyObject(value, depth, isSecret, budget);
    }
    case "undefined":
    case "function":
    case "symbol":
      budget.left -= 4;
      return null;
  }
};

const newKnown = (): Known => ({ keys: new Map(), texts: new Map() });

const newBudget = (known: Known): Budget => ({
  left: MAX_STORED_BYTES - BYTES_FOR_MARKS,
  scan: MAX_SCANNED_CHARS,
  known,
});

/**
 * A copy of any JSON-like value without secrets (keys, tokens, bearer headers, private key blocks, URLs with credentials,
 * values under keys such as `password`), whose JSON is at most 16 kB. Long texts end in a mark with their original length.
 * Never throws on parsed JSON. The cost is bounded whatever the input's size, except for listing the keys of one object.
 */
export const redactPayload = (payload: unknown): unknown =>
  copyValue(payload, 0, false, newBudget(newKnown()));

/** The same as `redactPayload`, for a value that is known to be an object. */
export const redactRecord = (payload: Record<string, unknown>): Record<string, unknown> =>
  copyObject(payload, 0, false, newBudget(newKnown()));

/** `redactPayload` with a cache, for frequent use: agents send the same keys, folders and session ids with every event. */
export const createPayloadRedactor = (): ((payload: unknown) => unknown) => {
  const known = newKnown();
  return (payload) => copyValue(payload, 0, false, newBudget(known));
};
