// The smaller flows that change a document or what is kept beside it: `patch`, `init`, `reset`, claiming, `history --restore`;
// reading a document for a flow (`openDocument`); and whether a change of a watched document is a question (`decideChange`).
import type { ComponentConfigs, ComponentConfig } from "../model/componentConfig.ts";
import { readFrontmatter, type Frontmatter, setFrontmatter } from "../model/frontmatter.ts";
import type { DocumentPaths } from "../files/documentPaths.ts";
import { readKept, readText, withDocumentLock, writeNewFile } from "../files/wholeFile.ts";
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { AgtmuxError, errorCodeOf } from "../../../core/model/errors.ts";
import {
  explicitMode,
  findComponent,
  type Mode,
  parseComponents,
  lineEndOf,
  withLineEnds,
} from "../model/documentText.ts";
import { applyPatch, newestEntries } from "../model/patches.ts";
import { replaceText } from "../files/replaceText.ts";
import { saveSnapshot, deleteSnapshot, loadSnapshot } from "../files/snapshots.ts";
import { mkdir, link, rm } from "node:fs/promises";
import { dirname } from "node:path";

const MAX_SETTINGS_BYTES = 1024 * 1024;

/** A document with what the flows need to know of it. */
export interface OpenDocument {
  readonly paths: DocumentPaths;
  readonly text: string;
  readonly frontmatter: Frontmatter;
  readonly configs: ComponentConfigs;
}

/** Of a components.toml, which most projects do not have: then null. @throws AgtmuxError E_CONFIG_INVALID */
export const parseComponentConfigs = async (text: string | null, path: string): Promise<ComponentConfigs> => {
  if (text === null) return {};
  const { parseComponentConfig } = await import("../model/componentConfig.ts");
  return parseComponentConfig(text, path);
};

/** @throws AgtmuxError E_CONFIG_INVALID */
const readComponentConfigs = async (paths: DocumentPaths): Promise<ComponentConfigs> =>
  parseComponentConfigs(await readKept(paths, paths.components, MAX_SETTINGS_BYTES), paths.components);

/** Everything is read before anything is changed. @throws AgtmuxError for what cannot be understood. */
export const openDocument = async (paths: DocumentPaths): Promise<OpenDocument> => {
  const text = await readText(paths.file);
  return { paths, text, frontmatter: readFrontmatter(text), configs: await readComponentConfigs(paths) };
};

// Patch: `doc patch` puts new content into one component, with the project's own commands before and after it.

const HOOK_TIMEOUT_MS = 30_000;
const MAX_OUTPUT = 16 * 1024 * 1024;

export interface Hooks {
  readonly commands: readonly string[];
  /** Changes with the commands and the project: a person's yes holds for one of them. */
  readonly fingerprint: string;
}

interface PatchRequest {
  readonly paths: DocumentPaths;
  readonly component: string;
  readonly content: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: number;
  /** Asks the person, and throws where the answer is no. Called only where there are hooks. */
  readonly approve: (hooks: Hooks) => Promise<void>;
}

type HookEnv = Record<string, string | undefined>;

const runHook = (command: string, input: string, cwd: string, env: HookEnv): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = execFile(
      "/bin/sh",
      ["-c", command],
      { cwd, env, timeout: HOOK_TIMEOUT_MS, maxBuffer: MAX_OUTPUT, killSignal: "SIGKILL" },
      (error, stdout) => {
        if (error === null) resolve(stdout);
        else
          reject(
            new AgtmuxError("E_CONFIG_INVALID", `the hook '${command}' failed`, {
              cause: error,
              remedy: "Correct it in components.toml; the document was not changed.",
            }),
          );
      },
    );
    // A hook that does not read its input is fine.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });

const startHook = (command: string, cwd: string, env: HookEnv): void => {
  const child = spawn("/bin/sh", ["-c", command], { cwd, env, stdio: "ignore", detached: true });
  // Nothing waits for it, so its failure is not reported.
  child.on("error", () => {});
  child.unref();
};

