// A response on its way through an editor: into its buffer instead of under it, so that cursor and undo stay.
import { AgtmuxError } from "../../../core/model/errors.ts";
import { mergeTexts } from "../model/mergeTexts.ts";
import { parseResponse, type ComponentModes } from "../model/patches.ts";
import { isInProject, type DocumentPaths } from "../files/documentPaths.ts";
import { replaceText, type OnStep } from "../files/replaceText.ts";
import { readText } from "../files/wholeFile.ts";
import { deliverPatch, findEditors, hasPlugin, hasTakenLately, noteTaken, removePatches } from "./deliver.ts";
import { judgeSaved, readFaults, rememberFault, resolvePatches } from "./editorFaults.ts";
import type { PatchFile } from "./patchFile.ts";

/** `auto`: through an editor where a plugin is or was there, as the folder for patches tells. */
export type Way = "auto" | "editor" | "disk";

export interface Handed {
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
 * Whether the document was changed; null where no editor is asked, or none that is known to live has answered, so that it has to be
 * written on the disk. @throws AgtmuxError E_DOCUMENT_BUSY where a living editor did not take it in time: nothing has changed.
 */
export const writeThroughEditor = async (handed: Handed): Promise<boolean | null> => {
  const { paths, way, baseline, agent } = handed;
  // A plugin takes nothing for files outside of its project.
  if (way === "disk" || !isInProject(paths)) return null;
  const hadPlugin = await hasPlugin(paths);
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
