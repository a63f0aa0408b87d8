// What `agtmux report` puts together for whoever is to help: plain sections of text without the names of the person's machines,
// folders and sessions, without what the person named in settings, rules and adapter files, and without any value of the settings
// that is no number or known word. Pure.
import { writtenConfigSchema } from "../../core/model/config.ts";
import type { Finding } from "../../core/model/doctorView.ts";
import { NOTIFICATION_KINDS } from "../../core/model/notificationPolicy.ts";
import { redactNames } from "../../ui/text/reportText.ts";

export interface Section {
  title: string;
  /** What a person is told that it holds. */
  about: string;
  lines: readonly string[];
}

type Names = Parameters<typeof redactNames>[1];

/** What is the same on many machines: folders with all that is in them, and of others what programs make there. */
const COMMON =
  /^\/(?:(?:usr|bin|sbin|etc|proc|dev|nix|System)(?:\/|$)|opt\/homebrew\/|(?:private\/)?tmp\/tmux-\d+\/default$)/;
/** These hold folders of the person's as well: of what is in them, the person named the rest. */
const SHARED = /^\/(?:opt|run|Applications|Library|tmp|private|var)(?=\/|$)/;
/** A space may be in a path: what follows it up to the next slash is taken for a part of it. */
const PATH = /(?<![\w~<.])\/[^\s'",:;()[\]]+(?:(?: [^\s'",:;()[\]/]+){1,3}\/[^\s'",:;()[\]]*)*/g;
const OWN_PATH = /~\/(?!\.)[^\s'",:;()[\]]+(?:(?: [^\s'",:;()[\]/]+){1,3}\/[^\s'",:;()[\]]*)*/g;

const shownPath = (path: string): string => {
  const [first = ""] = path.split(" ", 1);
  // What follows it is no part of it.
  if (COMMON.test(first)) return first + path.slice(first.length).replaceAll(PATH, shownPath);
  const [shared] = SHARED.exec(path) ?? [];
  return shared === undefined ? "<path>" : shared === path ? path : `${shared}/<path>`;
};
/** References of panes hold names of sessions. */
const PANE = /\bpane:[^\s'",]+/g;
const TMUX_NAME = /(?<=\b(?:session|sessionName|window|windowName|title|alias)=)\S+/g;

/** As keys and tokens look; so do ids, which help nobody else either. */
const LONG_WORD = /(?<![A-Za-z0-9_+=-])(?=[A-Za-z_+=-]*\d)(?=[\d_+=-]*[A-Za-z])[A-Za-z0-9_+=-]{20,}/g;

/** One line without names of targets, hosts, addresses, sessions and folders, and without long words with digits. */
export const redactLine = (line: string, targets: Names): string =>
  redactNames(line, targets)
    .replaceAll(PANE, "<pane>")
    .replaceAll(LONG_WORD, "<long word>")
    .replaceAll(TMUX_NAME, "<name>")
    .replaceAll(OWN_PATH, "~/<path>")
    .replaceAll(PATH, shownPath);

/** The same without what the person named; a name also counts inside a longer word, as in that of a file. */
export const withoutNames = (text: string, names: ReadonlySet<string>): string =>
  [...names]
    .toSorted((one, other) => other.length - one.length)
    .reduce((left, name) => left.replaceAll(asName(name), "<name>"), text);

const asName = (name: string): RegExp =>
  new RegExp(
    `(?<![A-Za-z0-9])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(?![A-Za-z0-9])`,
    "g",
  );

const WORDS: ReadonlySet<string> = new Set([
  ...NOTIFICATION_KINDS,
  "auto",
  "ssh2",
  "openssh",
  "command",
  "webhook",
  "state",
  "request",
]);
const TIME_OF_DAY = /^\d\d:\d\d$/;

/** Every name of a property in a schema, at any depth. */
const propertiesIn = (schema: unknown): string[] => {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, inner]) => [
    ...(key === "properties" && typeof inner === "object" && inner !== null ? Object.keys(inner) : []),
    ...propertiesIn(inner),
  ]);
};

/** The keys that config.json can have: each other one is the person's own word. */
const knownKeys = (): ReadonlySet<string> =>
  new Set(propertiesIn(writtenConfigSchema.toJSONSchema({ io: "input", unrepresentable: "any" })));

/** Known names of settings, numbers, switches and words of ours; of every other text its length. */
const withoutTexts = (value: unknown, known: ReadonlySet<string>): unknown => {
  if (typeof value === "string")
    return WORDS.has(value) || TIME_OF_DAY.test(value) ? value : `<${value.length} characters>`;
  if (Array.isArray(value)) return value.map((one) => withoutTexts(one, known));
  if (typeof value !== "object" || value === null) return value;
  // Two unknown keys must not hide each other.
  return Object.fromEntries(
    Object.entries(value).map(([key, inner], index) => [
      known.has(key) ? key : `<key ${index + 1}>`,
      withoutTexts(inner, known),
    ]),
  );
};