const hooksOf = (config: ComponentConfig | undefined, { root }: DocumentPaths): Hooks | null => {
  const commands = [config?.pre_patch, config?.post_patch].filter((one) => one !== undefined);
  if (commands.length === 0) return null;
  const hash = createHash("sha256").update(JSON.stringify([root, config?.pre_patch, config?.post_patch]));
  return { commands, fingerprint: hash.digest("hex") };
};

const patchText = (
  current: string,
  { component, now }: PatchRequest,
  content: string,
  config: ComponentConfig | undefined,
  mode: Mode,
): { text: string; notes: readonly string[] } => {
  const stamped = config?.timestamp === true ? `${new Date(now).toISOString()} ${content}` : content;
  const applied = applyPatch(current, { component, content: stamped }, mode);
  const most = config?.max_entries ?? 0;
  if (mode === "replace" || most === 0) return applied;
  const { start, end } = findComponent(applied.text, component);
  const kept = newestEntries(applied.text.slice(start, end), most, mode);
  return { ...applied, text: applied.text.slice(0, start) + kept + applied.text.slice(end) };
};

/**
 * What had to be changed in the content, for the person. @throws AgtmuxError E_DOCUMENT_INVALID for a component that is not
 * there or a mode that is not known, E_CONFIG_INVALID for components.toml and for a hook that fails: nothing was changed.
 */
export const patchComponent = async (request: PatchRequest): Promise<readonly string[]> => {
  const { paths, component, approve } = request;
  const { text, configs } = await openDocument(paths);
  const config = Object.hasOwn(configs, component) ? configs[component] : undefined;
  const mode = explicitMode(findComponent(text, component), configs) ?? "replace";
  const hooks = hooksOf(config, paths);
  if (hooks !== null) await approve(hooks);
  const env = { ...request.env, COMPONENT: component, FILE: paths.file };
  const content =
    config?.pre_patch === undefined
      ? request.content
      : await runHook(config.pre_patch, request.content, paths.root, env);
  const notes = await withDocumentLock(paths, async () => {
    let last: readonly string[] = [];
    await replaceText(paths.file, (current) => {
      const patched = patchText(current, request, content, config, mode);
      last = patched.notes;
      return patched.text;
    });
    await saveSnapshot(paths, await readText(paths.file));
    return last;
  });
  if (config?.post_patch !== undefined) startHook(config.post_patch, paths.root, env);
  return notes;
};

// Watching: whether a change of a watched document is a question, or what followed from an answer. Pure. What the agent knows
// already is no question. A change right after an answer may come from a program (a formatter), so only a few in a row count.

export interface WatchedDocument {
  /** What was handed to the agent last. */
  readonly submitted: string | null;
  /** When the last answer was in the file, or the agent ended without one; ms. */
  readonly answeredAt: number | null;
  /** Answers since a person was the last to change it. */
  readonly cycles: number;
}

export const NEVER_SUBMITTED: WatchedDocument = { submitted: null, answeredAt: null, cycles: 0 };

interface Change {
  readonly text: string;
  /** What the agent has seen; null: nothing yet. */
  readonly seen: string | null;
  readonly at: number;
}

type Decision =
  | { readonly kind: "submit"; readonly cycles: number }
  /** `known`: nothing new. `same`: it was asked already. `often`: enough answers without a person. */
  | { readonly kind: "ignore"; readonly why: "known" | "same" | "often" };

/**
 * `windowMs`: how long after an answer a change may be a program's. `maxCycles`: how many answers may follow each other like that
 * before it waits for a person.
 */
export const decideChange = (
  document: WatchedDocument,
  { text, seen, at }: Change,
  limits: { readonly windowMs: number; readonly maxCycles: number },
): Decision => {
  if (text === seen) return { kind: "ignore", why: "known" };
  if (text === document.submitted) return { kind: "ignore", why: "same" };
  const follows = document.answeredAt !== null && at - document.answeredAt < limits.windowMs;
  if (!follows) return { kind: "submit", cycles: 0 };
  const cycles = document.cycles + 1;
  return cycles > limits.maxCycles ? { kind: "ignore", why: "often" } : { kind: "submit", cycles };
};

