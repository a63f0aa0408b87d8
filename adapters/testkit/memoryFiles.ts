// Files in memory for tests of adapters: what is there can be read, nothing can be written.
import type { TargetFiles } from "../../core/ports/targetExecutor.ts";

/** `mtimeMs` holds for every file; `links` are symbolic links by path. */
export const memoryFiles = (
  texts: Readonly<Record<string, string>>,
  options: { mtimeMs?: number; links?: Readonly<Record<string, string>> } = {},
): TargetFiles => {
  const text = (path: string): string | null => (Object.hasOwn(texts, path) ? (texts[path] ?? null) : null);
  return {
    readText: (path, maxBytes) => Promise.resolve(text(path)?.slice(0, maxBytes) ?? null),
    readTail: (path, maxBytes) => Promise.resolve(text(path)?.slice(-maxBytes) ?? null),
    readLink: (path) => Promise.resolve(options.links?.[path] ?? null),
    list: () => Promise.resolve([]),
    stat: (path) => {
      const found = text(path);
      return Promise.resolve(
        found === null
          ? null
          : { mtimeMs: options.mtimeMs ?? 0, size: found.length, isFile: true, mode: 0o600 },
      );
    },
    writeText: () => Promise.reject(new Error("reads only")),
    remove: () => Promise.reject(new Error("reads only")),
  };
};
