// What a process of this machine runs, whatever it is called: the file behind it, by its real path, its package and, where neither
// says it, what stands in it. Reads only; each file once, so that a known process costs nothing.
import { open, readFile, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import type { ProgramFile } from "../model/runtime.ts";
import type { AgentAdapter } from "../ports/agentAdapter.ts";

/** Programs that run a script, which is then what counts. */
const RUNTIME = /^(node(js)?[\d.]*|bun|deno|python[\d.]*|ruby|java)(\.exe)?$/;
const runtimeOf = (path: string): string => basename(path).replace(/\.exe$/, "");
/** Their options whose value is the next word. */
const WITH_VALUE = new Set(["-r", "--require", "--import", "--loader", "-C", "--conditions"]);
/** What the system itself brings is nobody's package and no agent. */
const OF_SYSTEM = /^(\/usr)?\/(s?bin|libexec)\/|^\/System\//;
/** The folders above a file in which its package is looked for. */
const MAX_FOLDERS = 8;
const MAX_PACKAGE_BYTES = 256 * 1024;
/** An agent in one file carries its runtime with it. */
const MIN_AGENT_BYTES = 8 * 1024 * 1024;
const MAX_AGENT_BYTES = 1024 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const MAX_KNOWN = 4_096;

interface RunningProgram {
  pid: number;
  /** Argument vector as far as it is known. */
  argv: readonly string[];
  /** The executable's path as the system gives it; null: it is read from /proc. */
  executable: string | null;
}

export type LocalPrograms = ReturnType<typeof createLocalPrograms>;

/** A process or file may be gone, or another person's: then nothing is known of it, and what it is called counts. */
const orNull = <T>(work: Promise<T>): Promise<T | null> => work.catch(() => null);

/** The script among the arguments of a runtime; null where they name none. */
const scriptOf = (argv: readonly string[]): string | null => {
  let at = 1;
  while (argv[at]?.startsWith("-") === true) at += WITH_VALUE.has(argv[at] ?? "") ? 2 : 1;
  return argv[at] ?? null;
};

const packageNameIn = async (folder: string): Promise<string | null> => {
  const text = await orNull(readFile(join(folder, "package.json"), "utf8"));
  if (text === null || text.length > MAX_PACKAGE_BYTES) return null;
  try {
    const json: unknown = JSON.parse(text);
    const name = typeof json === "object" && json !== null && "name" in json ? json.name : null;
    return typeof name === "string" ? name.slice(0, 200) : null;
  } catch {
    return null;
  }
};

/** From the name of its package on, as below `node_modules`; the path itself where no package has it. */
const inPackage = async (path: string): Promise<string> => {
  if (OF_SYSTEM.test(path) || path.includes("/node_modules/")) return path;
  let folder = dirname(path);
  for (let count = 0; count < MAX_FOLDERS && folder !== dirname(folder); count += 1) {
    const name = await packageNameIn(folder);
    if (name !== null) return join("/node_modules", name, relative(folder, path));
    folder = dirname(folder);
  }
  return path;
};

/** The first of the marks that stands in a file; null: none. @throws where the file cannot be read. */
const findMark = async (path: string, marks: readonly string[]): Promise<string | null> => {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size < MIN_AGENT_BYTES || size > MAX_AGENT_BYTES) return null;
    const overlap = Math.max(...marks.map((mark) => mark.length));
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES + overlap);
    let kept = 0;
    for (let at = 0; at < size;) {
      const { bytesRead } = await file.read(buffer, kept, CHUNK_BYTES, at);
      if (bytesRead === 0) return null;
      const filled = buffer.subarray(0, kept + bytesRead);
      const found = marks.find((mark) => filled.includes(mark));
      if (found !== undefined) return found;
      // A mark may stand across the border of two parts.
      kept = Math.min(overlap, filled.length);
      filled.copyWithin(0, filled.length - kept);
      at += bytesRead;
    }
    return null;
  } finally {
    await file.close();
  }
};

/** `adapters`: in force now; those with an executable are known by more than their names. */
export const createLocalPrograms = (adapters: () => readonly AgentAdapter[]) => {
  const files = new Map<string, Promise<ProgramFile | null>>();
  const agents = new Map<string, Promise<string | null | undefined>>();

  const remember = <T>(map: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> => {
    const known = map.get(key);
    if (known !== undefined) return known;
    if (map.size >= MAX_KNOWN) map.clear();
    const reading = read();
    map.set(key, reading);
    return reading;
  };

  const executables = () =>
    adapters().flatMap(({ agentType, executable }) =>
      executable === undefined ? [] : [{ agentType, ...executable }],
    );
  const byPath = (path: string): string | undefined =>
    executables().find(({ paths }) => paths.test(path))?.agentType;

  const agentOf = async (path: string): Promise<string | null | undefined> => {
    const known = byPath(path);
    if (known !== undefined) return known;
    const all = executables();
    if (all.length === 0 || OF_SYSTEM.test(path)) return null;
    const marks = all.map(({ mark }) => mark);
    const looked = await orNull(findMark(path, marks).then((found) => ({ found })));
    if (looked === null) return undefined;
    return all.find(({ mark }) => mark === looked.found)?.agentType ?? null;
  };

  const read = async ({ pid, argv, executable }: RunningProgram): Promise<ProgramFile | null> => {
    const named = executable ?? (await orNull(readlink(`/proc/${pid}/exe`)));
    if (named === null || !isAbsolute(named)) return null;
    // It was replaced by a newer one while it runs.
    const path = (await orNull(realpath(named))) ?? named.replace(/ \(deleted\)$/, "");
    if (!RUNTIME.test(basename(path))) {
      const agentType = await remember(agents, path, () => agentOf(path));
      return { path, runtime: null, ...(agentType === undefined ? {} : { agentType }) };
    }
    const script = scriptOf(argv);
    if (script === null) return null;
    const folder = isAbsolute(script) ? "" : ((await orNull(readlink(`/proc/${pid}/cwd`))) ?? "");
    const real = await orNull(realpath(join(folder, script)));
    return real === null ? null : { path: await inPackage(real), runtime: runtimeOf(path) };
  };

  return {
    /** `identity` changes whenever the process may have become another program. Null: not to be had. */
    fileOf: (identity: string, program: RunningProgram): Promise<ProgramFile | null> =>
      remember(files, identity, () => read(program)),
    /** Of an executable of another machine, as far as its real path tells. Null: it runs something that the path does not name. */
    ofPath: (executable: string): ProgramFile | null => {
      const path = executable.replace(/ \(deleted\)$/, "");
      if (!isAbsolute(path) || RUNTIME.test(basename(path))) return null;
      const agentType = byPath(path);
      return { path, runtime: null, ...(agentType === undefined ? {} : { agentType }) };
    },
  };
};
