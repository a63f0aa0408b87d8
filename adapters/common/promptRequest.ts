// What a request holds and how adapters build it: `promptRequest` (clean, bounded texts; whole only where nothing was cut), the
// questions of a question tool, an edit as lines of a diff, what a plugin cut, and `hashRequest`, a name for requests without id.
import { MAX_REQUEST_TEXT, type PromptRequest, MAX_OPTIONS } from "../../core/model/request.ts";
import { boundedText, oneLine, asPayload, listOf, textOf, type Payload, fieldOf } from "./events.ts";
import { hash } from "node:crypto";

/** Texts as the agent gives them, of any length. `isWhole`: they are all that is asked; without it the request is not whole. */
export type RequestFields = Partial<PromptRequest> & Pick<PromptRequest, "kind" | "title">;

/** A label or title of this length counts as cut. */
const MAX_LINE = 500;

const MAX_DESCRIPTION = 2_000;
/** No file's folder and no remark that a dialog draws is longer. */
const MAX_SIDE_TEXT = 4_096;

const cleanOption = (option: PromptRequest["options"][number]): PromptRequest["options"][number] => ({
  ...option,
  label: oneLine(option.label, MAX_LINE),
  ...(typeof option.description === "string"
    ? { description: oneLine(option.description, MAX_DESCRIPTION) }
    : {}),
});

const bounded = (text: string | null): string | null =>
  text === null ? null : boundedText(text, MAX_REQUEST_TEXT);

const sideText = (text: string | null | undefined): string | null =>
  text === null || text === undefined || text.length > MAX_SIDE_TEXT ? null : text;

/** The request with clean and bounded texts. It is whole only where the adapter says so and nothing had to be cut or taken out. */
export const promptRequest = ({ isWhole, ...fields }: RequestFields): PromptRequest => {
  const body = fields.body ?? null;
  const content = fields.content ?? null;
  const request: PromptRequest = {
    toolName: null,
    expiresAt: null,
    ...fields,
    title: oneLine(fields.title, MAX_LINE),
    body: bounded(body),
    options: (fields.options ?? []).map(cleanOption),
    ...(content === null ? {} : { content: bounded(content) }),
    ...(fields.cwd === undefined ? {} : { cwd: sideText(fields.cwd) }),
    ...(fields.runsIn === undefined ? {} : { runsIn: sideText(fields.runsIn) }),
    ...(fields.remark === undefined ? {} : { remark: sideText(fields.remark) }),
  };
  // A title alone is what is asked, so it must not have been cut; above a body it is a heading.
  const isTitleKept = body !== null || oneLine(fields.title, MAX_LINE * 4) === request.title;
  // Agents draw U+FFFD for characters that they do not show.
  const hasUnknown = `${request.title}${request.body ?? ""}${request.content ?? ""}`.includes("\ufffd");
  const isKept =
    !hasUnknown &&
    isTitleKept &&
    request.body === body &&
    (request.content ?? null) === content &&
    request.options.every(
      ({ label, description }) => label.length < MAX_LINE && (description ?? "").length < MAX_DESCRIPTION,
    );
  if (isWhole !== true) return request;
  return isKept ? { ...request, isWhole } : { ...request, hasMore: true };
};

// Question tool: its input has the form that most agents use, `questions[]`, each with a `question` and `options[]` with a `label`.
// Which keys choose an answer is each adapter's own business.

/**
 * `keysOf`: the keys that choose answer `index`; called only where there is one question. `name`: the agent's, for the title of a
 * question without text.
 */
export const questionFields = (
  input: Payload,
  { name, toolName }: { name: string; toolName: string },
  keysOf: (question: Payload, index: number) => string[] | null,
): RequestFields => {
  const questions = listOf(input, "questions")
    .map(asPayload)
    .filter((item) => item !== null);
  const texts = questions.flatMap((question) => textOf(question, "question") ?? []);
  const [first = {}] = questions;
  return {
    kind: "question",
    title: oneLine(texts[0] ?? "") || `${name} asks a question`,
    body: texts.length === 0 ? null : texts.join("\n"),
    toolName,
    // The dialog shows several questions one after the other.
    isWhole: questions.length === 1 && texts.length === 1,
    options: listOf(first, "options")
      .slice(0, MAX_OPTIONS)
      .flatMap((option, index) => {
        const fields = asPayload(option) ?? {};
        const label = textOf(fields, "label");
        const description = textOf(fields, "description");
        const keys = questions.length === 1 ? keysOf(first, index) : null;
        if (label === null) return [];
        return [{ label: oneLine(label), keys, ...(description === null ? {} : { description }) }];
      }),
  };
};

