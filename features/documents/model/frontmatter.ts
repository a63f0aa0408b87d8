// The YAML at the head of a document: what agtmux reads of it, and how single values are put into it. It is never written out
// again as a whole: comments, unknown keys and spacing belong to the person.
import { isMap, isScalar, LineCounter, parseDocument, type Pair, type YAMLMap } from "yaml";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { splitFrontmatter } from "./documentText.ts";

export type DocumentFormat = "inline" | "template";
export type WriteStrategy = "merge" | "crdt";

export interface Frontmatter {
  /** The document's own id, by which it is routed. */
  readonly session: string | null;
  readonly format: DocumentFormat;
  readonly write: WriteStrategy;
  readonly agent: string | null;
  readonly model: string | null;
  readonly branch: string | null;
  /** The conversation that the agent goes on with. */
  readonly resume: string | null;
}

type Key = "agent_doc_session" | "agent_doc_format" | "agent" | "model" | "branch" | "resume";

const invalid = (message: string, remedy: string, cause?: unknown): AgtmuxError =>
  new AgtmuxError("E_DOCUMENT_INVALID", message, { remedy, cause });

const REMEDY = "Correct the lines between the two '---' at the beginning; nothing was changed.";

/** The map of a frontmatter, with the ranges of its values; null for an empty one. `yaml` begins in line 2 of the document. */
const parseYaml = (yaml: string): YAMLMap | null => {
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = lines.linePos(error.pos[0]).line + 1;
    throw invalid(`the frontmatter is not valid YAML, in line ${line}: ${error.message}`, REMEDY);
  }
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return null;
  if (!isMap(contents)) throw invalid("the frontmatter is not a list of 'key: value' lines", REMEDY);
  return contents;
};

const findPair = (map: YAMLMap | null, key: string): Pair | undefined =>
  map?.items.find(({ key: own }) => isScalar(own) && own.value === key);

/** A text, or null where the key is absent or empty. A number or a date is meant as it is written. */
const readText = (map: YAMLMap | null, key: string): string | null => {
  const value = findPair(map, key)?.value;
  if (value === undefined || value === null) return null;
  if (!isScalar(value) || typeof value.value === "boolean" || value.value instanceof Date)
    throw invalid(`'${key}' in the frontmatter is not a text`, REMEDY);
  if (value.value === null || value.value === "") return null;
  return typeof value.value === "string" ? value.value : (value.source ?? null);
};

const pick = <T extends string>(key: string, value: string | null, known: Readonly<Record<string, T>>) => {
  if (value === null) return null;
  const found = Object.hasOwn(known, value) ? known[value] : undefined;
  if (found !== undefined) return found;
  throw invalid(
    `'${key}: ${value}' in the frontmatter is unknown`,
    `Use ${Object.keys(known).join(", ")}, or leave the line out.`,
  );
};

const FORMATS = { inline: "inline", template: "template", append: "inline" } as const;
const STRATEGIES = { merge: "merge", crdt: "crdt" } as const;
/** The one field of old. */
const OLD_MODES = { append: "append", template: "template", stream: "stream" } as const;

/** @throws AgtmuxError E_DOCUMENT_INVALID for YAML that cannot be read, and for values that are not known. */
export const readFrontmatter = (text: string): Frontmatter => {
  const { yaml } = splitFrontmatter(text);
  const map = yaml === null ? null : parseYaml(yaml);
  const read = (key: string) => readText(map, key);
  const oldKey = ["agent_doc_mode", "mode", "response_mode"].find((key) => read(key) !== null);
  const old = oldKey === undefined ? null : pick(oldKey, read(oldKey), OLD_MODES);
  return {
    session: read("agent_doc_session") ?? read("session"),
    format:
      pick("agent_doc_format", read("agent_doc_format"), FORMATS) ??
      (old === "append" ? "inline" : "template"),
    write: pick("agent_doc_write", read("agent_doc_write"), STRATEGIES) ?? "crdt",
    agent: read("agent"),
    model: read("model"),
    branch: read("branch"),
    resume: read("resume"),
  };
};

const PLAIN = /^[A-Za-z_/][\w./@+-]*$/;
/** What YAML would take for something else than a text. */
const OTHER_KIND = /^(?:true|false|null|yes|no|on|off)$/i;

const quote = (value: string): string =>
  PLAIN.test(value) && !OTHER_KIND.test(value) ? value : JSON.stringify(value);

const lineStart = (text: string, offset: number): number => text.lastIndexOf("\n", offset - 1) + 1;

const lineEnd = (text: string, offset: number): number => {
  const newline = text.indexOf("\n", offset);
  return newline < 0 ? text.length : newline + 1;
};

/** Puts a value in the place of the one that is there, or a new line below all others; null takes its line away. */
const splice = (yaml: string, key: string, value: string | null, newline: string): string => {
  const map = parseYaml(yaml);
  const pair = findPair(map, key);
  if (pair === undefined) {
    if (value === null) return yaml;
    const gap = yaml === "" || yaml.endsWith("\n") ? "" : newline;
    return `${yaml}${gap}${key}: ${quote(value)}${newline}`;
  }
  const keyRange = (isScalar(pair.key) ? pair.key.range : null) ?? null;
  const valueRange = (isScalar(pair.value) ? pair.value.range : null) ?? null;
  const colon = keyRange === null ? -1 : yaml.indexOf(":", keyRange[1]);
  if (keyRange === null || colon < 0 || map?.flow === true || (pair.value !== null && valueRange === null))
    throw invalid(`'${key}' in the frontmatter is written in a form that cannot be changed safely`, REMEDY);
  const [from, to] = valueRange === null ? [colon + 1, colon + 1] : [valueRange[0], valueRange[1]];
  if (value === null)
    return yaml.slice(0, lineStart(yaml, keyRange[0])) + yaml.slice(lineEnd(yaml, Math.max(to, colon)));
  // An empty value has its range right behind the colon, or behind the spaces that follow.
  const space = from === to && yaml[from - 1] === ":" ? " " : "";
  return `${yaml.slice(0, from)}${space}${quote(value)}${yaml.slice(to)}`;
};

/**
 * The document with these values; all other bytes stay. A document without frontmatter gets one.
 * @throws AgtmuxError E_DOCUMENT_INVALID where that is not possible without touching anything else.
 */
export const setFrontmatter = (
  text: string,
  values: Readonly<Partial<Record<Key, string | null>>>,
): string => {
  const { mark, yaml, body, newline } = splitFrontmatter(text);
  let changed = yaml ?? "";
  for (const [key, value] of Object.entries(values)) {
    changed = splice(changed, key, value, newline);
    if (readText(parseYaml(changed), key) !== value)
      throw invalid(`'${key}' could not be written into the frontmatter`, REMEDY);
  }
  if (changed === (yaml ?? "")) return text;
  return `${mark}---${newline}${changed}${changed === "" || changed.endsWith("\n") ? "" : newline}---${newline}${body}`;
};
