// A response on its way through an editor, into its buffer instead of under it, so that cursor and undo stay: the file by which it
// is handed over, the wait until it is acknowledged, and the check of what the editor saved.
import * as z from "zod";
import { MODES, findComponent, isWhole, parseComponents } from "../model/documentText.ts";
import { watch } from "node:fs";
import { rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isMissing, AgtmuxError } from "../../../core/model/errors.ts";
import { isInProject, isThere, type DocumentPaths } from "../files/documentPaths.ts";
import { listKept, readKept, removeKept, writeKept, readText } from "../files/wholeFile.ts";
import { mergeTexts } from "../model/mergeTexts.ts";
import { parseResponse, type ComponentModes } from "../model/patches.ts";
import { replaceText, type OnStep } from "../files/replaceText.ts";

/**
 * How an editor's plugin is handed a response: `.agent-doc/patches/<hash>.json`. It applies it to its buffer, saves, and deletes
 * the file, which is its acknowledgement. Other plugins read the first fields; the last two are ours.
 */
const patchFileSchema = z.object({
  /** Absolute. */
  file: z.string(),
  patches: z.array(z.object({ component: z.string(), content: z.string() })),
  /** For the conversation; empty where nothing is. */
  unmatched: z.string(),
  /** The document as the agent had seen it. */
  baseline: z.string(),
  /** The whole document, for those without components. */
  fullContent: z.string().optional(),
  /** For plugins that merge by themselves: the response as it came, and the modes of components.toml. */
  response: z.string().optional(),
  modes: z.record(z.string(), z.object({ mode: z.enum(MODES).optional() })).optional(),
});

export type PatchFile = z.infer<typeof patchFileSchema>;

/** What a plugin that merges by itself writes about itself, as `.agent-doc/editor-<pid>.json`. */
const editorFileSchema = z.object({
  pid: z.number().int().positive(),
  name: z.string(),
  version: z.string(),
  /** It applies `response` with the modes, instead of replacing components by `patches`. */
  merges: z.boolean(),
  /** Epoch ms of the last key in a document of the project. */
  typedAt: z.number().nullable(),
});

export type EditorFile = z.infer<typeof editorFileSchema>;

// Delivery: hands a response to an editor and waits until it is acknowledged. Nothing is written into the document here.

const WAIT_MS = 2_000;
/** While somebody types, an editor finds fewer moments to apply a change. */
const BUSY_WAIT_MS = 10_000;
const BUSY_MS = 1_000;
const POLL_MS = 20;
const MAX_EDITOR_BYTES = 64 * 1024;

/** A process of another user is no editor of this person. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const seenPath = ({ folder }: DocumentPaths): string => join(folder, "agtmux-seen.json");
const seenSchema = z.object({ takenAt: z.number() });
/** An editor that took a response so recently counts as running, though it writes no file of its own. */
const LATELY_MS = 10 * 60_000;

/** Whether an editor that says nothing of itself has taken a response lately. */
const hasTakenLately = async (paths: DocumentPaths, now: number): Promise<boolean> => {
  const text = await readKept(paths, seenPath(paths), MAX_EDITOR_BYTES);
  try {
    const { takenAt } = seenSchema.parse(JSON.parse(text ?? "null"));
    return now - takenAt < LATELY_MS && takenAt <= now;
  } catch {
    // It was never written, or is not ours: nobody has taken one.
    return false;
  }
};

const noteTaken = (paths: DocumentPaths, takenAt: number): Promise<void> =>
  writeKept(paths, seenPath(paths), `${JSON.stringify({ takenAt })}\n`, { mayBeLost: true });

interface Editors {
  readonly alive: readonly EditorFile[];
  /** Every editor that wrote a file of its own has ended; others write none. */
  readonly areGone: boolean;
}

/** The editors that say of themselves that they are there. What those that ended have left is removed. */
const findEditors = async (paths: DocumentPaths): Promise<Editors> => {
  const { folder } = paths;
  const names = (await listKept(paths, folder)).filter((name) => /^editor-\d+\.json$/.test(name));
  const alive: EditorFile[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const found = parseEditor((await readKept(paths, path, MAX_EDITOR_BYTES)) ?? "");
    if (found !== null && isAlive(found.pid)) alive.push(found);
    else await removeKept(paths, path);
  }
  return { alive, areGone: names.length > 0 && alive.length === 0 };
};

const parseEditor = (text: string): EditorFile | null => {
  try {
    return editorFileSchema.parse(JSON.parse(text));
  } catch {
    // It is no editor's: one that is alive writes it again.
    return null;
  }
};

