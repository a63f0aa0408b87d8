// What is wrong with the text of `config.json`, by line. The daemon keeps the last good configuration; this is for the
// person who has to find the place.
import { configSchema } from "./config.ts";
import { JsonSyntaxError, lineOf, nodeAt, parseJsonTree, type JsonNode } from "./jsonTree.ts";

/** `line` counts from 1; `path` is the key with dots, empty for the file as a whole. */
export interface ConfigProblem {
  line: number;
  path: string;
  message: string;
}

/** Every problem in the order of the file's schema; none for a good file. Never throws on content. */
export const configProblems = (text: string): ConfigProblem[] => {
  let root: JsonNode;
  try {
    root = parseJsonTree(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return [{ line: lineOf(text, error.offset), path: "", message: "this is not JSON" }];
  }
  const parsed = configSchema.safeParse(JSON.parse(text));
  if (parsed.success) return [];
  const problemAt = (path: readonly (string | number)[], message: string): ConfigProblem => ({
    line: lineOf(text, nodeAt(root, path).start),
    path: path.join("."),
    message,
  });
  return parsed.error.issues.flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
    return issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => problemAt([...path, key], "this key is not known"))
      : [problemAt(path, issue.message)];
  });
};
