// What is wrong with the text of `config.json`, by line. The daemon keeps the last good configuration; this is for the
// person who has to find the place.
import type * as z from "zod";
import { checkChannels, MAX_CHANNELS } from "./channel.ts";
import { checkConfig } from "./config.ts";
import { JsonSyntaxError, lineOf, nodeAt, parseJsonTree, type JsonNode } from "./jsonTree.ts";

/** `line` counts from 1; `path` is the key with dots, empty for the file as a whole. */
export interface ConfigProblem {
  line: number;
  path: string;
  message: string;
}

/** The problem is one channel's: that channel alone is not in force. */
export const isOfChannel = ({ path }: Pick<ConfigProblem, "path">): boolean => /^channels\.\d/.test(path);

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

/** Channels that are wrong are not in force, whatever the rest of the file is. */
const channelPlaces = (json: unknown): ReturnType<typeof placesOf> => {
  const channels: unknown = typeof json === "object" && json !== null ? Reflect.get(json, "channels") : [];
  if (!Array.isArray(channels)) return [];
  return checkChannels(channels.slice(0, MAX_CHANNELS)).refused.flatMap(({ index, issues }) =>
    placesOf(issues).map(({ path, message }) => ({ path: ["channels", index, ...path], message })),
  );
};

/**
 * The problems in the order of the file's schema, then those of each channel, at most a hundred of each and one that counts the
 * others; none for a good file. Never throws on content.
 */
export const configProblems = (text: string): ConfigProblem[] => {
  let root: JsonNode;
  try {
    root = parseJsonTree(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return [{ line: lineOf(text, error.offset), path: "", message: "this is not JSON" }];
  }
  const json: unknown = JSON.parse(text);
  const checked = checkConfig(json);
  const problemAt = (path: readonly (string | number)[], message: string): ConfigProblem => ({
    line: lineOf(text, nodeAt(root, path).start),
    path: path.join("."),
    message,
  });
  const places = [...(checked.config === null ? placesOf(checked.issues) : []), ...channelPlaces(json)];
  return places.map(({ path, message }) => problemAt(path, message));
};
