// The questions of an agent's question tool, in the form that most agents tell them: `questions[]`, each with a `question` and
// `options[]` with a `label`. Which keys choose an answer is each adapter's own business.
import { MAX_OPTIONS } from "../../core/model/request.ts";
import { asPayload, listOf, oneLine, textOf, type Payload } from "./payload.ts";
import type { RequestFields } from "./promptRequest.ts";

/**
 * `keysOf`: of an answer, by its place; asked only where there is one question. `name`: of the agent, where the question is
 * not told.
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
    // Of several questions the dialog shows one after the other.
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
