// What an agent asks, in the words of every surface and of notifications. What has to be judged comes first, and what the person
// sees anyway is left out. Pure. Only types are imported beside the cleaning of texts.
import type { RequestView } from "./request.ts";
import { visibleLine } from "./visibleText.ts";

type Asked = Pick<RequestView, "kind" | "title" | "body" | "tool_name" | "content">;

/** Titles that say no more than the kind of the request, as the agents draw and send them (recorded). */
const PLAIN_COMMAND =
  /^(?:(?:bash|shell|terminal)?(?: ?command)?|run(?: a)? command|confirm shell command|would you like to run the following command\?|do you want to run this command\?|allow execution of \[\w+\]\?|allow tool: \w+)$/i;
const PLAIN_EDIT =
  /^(?:(?:edit|write|update|create)(?: (?:a )?file)?|apply this change\?|would you like to make the following edits\?|allow tool: \w+)$/i;
/** Around the path of the file, which stands in the body too. */
const ABOUT_FILE =
  /^(?:(?:edit|write|update|create|confirm edit:|confirm write:) (\S.*)|do you want to (?:make this edit to|write|create|overwrite|update|edit) (\S.*)\?)$/i;

const isOfFile = (title: string, body: string): boolean => {
  const match = ABOUT_FILE.exec(title);
  const file = match?.[1] ?? match?.[2] ?? "";
  return file !== "" && (body === file || body.endsWith(`/${file}`) || file.endsWith(`/${body}`));
};

const isPlain = ({ kind, tool_name: tool }: Asked, title: string, body: string): boolean => {
  if (kind === "command") return PLAIN_COMMAND.test(title) || title === tool;
  return kind === "edit" && (PLAIN_EDIT.test(title) || isOfFile(title, body));
};

/** What the title says beyond the kind and the body; empty where it adds nothing, so that no surface says it twice. */
export const requestHeading = (request: Asked): string => {
  const title = visibleLine(request.title);
  const body = visibleLine(request.body ?? "");
  if (title === body || (request.kind === "question" && body.startsWith(title)))
    return body === "" ? title : "";
  return body !== "" && isPlain(request, title, body) ? "" : title;
};

/** What the agent's model says of the request, in a sentence that says whose words these are; empty where it says nothing. */
export const remarkText = ({ remark = null }: Pick<RequestView, "remark">): string =>
  remark === null || remark.trim() === "" ? "" : `The agent says: ${remark}`;

/** `+12 −3 in 2 places`: what an edit adds and removes, and in how many runs of changed lines. */
export const changeSummary = (content: string): string => {
  let [added, removed, places] = [0, 0, 0];
  let isInside = false;
  for (const line of content.split("\n")) {
    const [sign] = line;
    const isChange = sign === "+" || sign === "-";
    if (sign === "+") added += 1;
    else if (sign === "-") removed += 1;
    if (isChange && !isInside) places += 1;
    isInside = isChange;
  }
  return `+${added} −${removed} in ${places} ${places === 1 ? "place" : "places"}`;
};

/** The request on one line, what is to be judged first: the command, the file and the size of its change, the question. */
export const askedLine = (request: Asked): string => {
  const body = visibleLine(request.body ?? "");
  const heading = requestHeading(request);
  switch (request.kind) {
    case "command":
    case "question":
      return [body, heading].filter((part) => part !== "").join(" · ");
    case "edit": {
      const content = request.content ?? null;
      const change = content === null ? "" : changeSummary(content);
      return [body, heading, change].filter((part) => part !== "").join(" · ");
    }
    case "plan":
    case "trust":
    case "tool":
    case "other":
      if (heading === "" || body === "") return heading || body;
      return heading.includes(body) ? heading : `${heading}: ${body}`;
  }
};
