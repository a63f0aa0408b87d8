// What an agent asks of a person: the structured form of a permission dialog or a question.
import { z } from "zod";

export const requestKindSchema = z.enum(["command", "edit", "plan", "trust", "tool", "question", "other"]);

/**
 * What choosing an option means, where the adapter knows: allow this once, allow this and what is like it from now on, or
 * refuse. An option that leaves the agent or changes its mode has no role.
 */
export const optionRoleSchema = z.enum(["approve", "approve_always", "deny"]);
export type OptionRole = z.infer<typeof optionRoleSchema>;

export const requestOptionSchema = z.object({
  label: z.string().max(500),
  /** Keys that choose it, in tmux key names; null where the adapter does not know them. */
  keys: z.array(z.string()).nullable(),
  /** Absent, as in rows of older versions, counts as null: not known. */
  role: optionRoleSchema.nullable().optional(),
});

/** A dialog with more is none that an agent draws. */
export const MAX_OPTIONS = 30;

/** `title` is one line; `body` is the command, the file, the plan or the question's text. */
export const promptRequestSchema = z.object({
  kind: requestKindSchema,
  title: z.string().max(500),
  body: z.string().max(8_000).nullable(),
  toolName: z.string().max(200).nullable(),
  options: z.array(requestOptionSchema).max(MAX_OPTIONS),
  /** The agent's own time-out as epoch milliseconds, where it has one. */
  expiresAt: z.number().nullable(),
  /** Keys that lead to a field for a free text, which Enter submits; none for a field that has the focus already. Absent counts as null: not known. */
  textEntry: z.array(z.string()).nullable().optional(),
});
export type PromptRequest = z.infer<typeof promptRequestSchema>;

/** The same in the documents that leave the daemon: snake_case, times as ISO 8601. */
export const requestViewSchema = promptRequestSchema
  .omit({ toolName: true, expiresAt: true, textEntry: true })
  .extend({
    tool_name: promptRequestSchema.shape.toolName,
    expires_at: z.string().nullable(),
    text_entry: promptRequestSchema.shape.textEntry,
  });
export type RequestView = z.infer<typeof requestViewSchema>;

/** A request as documents show it. */
export const requestView = ({ toolName, expiresAt, textEntry, ...request }: PromptRequest): RequestView => ({
  ...request,
  tool_name: toolName,
  expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  ...(textEntry === undefined ? {} : { text_entry: textEntry }),
});