/** Resolves after `waitMs`, or as soon as anything in the folder changes. */
const untilChange = async (folder: string, waitMs: number): Promise<void> => {
  const ended = new AbortController();
  const changed = new Promise<void>((resolve) => {
    const watcher = watch(folder, { signal: ended.signal }, () => resolve());
    // The poll goes on without it.
    watcher.on("error", () => {});
  });
  // A wait that is cut short, because something changed, is over.
  await Promise.race([changed, delay(waitMs, undefined, { signal: ended.signal }).catch(() => {})]);
  ended.abort();
};

const withdraw = async (path: string): Promise<boolean> => {
  const aside = `${path}.withdrawn`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  await rm(aside, { force: true });
  return true;
};

/** Takes the folder away that only this write has made: it would say to each later one that a plugin is there. */
const removePatches = async ({ patches }: DocumentPaths): Promise<void> => {
  // Another write uses it.
  await rmdir(patches).catch(() => {});
};

/** True once the editor has deleted the file, false when nobody took it in time. `editors`: those known to be there. */
const deliverPatch = async (
  paths: DocumentPaths,
  patch: PatchFile,
  editors: readonly EditorFile[],
): Promise<boolean> => {
  const path = join(paths.patches, `${paths.hash}.json`);
  // The response is kept on the disk already; waiting for the disk once more would only make the editor later.
  await writeKept(paths, path, `${JSON.stringify(patch)}\n`, { mayBeLost: true });
  const begun = Date.now();
  const isBusy = editors.some(({ typedAt }) => typedAt !== null && begun - typedAt < BUSY_MS);
  const deadline = begun + (isBusy ? BUSY_WAIT_MS : WAIT_MS);
  while (await isThere(path)) {
    if (Date.now() >= deadline) return !(await withdraw(path));
    await untilChange(paths.patches, POLL_MS);
  }
  return true;
};

// Check: an acknowledgement is not a proof. What was saved is made good where it is wrong, and the plugin's fault remembered.

/**
 * `replaces`: it takes no notice of modes, as the first plugins. `appends`: it does, so that what was resolved for it is there
 * twice. `escapes`: it takes `\n` in a text for a new line.
 */
const FAULTS = ["replaces", "appends", "escapes"] as const;
type EditorFault = (typeof FAULTS)[number];

const MAX_BYTES = 64 * 1024;
const faultsSchema = z.object({ faults: z.array(z.enum(FAULTS)) });

const faultsPath = ({ folder }: DocumentPaths): string => join(folder, "agtmux-editor.json");

const readFaults = async (paths: DocumentPaths): Promise<ReadonlySet<EditorFault>> => {
  const text = await readKept(paths, faultsPath(paths), MAX_BYTES);
  if (text === null) return new Set();
  try {
    return new Set(faultsSchema.parse(JSON.parse(text)).faults);
  } catch {
    // It is found out again.
    return new Set();
  }
};

const rememberFault = async (paths: DocumentPaths, fault: EditorFault): Promise<void> => {
  const known = new Set(await readFaults(paths));
  // One of the two; another plugin may be there now.
  if (fault !== "escapes") for (const other of ["replaces", "appends"] as const) known.delete(other);
  const faults = [...known.add(fault)];
  await writeKept(paths, faultsPath(paths), `${JSON.stringify({ faults })}\n`);
};

const contentOf = (text: string, name: string): string => {
  const { start, end } = findComponent(text, name);
  return text.slice(start, end);
};

/** For plugins that replace: the new content of each component that the response changes, as it should be afterwards. */
const resolvePatches = (before: string, after: string): PatchFile["patches"] =>
  parseComponents(after)
    .filter(({ name }) => contentOf(before, name) !== contentOf(after, name))
    .map(({ name }) => ({ component: name, content: contentOf(after, name).replace(/^\n/, "") }));

interface Saved {
  /** The document as it was on the disk. */
  readonly before: string;
  /** That with the response. */
  readonly wanted: string;
  /** What the plugin was given. */
  readonly patches: PatchFile["patches"];
  /** What it saved; what was typed in the editor meanwhile is only here. */
  readonly saved: string;
}

const unescaped = (text: string): string => text.replaceAll(String.raw`\n`, "\n");

const times = (text: string, part: string): number => text.split(part).length - 1;

const withoutEscapes = ({ saved, patches }: Saved): string | null => {
  for (const { content } of patches) {
    const [right, wrong] = [content.trim(), unescaped(content).trim()];
    if (right !== wrong && !saved.includes(right) && saved.includes(wrong))
      return saved.replace(wrong, () => right);
  }
  return null;
};

