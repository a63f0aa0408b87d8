// Mutations of JSON by structure: fields that go, change their type, grow wide or deep, and names that every object has
// already. A case is text in the end, because that is what a parser gets.
import * as fc from "fast-check";
import { fragmentAt, FRAGMENTS } from "./hostileText.ts";
import { stepsArbitrary } from "./mutateText.ts";

type Json = unknown;

/** Written as they are into the text: JSON.stringify has no way to say them. */
const RAW = ["1e308", "1e999", "-0", "123456789012345678901234567890", "1E-400", "-1e308"];
const rawMark = (raw: string): string => `@@raw:${raw}@@`;
const deepMark = (kind: "list" | "object", depth: number): string => `@@${kind}:${depth}@@`;

const KEYS = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "length",
  "then",
  "toJSON",
  "",
  "0",
  "a b",
  "\u001b[2J",
  "\ud800",
];

const VALUES: readonly (() => Json)[] = [
  () => null,
  () => true,
  () => false,
  () => 0,
  () => -1,
  () => 1.5,
  () => Number.MAX_SAFE_INTEGER + 2,
  () => [],
  () => ({}),
  () => [null],
  () => [[[[]]]],
  () => ({ a: { a: { a: {} } } }),
  () => "",
  () => Array.from({ length: 2_000 }, (_, index) => index),
  () => Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, index])),
  () => deepMark("list", 50),
  () => deepMark("object", 50),
  () => deepMark("list", 20_000),
  () => deepMark("object", 20_000),
  () => ({ polluted: true }),
  // No conversion to a text or a number works on these.
  () => ({ toString: 1, valueOf: null }),
  () => [{ toString: null }],
];
/** More than half of all hostile values are texts. */
const valueAt = (number: number): Json => {
  const index = number % (VALUES.length + RAW.length + FRAGMENTS.length);
  if (index < VALUES.length) return VALUES[index]?.();
  if (index < VALUES.length + RAW.length) return rawMark(RAW[index - VALUES.length] ?? "0");
  return fragmentAt(number);
};

/** As an own property, also under `__proto__`. */
const put = (holder: object, key: string, value: Json): void => {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
};

const isHolder = (value: Json): value is object => typeof value === "object" && value !== null;

/** A holder and one of its keys, found by walking down as the number says; null for a tree of one scalar. */
const walk = (root: Json, number: number): { holder: object; key: string } | null => {
  let left = number;
  let at: Json = root;
  let found: { holder: object; key: string } | null = null;
  while (isHolder(at)) {
    const keys = Object.keys(at);
    if (keys.length === 0) break;
    const key: string = keys[left % keys.length] ?? "";
    left = Math.floor(left / keys.length);
    found = { holder: at, key };
    if (left % 3 === 0 && found !== null) break;
    at = Reflect.get(at, key);
  }
  return found;
};

type Edit = (holder: object, key: string, amount: number, root: Json) => void;
const EDITS: readonly Edit[] = [
  (holder, key, amount) => put(holder, key, valueAt(amount)),
  (holder, key, amount) => put(holder, key, valueAt(amount)),
  (holder, key) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else Reflect.deleteProperty(holder, key);
  },
  (holder, _key, amount) =>
    Array.isArray(holder)
      ? void holder.push(valueAt(amount))
      : put(holder, KEYS[amount % KEYS.length] ?? "", valueAt(amount >> 4)),
  (holder, key) => put(holder, key, [Reflect.get(holder, key)]),
  (holder, key) => put(holder, key, { [key]: Reflect.get(holder, key) }),
  (holder, key) => put(holder, key, JSON.stringify(Reflect.get(holder, key))),
  (holder, key, amount) => {
    const value: unknown = Reflect.get(holder, key);
    if (typeof value === "string") put(holder, key, value + fragmentAt(amount));
    else put(holder, key, fragmentAt(amount));
  },
  (holder, key, amount) => {
    const value: unknown = Reflect.get(holder, key);
    if (Array.isArray(value) && value.length < 50)
      put(holder, key, Array.from({ length: 1 + (amount % 40) }, () => value).flat());
    else put(holder, key, valueAt(amount));
  },
  (holder, key, amount, root) => {
    const other = walk(root, amount);
    if (other !== null) put(holder, key, structuredClone(Reflect.get(other.holder, other.key)));
  },
];

const writeRaw = (text: string): string =>
  text
    .replaceAll(/"@@raw:([^@]*)@@"/g, "$1")
    .replaceAll(
      /"@@list:(\d+)@@"/g,
      (_, depth: string) => "[".repeat(Number(depth)) + "]".repeat(Number(depth)),
    )
    .replaceAll(
      /"@@object:(\d+)@@"/g,
      (_, depth: string) => `${'{"a":'.repeat(Number(depth))}1${"}".repeat(Number(depth))}`,
    );

/** Texts of at most this length; a tree that grew larger is cut, and so is no JSON any more. */
const MAX_LENGTH = 500_000;

/** JSON text of one of the seeds with at most `maxSteps` edits. */
export const mutatedJson = (seeds: readonly Json[], maxSteps = 5): fc.Arbitrary<string> => {
  if (seeds.length === 0) throw new Error("mutatedJson: no seeds");
  const texts = seeds.map((seed) => JSON.stringify({ root: seed }));
  return fc.tuple(fc.nat(texts.length - 1), stepsArbitrary(maxSteps)).map(([index, steps]) => {
    const tree: { root: Json } = JSON.parse(texts[index] ?? "{}");
    for (const [kind, at, amount] of steps) {
      const found = walk(tree.root, at);
      if (found !== null) EDITS[kind % EDITS.length]?.(found.holder, found.key, amount, tree.root);
      else tree.root = valueAt(amount);
    }
    return writeRaw(JSON.stringify(tree.root) ?? "null").slice(0, MAX_LENGTH);
  });
};

/** The same as values; what is no JSON any more counts as null. */
export const mutatedValue = (seeds: readonly Json[], maxSteps = 5): fc.Arbitrary<Json> =>
  mutatedJson(seeds, maxSteps).map((text): Json => {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  });
