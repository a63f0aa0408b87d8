// A small memory of yes-or-no verdicts over settings files: one stat per file and call, one read per change of a file.
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_CACHED = 200;

/** `judge` sees the text of a file; a file that is missing or cannot be read gives false. */
export const createFileVerdicts = (
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