/** What was resolved already was appended: the old content stands there twice. */
const withoutDouble = ({ before, wanted, saved, patches }: Saved): string | null => {
  for (const { component, content } of patches) {
    const [old, all] = [contentOf(before, component).trim(), content.trim()];
    const isDouble =
      old !== "" && all.startsWith(old) && saved.includes(all) && times(saved, old) > times(wanted, old);
    if (isDouble) return saved.replace(all, () => all.slice(old.length).trim());
  }
  return null;
};

/** What was to be added was put in the place of all that was there. */
const withOld = ({ wanted, saved, patches }: Saved): string | null => {
  const isReplaced = patches.some(({ component, content }) => {
    const [is, should] = [contentOf(saved, component).trim(), contentOf(wanted, component).trim()];
    return is === content.trim() && is !== should;
  });
  return isReplaced ? wanted : null;
};

/** What the document should be, and what is wrong with the plugin; null where nothing is. */
const judgeSaved = (result: Saved): { text: string; fault: EditorFault | null } => {
  const { before, wanted, saved } = result;
  const cures = [
    ["escapes", withoutEscapes],
    ["appends", withoutDouble],
    ["replaces", withOld],
  ] as const;
  for (const [fault, cure] of cures) {
    const text = isWhole(saved) ? cure(result) : null;
    if (text !== null) return { text: mergeTexts(before, wanted, text), fault };
  }
  return { text: mergeTexts(before, wanted, saved), fault: null };
};

/** `auto`: through an editor where a plugin is or was there, as the folder for patches shows. */
export type Way = "auto" | "editor" | "disk";

interface Handed {
  readonly paths: DocumentPaths;
  readonly way: Way;
  readonly response: string;
  readonly baseline: string;
  /** The baseline with the response. */
  readonly agent: string;
  readonly modes: ComponentModes;
  readonly isInline: boolean;
  readonly onStep?: OnStep | undefined;
}

interface Prepared {
  readonly before: string;
  readonly wanted: string;
  readonly patch: PatchFile;
}

const prepare = (handed: Handed, before: string, takesRaw: boolean): Prepared => {
  const { paths, response, baseline, agent, modes, isInline } = handed;
  const wanted = mergeTexts(baseline, agent, before);
  const common = { file: paths.file, baseline, response, modes };
  if (isInline)
    return { before, wanted, patch: { ...common, patches: [], unmatched: "", fullContent: wanted } };
  const parsed = parseResponse(response);
  const patch: PatchFile = takesRaw
    ? { ...common, patches: [...parsed.patches], unmatched: parsed.unmatched }
    : { ...common, patches: resolvePatches(before, wanted), unmatched: "" };
  return { before, wanted, patch };
};

/**
 * Whether the document was changed; null where no editor is asked, or none that is known to run has answered, so that it has to be
 * written on the disk. @throws AgtmuxError E_DOCUMENT_BUSY where a running editor did not take it in time: nothing has changed.
 */
export const writeThroughEditor = async (handed: Handed): Promise<boolean | null> => {
  const { paths, way, baseline, agent } = handed;
  // A plugin takes nothing for files outside of its project.
  if (way === "disk" || !isInProject(paths)) return null;
  // A plugin that was ever there has made this folder.
  const hadPlugin = await isThere(paths.patches);
  if (way === "auto" && !hadPlugin) return null;
  const editors = await findEditors(paths);
  if (editors.areGone) return null;
  const faults = await readFaults(paths);
  const { before, wanted, patch } = prepare(handed, await readText(paths.file), faults.has("appends"));
  if (wanted === before) return false;
  const merges = editors.alive.some((editor) => editor.merges);
  const isSpoilt =
    faults.has("escapes") && patch.patches.some(({ content }) => content.includes(String.raw`\n`));
  if (!merges && isSpoilt) return null;
  handed.onStep?.("handed over");
  if (!(await deliverPatch(paths, patch, editors.alive))) {
    if (editors.alive.length === 0 && !(await hasTakenLately(paths, Date.now()))) {
      if (!hadPlugin) await removePatches(paths);
      return null;
    }
    throw new AgtmuxError("E_DOCUMENT_BUSY", "the editor did not take the response in time; it is kept", {
      remedy:
        "Repeat it in a moment, or write it on the disk with --force-disk. If no editor has this project open, remove .agent-doc/editor-*.json.",
    });
  }
  if (editors.alive.length === 0) await noteTaken(paths, Date.now());
  handed.onStep?.("acknowledged");
  const saved = await readText(paths.file);
  const judged = merges
    ? { text: mergeTexts(baseline, agent, saved), fault: null }
    : judgeSaved({ before, wanted, saved, patches: patch.patches });
  if (judged.fault !== null) await rememberFault(paths, judged.fault);
  if (judged.text !== saved)
    await replaceText(paths.file, (current) =>
      current === saved ? judged.text : mergeTexts(baseline, agent, current),
    );
  return true;
};
