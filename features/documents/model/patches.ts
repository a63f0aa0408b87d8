// What an agent wants changed: blocks `<!-- patch:NAME -->` … `<!-- /patch:NAME -->`, and what is outside of them. Applying
// them to a document touches the named components and nothing else.
import { AgtmuxError } from "../../../core/model/errors.ts";
import {
  containAll,
  containText,
  explicitMode,
  findComponent,
  isWhole,
  parseComponents,
  type Component,
  type Mode,
  lineEndOf,
  withLineEnds,
  type LineEnd,
  scanMarkdown,
} from "./documentText.ts";

export interface Patch {
  readonly component: string;
  readonly content: string;
}

export interface Response {
  readonly patches: readonly Patch[];
  /** What is in no block, without empty lines around it. */
  readonly unmatched: string;
}

export type ComponentModes = Readonly<Record<string, { readonly mode?: Mode | undefined }>>;

const NAME = "[a-zA-Z0-9][a-zA-Z0-9-]*";
const OPEN = new RegExp(`^<!--\\s*patch:(${NAME})(?:\\s[^]*)?-->$`);

const findOpen = (text: string, from: number): { name: string; start: number; end: number } | null => {
  for (const { start, end } of scanMarkdown(text, from).comments) {
    const name = end - start > 1_000 ? undefined : OPEN.exec(text.slice(start, end))?.[1];
    if (name !== undefined) return { name, start, end };
  }
  return null;
};

/** More than a response has; without a limit, one could keep its reader busy for minutes. */
const MAX_BLOCKS = 1_000;
const MAX_TRIES = 200;

/** The marker that ends the block: the first after which no code block is open, else the first at all. */
const findClose = (text: string, name: string, from: number): { start: number; end: number } | null => {
  let first: { start: number; end: number } | null = null;
  let tried = 0;
  for (const match of text.slice(from).matchAll(new RegExp(`<!--\\s*/patch:${name}\\s*-->`, "g"))) {
    const start = from + match.index;
    const found = { start, end: start + match[0].length };
    first ??= found;
    if (scanMarkdown(text.slice(from, start)).openFence === null) return found;
    if ((tried += 1) > MAX_TRIES) break;
  }
  return first;
};

/** @throws AgtmuxError E_DOCUMENT_INVALID for a block that is not closed: its text would end up somewhere else. */
export const parseResponse = (text: string): Response => {
  const patches: Patch[] = [];
  let unmatched = "";
  let at = 0;
  for (;;) {
    const open = findOpen(text, at);
    if (open === null) break;
    const close = findClose(text, open.name, open.end);
    if (close === null)
      throw new AgtmuxError("E_DOCUMENT_INVALID", `the response's block 'patch:${open.name}' is not closed`, {
        remedy: `End it with <!-- /patch:${open.name} --> and send the response again; nothing was written.`,
      });
    if (patches.length === MAX_BLOCKS)
      throw new AgtmuxError("E_DOCUMENT_INVALID", `the response has more than ${MAX_BLOCKS} blocks`, {
        remedy: "Send it in parts; nothing was written.",
      });
    unmatched += text.slice(at, open.start);
    patches.push({ component: open.name, content: text.slice(open.end, close.start).replace(/^\r?\n/, "") });
    at = close.end;
  }
  return { patches, unmatched: (unmatched + text.slice(at)).trim() };
};

const trimLines = (text: string): string => text.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd();

/** The component's new content, with a line end on both sides, as its markers stand in lines of their own. */
const place = (existing: string, content: string, mode: Mode, end: LineEnd): string => {
  const own = withLineEnds(trimLines(content), end);
  const added = own === "" ? "" : `${own}${end}`;
  const before = existing === "" ? end : existing;
  switch (mode) {
    case "replace":
      return `${end}${added}`;
    case "append":
      return `${before.endsWith("\n") ? before : `${before}${end}`}${added}`;
    case "prepend":
      return `${end}${added}${before.replace(/^\r?\n/, "")}`;
  }
};

/** The document's components in order; null where they cannot be parsed. */
const namesIn = (text: string): string | null =>
  isWhole(text)
    ? parseComponents(text)
        .map(({ name }) => name)
        .join(" ")
    : null;

export interface Applied {
  readonly text: string;
  /** What had to be changed in the contents, for the person. */
  readonly notes: readonly string[];
}

/** @throws AgtmuxError E_DOCUMENT_INVALID for a component that is not there, and an unknown mode. */
export const applyPatch = (document: string, { component, content }: Patch, mode: Mode): Applied => {
  const { start, end } = findComponent(document, component);
  const [namesBefore, lineEnd] = [namesIn(document), lineEndOf(document)];
  for (const contain of [containText, containAll]) {
    const { text: own, changed } = contain(content);
    const placed = place(document.slice(start, end), own, mode, lineEnd);
    const text = document.slice(0, start) + placed + document.slice(end);
    if (namesIn(text) !== namesBefore) continue;
    return { text, notes: changed === null ? [] : [`patch of '${component}': ${changed}`] };
  }
  throw new AgtmuxError("E_DOCUMENT_INVALID", `the content for '${component}' would break the document`, {
    remedy: "Close its code spans and comments; nothing was changed.",
  });
};

/** Where text goes that no block names; null where there is no such component. */
const findDefault = (components: readonly Component[]): Component | null =>
  components.find(({ name }) => name === "exchange") ??
  components.find(({ name }) => name === "output") ??
  null;

/** The response as patches alone. */
export const withoutUnmatched = (document: string, { patches, unmatched }: Response): Patch[] => {
  if (unmatched === "") return [...patches];
  const found = findDefault(parseComponents(document));
  if (found === null)
    throw new AgtmuxError(
      "E_DOCUMENT_INVALID",
      "the response has text outside of its blocks, and the document has neither 'exchange' nor 'output'",
      { remedy: "Add <!-- agent:exchange mode=append --> and <!-- /agent:exchange --> to the document." },
    );
  return [...patches, { component: found.name, content: unmatched }];
};

/**
 * The document with all of a response in it. A component's mode counts; text outside of the blocks is appended where no mode
 * is written down, because replacing a conversation by a remark would lose it.
 */
export const applyResponse = (document: string, response: Response, modes: ComponentModes): Applied => {
  let text = document;
  const notes: string[] = [];
  for (const [index, patch] of withoutUnmatched(document, response).entries()) {
    const byDefault = index < response.patches.length ? "replace" : "append";
    const mode = explicitMode(findComponent(text, patch.component), modes) ?? byDefault;
    const applied = applyPatch(text, patch, mode);
    text = applied.text;
    notes.push(...applied.notes);
  }
  return { text, notes };
};

/** An inline document with an answer and space for the next question. */
export const appendAnswer = (document: string, answer: string): string => {
  const base = document.trimEnd();
  const lineEnd = lineEndOf(document);
  const turn = withLineEnds(`\n\n## Assistant\n\n${answer.trim()}\n\n## User\n\n`, lineEnd);
  return base === "" ? turn.trimStart() : `${base}${turn}`;
};

/** The `count` non-empty lines that were added last: those at the beginning, where one is put before the others. */
export const newestEntries = (content: string, count: number, mode: "append" | "prepend"): string => {
  const lines = content.split("\n").filter((line) => line.trim() !== "");
  const [first = "\n"] = /^\r?\n/.exec(content) ?? [];
  const kept = mode === "prepend" ? lines.slice(0, count) : lines.slice(-count);
  return `${first}${kept.join("\n")}\n`;
};
