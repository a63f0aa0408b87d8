// What `agtmux report` puts together for whoever is to help: plain sections of text without the names of the person's machines,
// folders and sessions, and without any value of the settings that is no number or known word. Pure.
import { NOTIFICATION_KINDS } from "../../core/model/notificationPolicy.ts";
import { redactNames } from "../../ui/text/reportText.ts";

export interface Section {
  title: string;
  /** What a person is told that it holds. */
  about: string;
  lines: readonly string[];
}

type Names = Parameters<typeof redactNames>[1];

/** Folders that are the same on many machines. */
const COMMON =
  /^\/(?:usr|bin|sbin|opt|etc|proc|dev|run|nix|Applications|System|Library|tmp|private|var)(?:\/|$)/;
const PATH = /(?<![\w~<.])\/[^\s'",:;()[\]]+/g;
const OWN_PATH = /~\/(?!\.)[^\s'",:;()[\]]+/g;
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
    .replaceAll(PATH, (path) => (COMMON.test(path) ? path : "<path>"));

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
const KEY = /^[a-z_$]{1,30}$/;

/** Names of settings, numbers, switches and words of ours; of every other text its length. */
const withoutTexts = (value: unknown): unknown => {
  if (typeof value === "string")
    return WORDS.has(value) || TIME_OF_DAY.test(value) ? value : `<${value.length} characters>`;
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [KEY.test(key) ? key : "<key>", withoutTexts(inner)]),
  );
};

/** `text` null: there is no file. */
export const configLines = (text: string | null): string[] => {
  if (text === null) return ["There is no config.json: everything is as it comes."];
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(withoutTexts(value), null, 2).split("\n");
  } catch {
    // What stands in it may be anything, so nothing of it is shown.
    return [`config.json is no JSON (${text.length} characters).`];
  }
};

const counted = (count: number): string => (count === 1 ? "1 line" : `${count} lines`);

/** What is in it, for the question before it is written. */
export const contentLines = (sections: readonly Section[]): string[] =>
  sections.map(({ title, about, lines }) => `  ${title}: ${about} (${counted(lines.length)})`);

export const bundleText = (sections: readonly Section[]): string =>
  sections.map(({ title, lines }) => `== ${title}\n${lines.join("\n")}\n`).join("\n");