/** `text` null: there is no file. */
export const configLines = (text: string | null): string[] => {
  if (text === null) return ["There is no config.json: everything is as it comes."];
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(withoutTexts(value, knownKeys()), null, 2).split("\n");
  } catch {
    // What stands in it may be anything, so nothing of it is shown.
    return [`config.json is no JSON (${text.length} characters).`];
  }
};

const parsed = (text: string | null): unknown => {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    // What it was before is not known; the places that name things leave their names out whatever they are.
    return null;
  }
};

const pairsIn = (value: unknown): [string, unknown][] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]): [string, unknown][] => [
        [Array.isArray(value) ? "" : key, inner],
        ...pairsIn(inner),
      ]);

/** Every text and every unknown key of config.json, and the names in rules.json; none of a file that is no JSON. */
export const namesIn = (config: string | null, rules: string | null): string[] => {
  const known = knownKeys();
  const names = [
    ...pairsIn(parsed(config)).flat(),
    ...pairsIn(parsed(rules)).flatMap(([key, value]) => (/^(?:name|channel)$/.test(key) ? [value] : [])),
  ];
  return names.filter(
    (name): name is string =>
      typeof name === "string" && name.length > 1 && !known.has(name) && !WORDS.has(name),
  );
};

/** What these find is told in words of the person: names, files, programs, addresses. */
const ABOUT_OWN = new Set([
  "home.config",
  "daemon.adapters",
  "daemon.channels",
  "daemon.jobs",
  "daemon.rules",
]);
const NAMED = /\b(adapter file|channel|job|rule) (?:'[^']*'|\S+)(?= (?:is|was|cannot|tells)\b|, which\b)/gi;

/** A finding about what the person named, as a sentence without the names; every other one as it is. */
export const withoutQuotes = (finding: Finding): Finding =>
  ABOUT_OWN.has(finding.check)
    ? {
        ...finding,
        summary: finding.summary.replaceAll(NAMED, (_all, what: string) => `${what} '<name>'`),
        evidence: null,
        remedy: null,
      }
    : finding;

/** Fields of the log whose texts are ours. */
const OWN_FIELDS = new Set([
  "code",
  "feature",
  "level",
  "method",
  "phase",
  "role",
  "signal",
  "syscall",
  "table",
  "transport",
  "type",
  "version",
]);
/** These hold references, paths and names, which are known by their form or their field and taken out. */
const FORMED_FIELDS =
  /^(?:pane|paneRef|folder|path|keptPath|backupPath|session|sessionName|window|windowName|title|alias)$/;
const FRAME = /^\s*at .*/gm;
const QUOTED = /'[^']*'|"[^"]*"|`[^`]*`/g;

/** Of an error its kind, its code, where it came from, and the message without what it quotes. */
const ofError = (error: object): Record<string, unknown> => {
  const { type, code, message, stack } = Object.fromEntries(Object.entries(error));
  const ownCode = typeof code === "string" && /^[A-Z][A-Z0-9_]{1,50}$/.test(code) ? code : undefined;
  return {
    ...(typeof type === "string" ? { type } : {}),
    ...(ownCode === undefined ? {} : { code: ownCode }),
    // Errors of our own name the thing that they are about, which may be anything.
    ...(typeof message !== "string"
      ? {}
      : {
          message:
            ownCode?.startsWith("E_") === true ? lengthOf(message) : message.replaceAll(QUOTED, "<text>"),
        }),
    ...(typeof stack === "string" ? { stack: stack.match(FRAME)?.join("") ?? "" } : {}),
  };
};

const lengthOf = (text: string): string => `<${text.length} characters>`;

/** One record of the daemon's log without the texts that are not ours. `agents`: the types that come with agtmux. */
export const withoutFields = (
  fields: Readonly<Record<string, unknown>>,
  agents: ReadonlySet<string>,
): Record<string, unknown> => {
  const shown = (name: string, value: unknown): unknown => {
    if (typeof value === "string")
      return OWN_FIELDS.has(name) || FORMED_FIELDS.test(name) || (name === "agent" && agents.has(value))
        ? value
        : lengthOf(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return `<${value.length} values>`;
    return name === "error" ? ofError(value) : "<values>";
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(name, value)]));
};

const counted = (count: number): string => (count === 1 ? "1 line" : `${count} lines`);

/** What is in it, for the question before it is written. */
export const contentLines = (sections: readonly Section[]): string[] =>
  sections.map(({ title, about, lines }) => `  ${title}: ${about} (${counted(lines.length)})`);

export const bundleText = (sections: readonly Section[]): string =>
  sections.map(({ title, lines }) => `== ${title}\n${lines.join("\n")}\n`).join("\n");