// Edits: what an edit changes, as lines of a diff, whatever fields an agent reports it in.

const NO_LINE_BREAK = "\\ No newline at the end";

/** The last line break ends the last line and begins no other. */
const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

const signed = (sign: string, text: string, isMarked: boolean): string[] => [
  ...linesOf(text).map((line) => `${sign}${line}`),
  ...(isMarked && text !== "" && !text.endsWith("\n") ? [NO_LINE_BREAK] : []),
];

/** A written file, all of whose lines are added. */
export const writtenLines = (text: string): string => signed("+", text, true).join("\n");

/** `before` removed and `after` added, line by line; marked, as in diffs, where only one of them ends its last line. */
export const changedLines = (before: string, after: string): string => {
  const isMarked = before !== "" && after !== "" && before.endsWith("\n") !== after.endsWith("\n");
  return [...signed("-", before, isMarked), ...signed("+", after, isMarked)].join("\n");
};

/** The lines of one file's unified diff, without its file headers and first hunk header; null for another form. */
const diffLines = (diff: string): string | null => {
  const lines = diff.replace(/\n$/, "").split("\n");
  const start = lines.findIndex((line) => line.startsWith("@@ "));
  const own = lines.slice(start + 1);
  return start >= 0 && own.every((line) => /^([+\- \\]|@@ |$)/.test(line)) ? own.join("\n") : null;
};

/** What a unified diff changes, and whether that is all. One of several files keeps its headers; null for another form. */
export const contentOfDiff = (diff: string | null): { content: string | null; isAll: boolean } => {
  const lines = diff === null ? null : diffLines(diff);
  return { content: lines ?? (diff !== null && /^@@ /m.test(diff) ? diff : null), isAll: lines !== null };
};

// Plugins: what a plugin of ours had to cut of the texts that it hands on (pluginFile.ts).

/** Plugins that were installed before they said so cut texts to this length. */
const SILENT_CUT = 4_000;

const isSilentlyCut = (text: string | null | undefined): boolean => text?.length === SILENT_CUT;

/** The request, which is not whole where the plugin cut the payload. */
export const asHandedOn = (payload: Payload, fields: RequestFields): RequestFields =>
  fieldOf(payload, "isCut") === true || isSilentlyCut(fields.body) || isSilentlyCut(fields.content)
    ? { ...fields, isWhole: false, hasMore: true }
    : fields;

// Name of a request whose event carries no tool-use id: what it asks, hashed. Which part of a tool's input stays the same from
// announcement to end is each adapter's own business.

const MAX_DEPTH = 40;
/** Longer texts are hashed: writing megabytes as JSON takes ten times as long. */
const LONG_CHARS = 64 * 1_024;

/** A text with half a surrogate pair is not hashed: all such halves would be hashed as the same character. */
const isLong = (value: unknown): value is string =>
  typeof value === "string" && value.length > LONG_CHARS && value.isWellFormed();

/** JSON with sorted keys, a long text replaced by its hash: equal values give equal text whatever their key order. */
const canonical = (value: unknown, depth: number): string => {
  if (isLong(value)) return hash("sha256", value, "hex");
  if (depth > MAX_DEPTH) return '"deep"';
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(",")}]`;
  const object = asPayload(value);
  if (object !== null)
    return `{${Object.keys(object)
      .toSorted()
      .map((key) => `${JSON.stringify(key)}:${canonical(object[key], depth + 1)}`)
      .join(",")}}`;
  return JSON.stringify(value) ?? "null";
};

/** Stable over processes and restarts: 32 hex digits of agent id, tool name and canonical input. */
export const hashRequest = (agentId: string, toolName: string, stableInput: unknown): string =>
  hash("sha256", JSON.stringify([agentId, toolName]) + canonical(stableInput, 0), "hex").slice(0, 32);
