// The file by which an editor's plugin is handed a response: `.agent-doc/patches/<hash>.json`. The plugin applies it to its
// buffer, saves, and deletes it, which is its acknowledgement. Other plugins read the first fields; the last two are ours.
import * as z from "zod";
import { MODES } from "../model/components.ts";

export const patchFileSchema = z.object({
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
export const editorFileSchema = z.object({
  pid: z.number().int().positive(),
  name: z.string(),
  version: z.string(),
  /** It applies `response` with the modes, instead of replacing components by `patches`. */
  merges: z.boolean(),
  /** Epoch ms of the last key in a document of the project. */
  typedAt: z.number().nullable(),
});

export type EditorFile = z.infer<typeof editorFileSchema>;
