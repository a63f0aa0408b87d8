// From the text of an adapter file to its content, or to problems that name the line and the key. Nothing here touches
// the disk.
import { placesOf } from "../../core/model/configProblems.ts";
import type { AdapterProblem } from "../../core/ports/adapterSource.ts";
import {
  JsonSyntaxError,
  lineOf,
  nodeAt,
  parseJsonTree,
  type JsonNode,
  type JsonPath,
} from "../../core/model/jsonTree.ts";
import { findPatternProblem, type Deadline } from "../../core/pattern/pattern.ts";
import { isPatch, schemaFor, type AdapterFile } from "./schema.ts";

/** Wall time for the patterns of one file, ms: checking must not hold up what else the daemon does. */
const CHECK_LIMIT_MS = 1_000;

/** Every pattern of a file with its path. */
function* patternsOf(file: AdapterFile): Generator<{ path: JsonPath; source: string }> {
  for (const [index, rule] of file.titles.entries())
    yield { path: ["titles", index, "pattern"], source: rule.pattern };
  for (const [index, rule] of file.screens.entries()) {
    yield { path: ["screens", index, "pattern"], source: rule.pattern };
    if (rule.not !== undefined) yield { path: ["screens", index, "not"], source: rule.not };
    if (rule.request?.options !== undefined)
      yield { path: ["screens", index, "request", "options"], source: rule.request.options };
  }
  if (isPatch(file)) return;
  const { arguments: patterns, second_sign: second = [], exclude } = file.process;
  for (const [index, source] of patterns.entries()) yield { path: ["process", "arguments", index], source };
  for (const [index, source] of second.entries()) yield { path: ["process", "second_sign", index], source };
  for (const [index, source] of exclude.entries()) yield { path: ["process", "exclude", index], source };
}

export interface ReadAdapterFile {
  /** Null where there are problems. */
  content: AdapterFile | null;
  problems: AdapterProblem[];
  /** The line of a key, for problems that only its surroundings show. */
  lineAt: (path: JsonPath) => number;
}

/** `name` is the file's, for the problems. Never throws on content. */
export const readAdapterFile = (name: string, text: string, deadline: Deadline): ReadAdapterFile => {
  const failed = (problems: AdapterProblem[]): ReadAdapterFile => ({
    content: null,
    problems,
    lineAt: () => 1,
  });
  let root: JsonNode;
  try {
    root = parseJsonTree(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return failed([{ file: name, line: lineOf(text, error.offset), path: "", message: "this is not JSON" }]);
  }
  const lineAt = (path: JsonPath): number => lineOf(text, nodeAt(root, path).start);
  const problemAt = (path: JsonPath, message: string): AdapterProblem => ({
    file: name,
    line: lineAt(path),
    path: path.join("."),
    message,
  });
  const value: unknown = JSON.parse(text);
  const parsed = schemaFor(value).safeParse(value);
  if (!parsed.success)
    return failed(placesOf(parsed.error.issues).map(({ path, message }) => problemAt(path, message)));
  const problems: AdapterProblem[] = [];
  const until = performance.now() + CHECK_LIMIT_MS;
  for (const { path, source } of patternsOf(parsed.data)) {
    // A busy machine is no reason to refuse a file that is good.
    if (problems.length > 0 && performance.now() > until) {
      problems.push(problemAt(path, "the patterns before this one take too long; the rest was not checked"));
      break;
    }
    const problem = findPatternProblem(source, deadline);
    if (problem !== null) problems.push(problemAt(path, problem));
  }
  return problems.length > 0 ? failed(problems) : { content: parsed.data, problems, lineAt };
};
