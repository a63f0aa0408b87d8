// Files in memory for tests of adapters: what is there can be read, nothing can be written. And what an integration would make
// of one settings file, given as text and told as text.
import type { Integration, IntegrationRequest } from "../../core/ports/agentAdapter.ts";
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

export const EVENT_SCRIPT = "/home/dev/.agtmux/bin/agtmux-event";

interface SettingsPlans {
  requestFor: (text: string | null, eventScript?: string) => IntegrationRequest;
  /** The file's text afterwards; null where there is none. Throws when another file would be changed. */
  install: (text: string | null, eventScript?: string) => Promise<string | null>;
  uninstall: (text: string | null) => Promise<string | null>;
}

export const settingsPlans = (integration: Integration, path: string): SettingsPlans => {
  const requestFor = (text: string | null, eventScript = EVENT_SCRIPT): IntegrationRequest => ({
    files: memoryFiles(text === null ? {} : { [path]: text }),
    homeDir: "/home/dev",
    configDir: /^\/home\/dev\/[^/]+/.exec(path)?.[0] ?? "",
    eventScript,
  });
  const after = (
    text: string | null,
    [change]: readonly { path: string; after: string | null }[],
  ): string | null => {
    if (change === undefined) return text;
    if (change.path !== path) throw new Error(`another file would be changed: ${change.path}`);
    return change.after;
  };
  return {
    requestFor,
    install: async (text, eventScript) =>
      after(text, await integration.planInstall(requestFor(text, eventScript))),
    uninstall: async (text) => after(text, await integration.planUninstall(requestFor(text))),
  };
};

/** The settings as the agent reads them. */
export const parsedJson = (text: string | null): Record<string, unknown> => JSON.parse(text ?? "null");

/** JSON with these gaps between its tokens, one after the other: white space, or comments where the agent takes them. */
export const layOut = (value: unknown, gaps: readonly string[]): string => {
  let at = 0;
  const gap = (): string => gaps[at++ % gaps.length] ?? "";
  const write = (item: unknown): string => {
    if (Array.isArray(item))
      return `[${gap()}${item.map((child) => write(child) + gap()).join(`,${gap()}`)}]`;
    if (typeof item === "object" && item !== null)
      return `{${gap()}${Object.entries(item)
        .map(([key, child]) => `${JSON.stringify(key)}${gap()}:${gap()}${write(child)}${gap()}`)
        .join(`,${gap()}`)}}`;
    return JSON.stringify(item);
  };
  return gap() + write(value) + gap();
};
