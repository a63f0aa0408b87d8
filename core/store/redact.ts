// Takes secrets out of what is stored: free text (token shapes, headers, assignments, credentials in URLs, private keys), and
// payloads by structure and within bounds. Which fields of our own records are redacted is in redactEvidence.ts.

// Free text: every pattern is linear or has bounded repetition, and the text is bounded first, so that hostile text stays cheap.

const REDACTED = "[redacted]";

/** How much text beyond a limit is still searched, so that a secret across the cut is recognised. */
const OVERLAP = 1_024;

type Rule = readonly [pattern: RegExp, replace: string | ((...match: string[]) => string)];

const SECRET_WORD =
  "(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|credentials?)";

/** A name that ends in a secret word, or has a separator or digits after it: `DB_PASSWORD`, `api_key_2`, not `tokenizer`. */
const SECRET_NAME = `${SECRET_WORD}(?:s?(?:[_-][\\w-]{0,30})?|\\d{0,3})(?:\\\\{0,3}["'])?`;

/** `max_tokens=4096` is a count, not a secret. */
const keepCounts = (whole: string, name: string, value: string): string =>
  /token/i.test(name) && /^\d+$/.test(value) ? whole : `${name}${REDACTED}`;

/** The prefixes of tokens that are recognised by their shape alone. */
const TOKEN_START =
  /eyJ|sk-|(?:[srp]k|whsec|gh[opusr]|github_pat|npm|hf|gsk|dop_v1|shpat|sntrys|lin_api|r8|dckr)_|glpat|xox|xapp|xai|nvapi|pypi|A[KSBC][IC]A|AIza|ya29|SG\.|AGE-|\d:|SK[0-9a-f]|GOCSPX|hv[sbr]\./;

const SECRET_WORD_ANYWHERE = new RegExp(SECRET_WORD, "i");

/** Rules in the order in which they are applied. `mayMatch`: a cheap check; where it fails, none of them can match. */
interface RuleGroup {
  mayMatch: (text: string) => boolean;
  rules: readonly Rule[];
}

