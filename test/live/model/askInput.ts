// The question that the model asks the person, in the shape of each agent's own tool. `ASK several` has two questions and
// `ASK multi` one with several answers, where the tool can; `ASK for the walls` says what for, so that it is asked only once.
import type { Tool } from "./request.ts";

const OPTIONS = [
  { label: "Red", description: "a warm colour" },
  { label: "Blue", description: "a cold colour" },
];
const LABELS = OPTIONS.map(({ label }) => label);
const SECOND = {
  header: "Shape",
  question: "Which shape should be used?",
  options: [
    { label: "Round", description: "no corners" },
    { label: "Square", description: "four corners" },
  ],
};

export const askInput = (tool: Tool, rest: string): Record<string, unknown> => {
  const has = (property: string): boolean => property in tool.schema.properties;
  const isMulti = rest.startsWith("multi");
  const title = `Which colour should be used${rest.startsWith("for ") ? ` ${rest}` : ""}?`;
  const first = { header: "Colour", question: title, options: OPTIONS };
  const both = rest.startsWith("several") ? [first, SECOND] : [first];
  switch (tool.name) {
    case "request_user_input":
      return { questions: both.map((one) => ({ id: one.header.toLowerCase(), ...one })) };
    case "ask":
      return {
        questions: both.map(({ header, question, options }) => ({
          id: header.toLowerCase(),
          question,
          options: options.map(({ label }) => ({ label })),
          ...(isMulti ? { multi: true } : {}),
        })),
      };
    case "ask_user":
      if (has("questions"))
        return { questions: both.map((one) => ({ ...one, type: "choice", multiSelect: isMulti })) };
      if (has("requestedSchema")) return { message: title, requestedSchema: colourSchema(isMulti) };
      return {
        question: title,
        choices: LABELS,
        ...(has("allow_freeform") ? { allow_freeform: true } : {}),
      };
    case "question":
      return { questions: both.map((one) => ({ ...one, multiple: isMulti })) };
    default:
      return { questions: both.map((one) => ({ ...one, multiSelect: isMulti })) };
  }
};

const colourSchema = (isMulti: boolean): Record<string, unknown> => {
  const one = { type: "string", enum: LABELS };
  const colour = isMulti ? { type: "array", title: "Colour", items: one } : { ...one, title: "Colour" };
  return { type: "object", properties: { colour }, required: ["colour"] };
};
