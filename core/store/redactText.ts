// Takes secrets out of free text: well-known token shapes, headers, assignments, credentials in URLs, private keys.
// Every pattern is linear or has bounded repetition, and callers bound the text first, so that hostile text stays cheap.

export const REDACTED = "[redacted]";

/** How much text beyond a limit is still looked at, so that a secret across the cut is recognised. */
const OVERLAP = 1_024;

type Rule = readonly [pattern: RegExp, replace: string | ((...match: string[]) => string)];

const SECRET_WORD =
  "(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|credentials?)";

/**
 * A name whose secret word is its end, or is followed by a separator or digits: `DB_PASSWORD`, `api_key_2`, not `tokenizer`.
 */
const SECRET_NAME = `${SECRET_WORD}(?:s?(?:[_-][\\w-]{0,30})?|\\d{0,3})(?:\\\\{0,3}["'])?`;

/** `max_tokens=4096` is a count, not a secret. */
const keepCounts = (whole: string, name: string, value: string): string =>
  /token/i.test(name) && /^\d+$/.test(value) ? whole : `${name}${REDACTED}`;

/** The prefixes of tokens that are recognised by their shape alone. */
const TOKEN_START =
  /eyJ|sk-|(?:[srp]k|whsec|gh[opusr]|github_pat|npm|hf|gsk|dop_v1|shpat|sntrys|lin_api|r8|dckr)_|glpat|xox|xapp|xai|nvapi|pypi|A[KSBC][IC]A|AIza|ya29|SG\.|AGE-|\d:|SK[0-9a-f]|GOCSPX|hv[sbr]\./;

const SECRET_WORD_ANYWHERE = new RegExp(SECRET_WORD, "i");

/**
 * The rules in the order in which they are applied, each with a text that must be there for it to match, because that check is
 * cheap.
 */
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

/**
 * Whether this many characters follow each other without a space. It looks at every sixteenth character and, if that is not a
 * space, around it.
 */
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
