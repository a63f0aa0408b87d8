// The adapters in force: the built-in ones and those of the person's files, which are followed while the daemon runs. A bad
// file is a problem to show, never a reason to stop; while it is bad, it counts as absent. In this file: reading one file, putting
// files on top of the built-in adapters, following the folder.
import { placesOf } from "../../core/model/config.ts";
import type {
  AdapterProblem,
  AdapterOrigin,
  AdapterSource,
  AdapterText,
  AgentAdapter,
  PackSource,
} from "../../core/ports/agentAdapter.ts";
import {
  JsonSyntaxError,
  lineOf,
  nodeAt,
  parseJsonTree,
  type JsonNode,
  type JsonPath,
} from "../../core/model/jsonTree.ts";
import { findPatternProblem, type Deadline, createDeadline } from "../../core/pattern/pattern.ts";
import { isPatch, schemaFor, type AdapterFile } from "./schema.ts";
import { watch, type FSWatcher } from "node:fs";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../core/ports/clock.ts";
import type { Logger } from "../../core/ports/logger.ts";
import { createAdapterRegistry, type AdapterRegistry } from "../index.ts";
import { createFileAdapter, patchAdapter } from "./createAdapter.ts";

type AdapterFiles = NonNullable<AdapterSource["files"]>;

// One file: from its text to its content, or to problems that name line and key, without touching the disk.

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

