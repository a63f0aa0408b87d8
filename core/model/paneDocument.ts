// A document that was claimed for a pane, as it leaves the daemon. Names and texts are as they are in files: hostile.
import * as z from "zod";

export const paneDocumentSchema = z.object({
  /** The document's own id. */
  id: z.string(),
  /** From the project's folder. */
  file: z.string(),
  path: z.string(),
  /** It holds something that its agent has not been shown. */
  has_unsent: z.boolean(),
  /** The last line that says something; null where none does. */
  tail: z.string().nullable(),
  /** What, typed to the agent, makes it answer. */
  trigger: z.string(),
});
export type PaneDocument = z.infer<typeof paneDocumentSchema>;
