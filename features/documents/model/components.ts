// The named regions of a document: `<!-- agent:NAME k=v -->` to `<!-- /agent:NAME -->`, outside of code. What is not certain
// (an open region without an end, one within another) is an error that names the lines, never a guess.
import { AgtmuxError } from "../../../core/model/errors.ts";
import { lineAt, scanMarkdown } from "./scanMarkdown.ts";

export const MODES = ["replace", "append", "prepend"] as const;
export type Mode = (typeof MODES)[number];

export interface Component {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Offsets of the content between the markers. */
  readonly start: number;
  readonly end: number;
}

const NAME = "[a-zA-Z0-9][a-zA-Z0-9-]*";
const MARKER = new RegExp(`^<!--\\s*(/?)agent:(${NAME})(\\s[^]*)?-->$`);
const ATTRIBUTE = /([\w-]+)=(?:"([^"]*)"|'([^']*)'|(\S+))/g;

const readAttributes = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(ATTRIBUTE)].map(([, key = "", double, single, bare]) => [
      key,
      double ?? single ?? bare ?? "",
    ]),
  );

interface Marker {
  readonly name: string;
  readonly isClose: boolean;
  readonly attributes: string;
  readonly start: number;
  readonly end: number;
}

/** Every marker that counts, in order. */
const findMarkers = (text: string): Marker[] =>
  scanMarkdown(text).comments.flatMap(({ start, end }) => {
    // A long comment is no marker; most comments are not, and need no regular expression.
    if (end - start > 1_000) return [];
    const match = MARKER.exec(text.slice(start, end));
    if (match === null) return [];
    const [, slash, name = "", attributes = ""] = match;
    return [{ name, isClose: slash === "/", attributes, start, end }];
  });

const invalid = (message: string, remedy: string): AgtmuxError =>
  new AgtmuxError("E_DOCUMENT_INVALID", message, { remedy });

/** In the order of the document. @throws AgtmuxError E_DOCUMENT_INVALID for regions that are not closed, or within others. */
export const parseComponents = (text: string): Component[] => {
  const components: Component[] = [];
  let open: Marker | null = null;
  for (const marker of findMarkers(text)) {
    const { name, isClose, start } = marker;
    const line = () => lineAt(text, start);
    if (!isClose) {
      if (open !== null)
        throw invalid(
          `component '${name}' in line ${line()} begins within '${open.name}' of line ${lineAt(text, open.start)}`,
          `Close '${open.name}' with <!-- /agent:${open.name} --> before it, or put the marker into a code block.`,
        );
      open = marker;
      continue;
    }
    if (open?.name !== name)
      throw invalid(
        `line ${line()} closes component '${name}', which is not open`,
        open === null
          ? `Remove <!-- /agent:${name} -->, or add the marker that opens it.`
          : `'${open.name}' of line ${lineAt(text, open.start)} is open: close that first.`,
      );
    components.push({ name, attributes: readAttributes(open.attributes), start: open.end, end: start });
    open = null;
  }
  if (open !== null)
    throw invalid(
      `component '${open.name}' of line ${lineAt(text, open.start)} is not closed`,
      `Add <!-- /agent:${open.name} --> where it ends; a code block that is left open hides it as well.`,
    );
  return components;
};

/** Whether its components can be told. A person may be in the middle of changing a marker. */
export const isWhole = (text: string): boolean => {
  try {
    parseComponents(text);
    return true;
  } catch (error) {
    if (error instanceof AgtmuxError) return false;
    throw error;
  }
};

/** @throws AgtmuxError E_DOCUMENT_INVALID where there is none of that name, or several. */
export const findComponent = (text: string, name: string): Component => {
  const all = parseComponents(text);
  const [found, other] = all.filter((one) => one.name === name);
  if (found === undefined) {
    const names = [...new Set(all.map((one) => one.name))];
    throw invalid(
      `the document has no component '${name}'`,
      names.length === 0
        ? `Add <!-- agent:${name} --> and <!-- /agent:${name} --> where its text belongs.`
        : `It has ${names.join(", ")}.`,
    );
  }
  if (other !== undefined)
    throw invalid(
      `the document has component '${name}' twice, in lines ${lineAt(text, found.start)} and ${lineAt(text, other.start)}`,
      "Rename one of them.",
    );
  return found;
};

const isMode = (text: string): text is Mode => MODES.some((mode) => mode === text);

/** @throws AgtmuxError E_DOCUMENT_INVALID for what is no mode. `where` says who wants it. */
export const checkMode = (mode: string, where: string): Mode => {
  if (isMode(mode)) return mode;
  throw invalid(`${where} has the unknown mode '${mode}'`, `Use ${MODES.join(", ")}.`);
};

/** Inline attribute > configuration; null where neither says anything. `patch` is what later versions write for `mode`. */
export const explicitMode = (
  { name, attributes }: Component,
  configured: Readonly<Record<string, { readonly mode?: Mode | undefined }>>,
): Mode | null => {
  const inline = attributes["mode"] ?? attributes["patch"];
  if (inline !== undefined) return checkMode(inline, `component '${name}'`);
  return (Object.hasOwn(configured, name) ? configured[name]?.mode : undefined) ?? null;
};

const AGENT_MARKER = /^<!--(?=\s*\/?agent:)/;

export interface Contained {
  readonly text: string;
  /** What was changed, for the person; null where nothing was. */
  readonly changed: string | null;
}

/**
 * Content that is put into a component must not end it, nor begin another one, nor leave a code block or a comment open over
 * the marker that ends it. Markers become visible text, and a code block is closed.
 */
export const containText = (content: string): Contained => {
  const { comments, openComments, openFence } = scanMarkdown(content);
  const markers = comments.filter(({ start, end }) => AGENT_MARKER.test(content.slice(start, end)));
  let text = "";
  let at = 0;
  for (const start of [...markers.map((one) => one.start), ...openComments].toSorted((a, b) => a - b)) {
    text += `${content.slice(at, start)}&lt;`;
    at = start + 1;
  }
  text += content.slice(at);
  const isOpen = openFence !== null;
  if (isOpen) text = `${text.replace(/\n*$/, "")}\n${openFence}\n`;
  const changes = [
    ...(at > 0 ? ["marks in it were made visible text"] : []),
    ...(isOpen ? ["a code block in it was closed"] : []),
  ];
  return { text, changed: changes.length === 0 ? null : changes.join(", ") };
};

/** The same for content that reads in another way behind the text that is there: no comment of it is left. */
export const containAll = (content: string): Contained => ({
  text: containText(content.replaceAll("<!--", "&lt;!--")).text,
  changed: "marks in it were made visible text",
});
