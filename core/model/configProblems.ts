// What is wrong with the text of `config.json`, by line. The daemon keeps the last good configuration; this is for the
// person who has to find the place.
import type { z } from "zod";
import { checkConfig } from "./config.ts";
import { JsonSyntaxError, lineOf, nodeAt, parseJsonTree, type JsonNode } from "./jsonTree.ts";

/** `line` counts from 1; `path` is the key with dots, empty for the file as a whole. */
export interface ConfigProblem {
  line: number;
  path: string;
  message: string;
}

/** Nobody reads a longer list, and finding each line takes a pass through the file. */
const MAX_PROBLEMS = 100;

/** Where the issues of a schema are; issues beyond a hundred are only counted. */
export const placesOf = (
  issues: readonly z.core.$ZodIssue[],
): { path: (string | number)[]; message: string }[] => {
  const places = issues.flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
    return issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({ path: [...path, key], message: "this key is not known" }))
      : [{ path, message: issue.message }];
  });
  const left = places.length - MAX_PROBLEMS;
  return left <= 0
    ? places
    : [...places.slice(0, MAX_PROBLEMS), { path: [], message: `and ${left} more problems` }];
};

/**
 * The problems in the order of the file's schema, at most a hundred and one that counts the others; none for a good file.
 * Never throws on content.
 */
export const configProblems = (text: string): ConfigProblem[] => {
  let root: JsonNode;
  try {
    root = parseJsonTree(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return [{ line: lineOf(text, error.offset), path: "", message: "this is not JSON" }];
  }
  const checked = checkConfig(JSON.parse(text));
  if (checked.config !== null) return [];
  const problemAt = (path: readonly (string | number)[], message: string): ConfigProblem => ({
    line: lineOf(text, nodeAt(root, path).start),
    path: path.join("."),
    message,
  });
  const places = placesOf(checked.issues);
  return places.map(({ path, message }) => problemAt(path, message));
};