interface NewDocument {
  readonly session: string;
  readonly title: string | null;
  readonly agent: string | null;
}

/** An inline document with space for the first question. */
const newText = ({ session, title, agent }: NewDocument): string => {
  const head = setFrontmatter("", {
    agent_doc_session: session,
    agent_doc_format: "inline",
    ...(agent === null ? {} : { agent }),
  });
  return `${head}\n${title === null ? "" : `# ${title}\n\n`}## User\n\n`;
};

/** @throws AgtmuxError E_USAGE where there is a file already; it stays as it is. */
export const initDocument = async (path: string, options: NewDocument): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const made = await writeNewFile(path, newText(options));
  try {
    // Unlike a rename, a link never replaces a file that came meanwhile.
    await link(made, path);
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST") throw error;
    throw new AgtmuxError("E_USAGE", `${path} exists already`, { remedy: "Name a file that does not." });
  } finally {
    await rm(made, { force: true });
  }
};

/** Ends the agent's conversation: the next one begins with the whole document. The document keeps its own id. */
export const resetDocument = async (
  paths: DocumentPaths,
): Promise<{ hadSnapshot: boolean; hadResume: boolean }> => {
  const hadResume = readFrontmatter(await readText(paths.file)).resume !== null;
  return withDocumentLock(paths, async () => {
    if (hadResume) await replaceText(paths.file, (text) => setFrontmatter(text, { resume: null }));
    return { hadSnapshot: await deleteSnapshot(paths), hadResume };
  });
};

const COMPONENTS = `
<!-- agent:status mode=replace -->
<!-- /agent:status -->

<!-- agent:exchange mode=append -->
<!-- /agent:exchange -->
`;

/** It becomes a key of the registry, where nothing but ids is looked for. @throws AgtmuxError E_DOCUMENT_INVALID */
export const checkId = ({ session: id }: Frontmatter): void => {
  if (id === null || (/^[\w-]{1,100}$/.test(id) && !(id in Object.prototype))) return;
  throw new AgtmuxError("E_DOCUMENT_INVALID", "'agent_doc_session' in the frontmatter isn't an id", {
    remedy: "Remove the line: the document gets an id of its own. Nothing was changed.",
  });
};

/**
 * The document with an id of its own, which it gets where it has none. A template without components gets those of a conversation.
 * @throws AgtmuxError E_DOCUMENT_INVALID for what cannot be understood.
 */
export const claimedText = (text: string, newId: () => string): string => {
  const frontmatter = readFrontmatter(text);
  checkId(frontmatter);
  const { session, format } = frontmatter;
  const withId = session === null ? setFrontmatter(text, { agent_doc_session: newId() }) : text;
  const isBare = format === "template" && parseComponents(text).length === 0;
  const added = `${withId.endsWith("\n") ? "" : "\n"}${COMPONENTS}`;
  return isBare ? withId + withLineEnds(added, lineEndOf(text)) : withId;
};

/** Writes that text into the file, and gives the id. @throws AgtmuxError E_DOCUMENT_INVALID: the file stays as it is then. */
export const claimDocument = async (paths: DocumentPaths, newId: () => string): Promise<string> =>
  withDocumentLock(paths, async () => {
    await replaceText(paths.file, (text) => claimedText(text, newId));
    return readFrontmatter(await readText(paths.file)).session ?? newId();
  });

/** Remembers the agent's conversation, in the document and in what the agent has seen of it. */
export const setResume = async (paths: DocumentPaths, resume: string): Promise<void> =>
  withDocumentLock(paths, async () => {
    await replaceText(paths.file, (text) => setFrontmatter(text, { resume }));
    const seen = await loadSnapshot(paths);
    if (seen !== null) await saveSnapshot(paths, setFrontmatter(seen, { resume }));
  });

/** Puts an exchange of before above the one that is there. */
export const restoreExchange = (paths: DocumentPaths, exchange: string): Promise<string> =>
  withDocumentLock(paths, () =>
    replaceText(
      paths.file,
      (text) => applyPatch(text, { component: "exchange", content: exchange }, "prepend").text,
    ),
  );