interface ReadAdapterFile {
  /** Null where there are problems. */
  content: AdapterFile | null;
  problems: AdapterProblem[];
  /** The line of a key, for problems that only show beside other adapters. */
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

const MAX_FILES = 64;
const MAX_FILE_BYTES = 256 * 1024;
const FILE_NAME = /^[\w-][\w.-]*\.json$/;
/** The watch is a hint; this finds what it missed, ms. */
const SWEEP_MS = 5_000;

export interface OwnedAdapterSource extends AdapterSource {
  readonly files: AdapterFiles;
  /** Reads the folder now; resolves once its files are in force. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

interface Composition {
  registry: AdapterRegistry;
  origins: ReadonlyMap<string, AdapterOrigin>;
  problems: readonly AdapterProblem[];
}

interface Composer {
  /** With the detection packs in force. */
  builtIn: () => readonly AgentAdapter[];
  deadline: Deadline;
  logger: Logger;
}

// Files on top of the built-in adapters.

type FileResult = ReturnType<AdapterFiles["check"]>;

/** One file on top of the adapters that are there already; `current` is what it would patch or must not collide with. */
const applyFile = (
  { name, text }: AdapterText,
  current: ReadonlyMap<string, AgentAdapter>,
  composer: Composer,
): FileResult => {
  const { deadline, logger } = composer;
  const builtIn = composer.builtIn();
  const { content, problems, lineAt } = readAdapterFile(name, text, deadline);
  if (content === null) return { adapter: null, kind: "file", problems };
  const kind = isPatch(content) ? "patched" : "file";
  const context = { name, deadline, logger };
  const refuse = (key: string, message: string): FileResult => ({
    adapter: null,
    kind,
    problems: [{ file: name, line: lineAt([key]), path: key, message }],
  });
  if (isPatch(content)) {
    const isBuiltIn = builtIn.some(({ agentType }) => agentType === content.extends);
    const base = current.get(content.extends);
    if (!isBuiltIn || base === undefined)
      return refuse(
        "extends",
        `there is no built-in agent of this type; there are ${builtIn.map((one) => one.agentType).join(", ")}`,
      );
    return { adapter: patchAdapter(base, content, context), kind, problems };
  }
  if (current.has(content.agent_type))
    return refuse("agent_type", "this agent type is taken; use extends to add rules to a built-in agent");
  return { adapter: createFileAdapter(content, context), kind, problems };
};

/** In the order of names, so that the outcome does not depend on the file system. */
const compose = (texts: readonly AdapterText[], composer: Composer): Composition => {
  const adapters = new Map(composer.builtIn().map((adapter) => [adapter.agentType, adapter]));
  const origins = new Map<string, AdapterOrigin>();
  const problems: AdapterProblem[] = [];
  for (const file of texts) {
    const result = applyFile(file, adapters, composer);
    problems.push(...result.problems);
    if (result.adapter === null) continue;
    const { agentType } = result.adapter;
    adapters.set(agentType, result.adapter);
    const files = [...(origins.get(agentType)?.files ?? []), file.name];
    origins.set(agentType, { kind: result.kind, files });
  }
  return { registry: createAdapterRegistry([...adapters.values()]), origins, problems };
};

interface Folder {
  /** Changes whenever a file may have. */
  signature: string;
  names: string[];
  tooLarge: string[];
}

const lookAt = async (dir: string): Promise<Folder> => {
  const names = (await readdir(dir))
    .filter((name) => FILE_NAME.test(name))
    .toSorted()
    .slice(0, MAX_FILES);
  // A file that was removed after the listing does not count.
  const stats = await Promise.all(
    names.map(async (name) => ({ name, stat: await stat(join(dir, name)).catch(() => null) })),
  );
  const files = stats.flatMap(({ name, stat }) => (stat?.isFile() === true ? [{ name, stat }] : []));
  return {
    signature: files.map(({ name, stat }) => `${name}:${stat.ino}:${stat.size}:${stat.mtimeMs}`).join("\n"),
    names: files.filter(({ stat }) => stat.size <= MAX_FILE_BYTES).map(({ name }) => name),
    tooLarge: files.filter(({ stat }) => stat.size > MAX_FILE_BYTES).map(({ name }) => name),
  };
};

const unreadableProblem = (file: string): AdapterProblem => ({
  file,
  line: 1,
  path: "",
  message: "the file cannot be read; check its owner and mode",
});
const tooLargeProblem = (file: string): AdapterProblem => ({
  file,
  line: 1,
  path: "",
  message: `the file is larger than ${MAX_FILE_BYTES / 1_024} kB`,
});

/** Resolves once the present files are in force. Whoever creates it closes it. */
export const createAdapterSource = async (options: {
  /** Folder of the files; made when it is missing. */
  dir: string;
  builtIn: readonly AgentAdapter[];
  /** Detection packs over `builtIn`; the person's files come before them. Absent: none are taken. */
  packs?: PackSource;
  clock: Clock;
  logger: Logger;
}): Promise<OwnedAdapterSource> => {
  const { dir, packs, clock, logger } = options;
  const builtIn = (): readonly AgentAdapter[] => packs?.adapters() ?? options.builtIn;
  const composer: Composer = { builtIn, deadline: createDeadline(), logger };
  const listeners = new Set<() => void>();
  let signature: string | null = null;
  let read: { texts: readonly AdapterText[]; unread: readonly AdapterProblem[] } = { texts: [], unread: [] };
  let current = compose([], composer);
  let running: Promise<void> | null = null;
  let isHinted = false;
  let isClosed = false;
  let cancelSweep: () => void = () => {};

  const putInForce = (): void => {
    const composed = compose(read.texts, composer);
    current = { ...composed, problems: [...composed.problems, ...read.unread] };
  };
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const unfollowPacks = packs?.onChange(() => {
    putInForce();
    tell();
  });
  const reload = async (): Promise<void> => {
    const folder = await lookAt(dir);
    if (folder.signature === signature) return;
    // Null: not readable, or just removed. That is a problem of this file; the others count.
    const texts = await Promise.all(
      folder.names.map(async (name) => ({
        name,
        text: await readFile(join(dir, name), "utf8").catch(() => null),
      })),
    );
    const isFirst = signature === null;
    signature = folder.signature;
    const unread = texts.flatMap(({ name, text }) => (text === null ? [unreadableProblem(name)] : []));
    read = {
      texts: texts.flatMap(({ name, text }) => (text === null ? [] : [{ name, text }])),
      unread: [...folder.tooLarge.map(tooLargeProblem), ...unread],
    };
    putInForce();
    for (const problem of current.problems) logger.warn({ ...problem }, "an adapter file is not in force");
    if (!isFirst) tell();
  };
  const refresh = (): Promise<void> => {
    if (isClosed) return running ?? Promise.resolve();
    isHinted = true;
    running ??= (async () => {
      try {
        while (isHinted) {
          isHinted = false;
          await reload();
        }
      } catch (error) {
        // The folder may have been removed: make it again, and read it in the next sweep.
        logger.warn({ error }, "the adapter files could not be read");
        // A second failure is the next sweep's, which says it again.
        await mkdir(dir, { recursive: true, mode: 0o700 }).catch(() => {});
      } finally {
        running = null;
      }
    })();
    return running;
  };
  const sweep = (): void => {
    cancelSweep = clock.setTimer(
      SWEEP_MS,
      () => void refresh().finally(() => (isClosed ? undefined : sweep())),
    );
  };

  await mkdir(dir, { recursive: true, mode: 0o700 });
  let watcher: FSWatcher | null = null;
  try {
    watcher = watch(dir, () => void refresh());
    watcher.on("error", (error) =>
      logger.warn({ error }, "the adapter files are no longer watched; sweeping goes on"),
    );
  } catch (error) {
    logger.warn({ error }, "the adapter files cannot be watched; sweeping goes on");
  }
  await refresh();
  sweep();

  return {
    list: () => current.registry.list(),
    byAgentType: (agentType) => current.registry.byAgentType(agentType),
    identify: (processes) => current.registry.identify(processes),
    files: {
      originOf: (agentType) => current.origins.get(agentType) ?? { kind: "built-in", files: [] },
      problems: () => [...(packs?.problems() ?? []), ...current.problems],
      // On its own, as if it were the only file: a copy of one that is in force does not collide with itself.
      check: (file) =>
        applyFile(file, new Map(builtIn().map((adapter) => [adapter.agentType, adapter])), composer),
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    ...(packs === undefined ? {} : { packs }),
    refresh,
    close: async () => {
      isClosed = true;
      unfollowPacks?.();
      cancelSweep();
      watcher?.close();
      await running;
    },
  };
};
