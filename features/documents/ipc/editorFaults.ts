// An acknowledgement is not a proof: what the editor saved is compared with what should be there, made good, and remembered.
import { join } from "node:path";
import * as z from "zod";
import { mergeTexts } from "../model/mergeTexts.ts";
import { findComponent, isWhole, parseComponents } from "../model/components.ts";
import type { DocumentPaths } from "../files/documentPaths.ts";
import { readKept, writeKept } from "../files/wholeFile.ts";
import type { PatchFile } from "./patchFile.ts";

/**
 * `replaces`: it takes no notice of modes, as the first plugins. `appends`: it does, so that what was resolved for it is there
 * twice. `escapes`: it takes `\n` in a text for a new line.
 */
const FAULTS = ["replaces", "appends", "escapes"] as const;
export type EditorFault = (typeof FAULTS)[number];

const MAX_BYTES = 64 * 1024;
const faultsSchema = z.object({ faults: z.array(z.enum(FAULTS)) });

const faultsPath = ({ folder }: DocumentPaths): string => join(folder, "agtmux-editor.json");

export const readFaults = async (paths: DocumentPaths): Promise<ReadonlySet<EditorFault>> => {
  const text = await readKept(paths, faultsPath(paths), MAX_BYTES);
  if (text === null) return new Set();
  try {
    return new Set(faultsSchema.parse(JSON.parse(text)).faults);
  } catch {
    // It is found out again.
    return new Set();
  }
};

export const rememberFault = async (paths: DocumentPaths, fault: EditorFault): Promise<void> => {
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
export const resolvePatches = (before: string, after: string): PatchFile["patches"] =>
  parseComponents(after)
    .filter(({ name }) => contentOf(before, name) !== contentOf(after, name))
    .map(({ name }) => ({ component: name, content: contentOf(after, name).replace(/^\n/, "") }));

export interface Saved {
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
export const judgeSaved = (result: Saved): { text: string; fault: EditorFault | null } => {
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