const RULE_GROUPS: readonly RuleGroup[] = [
  {
    mayMatch: (text) => text.includes("PRIVATE KEY"),
    rules: [
      [
        /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,50}-----|$)/g,
        REDACTED,
      ],
    ],
  },
  {
    mayMatch: (text) => /authorization|cookie|bearer/i.test(text),
    rules: [
      [
        /((?:proxy-)?authorization(?:\\{0,3}["'])?\s{0,3}[:=]\s{0,3}(?:\\{0,3}["'])?)[^\r\n"']+/gi,
        `$1${REDACTED}`,
      ],
      [/(\b(?:set-)?cookie(?:\\{0,3}["'])?\s{0,3}[:=]\s{0,3}(?:\\{0,3}["'])?)[^\r\n"']+/gi, `$1${REDACTED}`],
      [/\b(bearer\s{1,4})(?:(?=\S{0,200}\d)[\w.~+/=-]{8,}|[\w.~+/=-]{20,})/gi, `$1${REDACTED}`],
    ],
  },
  {
    mayMatch: (text) => text.includes("://"),
    rules: [
      [/(:\/\/)[^\s/@:"']{0,256}:[^\s/"']{1,512}@/g, `$1${REDACTED}@`],
      [/(:\/\/)[\w-]{20,512}@/g, `$1${REDACTED}@`],
    ],
  },
  {
    mayMatch: (text) => text.includes("curl"),
    rules: [
      [
        /(\bcurl\b[^\n|;]{0,500}?\s(?:-u|--user)[\s=]{0,2}["']?[^\s:'"]{1,64}:)[^\s'"]{1,256}/g,
        `$1${REDACTED}`,
      ],
    ],
  },
  {
    mayMatch: (text) => TOKEN_START.test(text),
    rules: [
      [/\beyJ[\w-]{16,}(?:\.[\w-]*){0,4}/g, REDACTED],
      [/\bsk-[\w-]{16,}/g, REDACTED],
      [/\b(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}/g, REDACTED],
      [/\bgh[opusr]_[A-Za-z0-9]{20,}/g, REDACTED],
      [/\bgithub_pat_\w{20,}/g, REDACTED],
      [/\b(?:glpat|xox[abeoprs]|xapp|xai|nvapi|pypi-AgE)-?[\w-]{16,}/g, REDACTED],
      [/\b(?:npm|hf|gsk|dop_v1|shpat|sntrys|lin_api|r8)_[A-Za-z0-9]{20,}/g, REDACTED],
      [/\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b/g, REDACTED],
      [/\bAIza[\w-]{30,}/g, REDACTED],
      [/\bya29\.[\w-]{16,}/g, REDACTED],
      [/\bSG\.[\w-]{16,}\.[\w-]{16,}/g, REDACTED],
      [/\bAGE-SECRET-KEY-1[0-9A-Z]{20,}/g, REDACTED],
      [/\d{8,10}:[\w-]{35,}/g, REDACTED],
      [/\bSK[0-9a-f]{32}\w*/g, REDACTED],
      [/\bGOCSPX-[\w-]{20,}/g, REDACTED],
      [/\bdckr_(?:pat|oat)_[\w-]{20,}/g, REDACTED],
      [/\bhv[sbr]\.[\w-]{20,}/g, REDACTED],
    ],
  },
  {
    mayMatch: (text) => text.includes("hooks.slack.com/") || text.includes("discord"),
    rules: [
      [/(\bhooks\.slack\.com\/[a-z]{1,20}\/)[\w/-]{8,200}/g, `$1${REDACTED}`],
      [/(\bdiscord(?:app)?\.com\/api\/webhooks\/\d{1,25}\/)[\w-]{20,}/g, `$1${REDACTED}`],
    ],
  },
  {
    mayMatch: (text) => text.includes("="),
    rules: [
      [/(\b(?:Account|SharedAccess)Key=)[\w+/=%-]{20,}/gi, `$1${REDACTED}`],
      [/([?&](?:sig|signature|x-(?:amz|goog)-signature)=)[\w+/=%-]{20,}/gi, `$1${REDACTED}`],
    ],
  },
  {
    mayMatch: (text) => SECRET_WORD_ANYWHERE.test(text),
    rules: [
      [new RegExp(`(${SECRET_NAME}\\s{0,2}[:=]\\s{0,2}")([^"\\n$]{4,})(?=")`, "gi"), keepCounts],
      [new RegExp(`(${SECRET_NAME}\\s{0,2}[:=]\\s{0,2}')([^'\\n$]{4,})(?=')`, "gi"), keepCounts],
      // JSON within a JSON text, whose quotes are escaped.
      [
        new RegExp(`(${SECRET_NAME}\\s{0,2}[:=]\\s{0,2}\\\\{1,3}")([^"\\\\\\n$]{4,})(?=\\\\)`, "gi"),
        keepCounts,
      ],
      [
        new RegExp(
          `(${SECRET_NAME}\\s{0,2}[:=]\\s{0,2}(?:\\\\{0,3}["'])?)((?:[^\\s"'&;,<>(){}\\[\\]$\\\\]|\\\\(?!["'\\\\])){4,})`,
          "gi",
        ),
        keepCounts,
      ],
      [
        new RegExp(
          `(--[a-z0-9-]{0,30}${SECRET_WORD}\\s{1,3}["']?)([^\\s"'&;,<>(){}\\[\\]$-][^\\s"'&;]{2,})`,
          "gi",
        ),
        keepCounts,
      ],
    ],
  },
];

/** A word shorter than this is no token. */
const MIN_TOKEN_CHARS = 16;

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);

/** Whether a word has that many characters. Checks every sixteenth character and, if that is not a space, around it. */
const hasLongWord = (text: string): boolean => {
  let from = 0;
  for (let at = MIN_TOKEN_CHARS - 1; at < text.length; at = from + MIN_TOKEN_CHARS - 1) {
    if (isSpace(text.charCodeAt(at))) {
      from = at + 1;
      continue;
    }
    let start = at;
    while (start > from && !isSpace(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end < text.length && end - start < MIN_TOKEN_CHARS && !isSpace(text.charCodeAt(end))) end += 1;
    if (end - start >= MIN_TOKEN_CHARS) return true;
    from = end + 1;
  }
  return false;
};

/** A text without any of these matches no rule. Most names, titles and sentences have none. */
const mayHoldSecret = (text: string): boolean =>
  text.includes(":") ||
  text.includes("=") ||
  text.includes("@") ||
  text.includes("--") ||
  hasLongWord(text) ||
  /bearer\s/i.test(text);

/** Replaces every recognised secret by a mark. Applying it again changes nothing. Cost grows with the text's length. */
const replaceSecrets = (text: string): string => {
  let clean = text;
  if (!mayHoldSecret(text)) return clean;
  for (const { mayMatch, rules } of RULE_GROUPS) {
    if (!mayMatch(clean)) continue;
    for (const [pattern, replace] of rules) {
      clean = typeof replace === "string" ? clean.replace(pattern, replace) : clean.replace(pattern, replace);
    }
  }
  return clean;
};

/** Cuts text to `maxChars` UTF-16 units, the mark with the original length included; never through a surrogate pair. */
const cutText = (text: string, maxChars: number, originalLength: number): string => {
  const mark = `…[cut from ${originalLength} characters]`;
  if (mark.length >= maxChars) return text.slice(0, maxChars);
  const head = text.slice(0, maxChars - mark.length);
  const last = head.charCodeAt(head.length - 1);
  return (last >= 0xd800 && last <= 0xdbff ? head.slice(0, -1) : head) + mark;
};

/** Free text without secrets, at most `maxChars` long. Looks only at the part that can remain, so 10 MB cost no more than 10 kB. */
export const redactText = (text: string, maxChars: number): string => {
  const isLong = text.length > maxChars + OVERLAP;
  const clean = replaceSecrets(isLong ? text.slice(0, maxChars + OVERLAP) : text);
  return isLong || clean.length > maxChars ? cutText(clean, maxChars, text.length) : clean;
};

// Payloads: copies within a budget, values under secret keys replaced.

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
