// Whether another program may answer an agent's permission requests before a person sees them: then a request alone does not
// prove a dialog. Looks at settings files, with a small memory: one stat per file and call, one read per change of a file.
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";
import { asPayload, fieldOf, listOf, textOf } from "./payload.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_CACHED = 200;

/** `judge` sees the text of a file; a file that is missing or cannot be read gives false. */
const createFileVerdicts = (
  judge: (text: string, path: string) => boolean,
): ((files: TargetFiles, paths: readonly string[]) => Promise<boolean>) => {
  const known = new WeakMap<TargetFiles, Map<string, { stamp: string; verdict: boolean }>>();

  const verdictOf = async (files: TargetFiles, path: string): Promise<boolean> => {
    const cache = known.get(files) ?? new Map<string, { stamp: string; verdict: boolean }>();
    known.set(files, cache);
    const stat = await files.stat(path);
    if (stat === null || !stat.isFile) {
      cache.delete(path);
      return false;
    }
    const stamp = `${stat.mtimeMs}:${stat.size}`;
    const cached = cache.get(path);
    if (cached?.stamp === stamp) return cached.verdict;
    const text = await files.readText(path, MAX_BYTES);
    const verdict = text !== null && judge(text, path);
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(path, { stamp, verdict });
    return verdict;
  };

  /** True where one of the files is judged so. */
  return async (files, paths) => {
    const found = await Promise.all(paths.map((path) => verdictOf(files, path).catch(() => false)));
    return found.some((verdict) => verdict);
  };
};

/** Commands (and other hook kinds, as null) registered for an event in parsed settings; tolerant of any shape. */
const hooksFor = (settings: unknown, event: string): (string | null)[] => {
  const hooks = asPayload(fieldOf(asPayload(settings) ?? {}, "hooks")) ?? {};
  return listOf(hooks, event).flatMap((group) =>
    listOf(asPayload(group) ?? {}, "hooks").map((hook) => textOf(asPayload(hook) ?? {}, "command")),
  );
};

/** Whether hook settings hold a command for the event that is not ours. Agents ignore settings that they cannot parse. */
export const hasForeignHook = (
  text: string,
  event: string,
  isOurs: (command: unknown, event: string, eventScript: null) => boolean,
): boolean => {
  try {
    return hooksFor(JSON.parse(text), event).some((command) => !isOurs(command, event, null));
  } catch {
    return false;
  }
};

/** A reader with its own memory. `files`: of one folder, the home's or the project's. A file that cannot be read says no. */
export const createConfirmationReader = (
  mayAnswer: (text: string, path: string) => boolean,
  files: (homeDir: string, cwd: string | null) => readonly string[],
): NonNullable<AgentAdapter["needsConfirmation"]> => {
  const mayAnswerIn = createFileVerdicts(mayAnswer);
  return (request) => mayAnswerIn(request.files, files(request.homeDir, request.cwd));
};
