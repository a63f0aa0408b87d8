// What an event tells of the work beside the state: the prompt, the tool that begins or ends, the agent's last words. Which of an
// agent's events and fields these are is each adapter's own business.
import type { ToldActivity } from "../../core/ports/agentAdapter.ts";
import { asPayload, fieldOf, firstText, listOf, textOf, type Payload } from "./payload.ts";

/** Fields of a tool's input that say best what it works on, in order. */
const TELLING = [
  "command",
  "cmd",
  "file_path",
  "filePath",
  "path",
  "fileName",
  "notebook_path",
  "pattern",
  "query",
  "url",
  "description",
];
const PATCHED_FILE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/m;

/** What a tool works on, to the letter; null where its input does not tell. */
export const subjectOf = (input: unknown): string | null => {
  if (typeof input === "string") return input === "" ? null : input;
  const fields = asPayload(input);
  if (fields === null) return null;
  const words = listOf(fields, "command");
  const isVector = words.length > 0 && words.every((word) => typeof word === "string");
  const text = isVector ? words.join(" ") : firstText(fields, TELLING);
  return text?.startsWith("*** Begin Patch") === true ? (PATCHED_FILE.exec(text)?.[1] ?? null) : text;
};

/** By the names of an agent's events, and of the fields that tell. */
export interface ToldNames {
  prompts: string;
  began: string;
  ended: readonly string[];
  toolName: string;
  /** Of the tool's input. */
  input: string;
  /** Event and field; absent where no event tells. */
  said?: { event: string; field: string };
}

/** What the program itself puts in as if a person had asked it. */
export const OWN_PROMPT = /^\s*<[a-z][a-z_-]*>/;

/** Of the root agent's events alone: what a sub-agent does is not what the person asked. */
export const toldOf = (
  names: ToldNames,
  { name, payload, isRoot }: { name: string; payload: Payload; isRoot: boolean },
): Pick<ToldActivity, "promptText" | "tool" | "saidText"> => {
  if (!isRoot) return { promptText: null };
  const prompt = name === names.prompts ? textOf(payload, "prompt") : null;
  const hasEnded = names.ended.includes(name);
  const toolName = hasEnded || name === names.began ? textOf(payload, names.toolName) : null;
  const subject = subjectOf(fieldOf(payload, names.input));
  return {
    promptText: prompt === null || OWN_PROMPT.test(prompt) ? null : prompt,
    ...(toolName === null ? {} : { tool: { name: toolName, subject, hasEnded } }),
    saidText: name === names.said?.event ? textOf(payload, names.said.field) : null,
  };
};
