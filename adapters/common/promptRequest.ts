// A request of the person that is built field by field: what an agent does not tell is null or empty, and whether all of it
// could be kept to the letter is found out here, for every adapter alike.
import { MAX_REQUEST_TEXT, type PromptRequest } from "../../core/model/request.ts";
import { boundedText, oneLine } from "./payload.ts";

/** Texts as the agent gives them, of any length. `isWhole`: they are all that is asked; without it the request is not whole. */
export type RequestFields = Partial<PromptRequest> & Pick<PromptRequest, "kind" | "title">;

/** A label or a title of so many characters is cut. */
const MAX_LINE = 500;

const MAX_DESCRIPTION = 2_000;
/** A longer folder is none that a file is in, and a longer remark none that a dialog draws. */
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
  // A title that stands above a body is a heading; alone it is the text.
  const isTitleKept = body !== null || oneLine(fields.title, MAX_LINE * 4) === request.title;
  // Agents draw it in the place of characters that they do not show.
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
