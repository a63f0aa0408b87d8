// What an agent asks of a person: the structured form of a permission dialog or a question, as it is known, as clients see it, and
// as a rule gets it.
import * as z from "zod";

export { mayAnswer } from "./needs.ts";

export const requestKindSchema = z.enum(["command", "edit", "plan", "trust", "tool", "question", "other"]);

/**
 * What choosing an option means, where the adapter knows: allow this once, allow this and similar requests from now on, or
 * refuse. An option that leaves the agent or changes its mode has no role.
 */
const optionRoleSchema = z.enum(["approve", "approve_always", "deny"]);
export type OptionRole = z.infer<typeof optionRoleSchema>;

const requestOptionSchema = z.object({
  label: z.string().max(500),
  /** What the agent says about choosing it; absent where it says nothing, or where nobody read it. */
  description: z.string().max(2_000).nullable().optional(),
  /** Keys that choose it, in tmux key names; null where the adapter does not know them. */
  keys: z.array(z.string()).nullable(),
  /** Absent, as in rows of older versions, counts as null: not known. */
  role: optionRoleSchema.nullable().optional(),
  /** Only where several are chosen together: whether it is chosen now, and the key that turns that; absent: no box, or not known. */
  ticked: z.boolean().optional(),
  toggle: z.string().optional(),
});

/** No agent draws a dialog with more options than this. */
export const MAX_OPTIONS = 30;

/** Characters of a body and of an edit's content. A longer text is cut and marked, and is then not whole. */
export const MAX_REQUEST_TEXT = 65_536;
/** Keeps space for the mark of a cut. */
export const MAX_MARKED_TEXT = MAX_REQUEST_TEXT + 100;

/**
 * `title` is one line; `body` is the command, the path of an edit, the plan or the question's text, to the letter unless
 * `isWhole` says otherwise.
 */
export const promptRequestSchema = z.object({
  kind: requestKindSchema,
  title: z.string().max(500),
  body: z.string().max(MAX_MARKED_TEXT).nullable(),
  /**
   * What an edit would write, as lines of a diff (`+`, `-`, blank; in a reading also `>`, which continues the line above).
   * Absent where it is not known, and where the request is not about an edit.
   */
  content: z.string().max(MAX_MARKED_TEXT).nullable().optional(),
  /**
   * Kind, title, body, content and options are the complete text of the request: no part was cut, redacted, left out or not
   * seen. Absent counts as false. A request that is not whole cannot be approved.
   */
  isWhole: z.boolean().optional(),
  /**
   * A part is missing here: the request was cut, or has characters or arguments that nothing shows. A dialog that draws the
   * rest does not make it whole.
   */
  hasMore: z.boolean().optional(),
  /**
   * Only in a reading: the number of columns at which the screen wraps the body (for an edit, the content). Absent in events.
   */
  columns: z.number().int().positive().optional(),
  /** Only in a reading: how many of those columns a sign before the first row takes. Absent: none. */
  inset: z.number().int().positive().optional(),
  /** Only in a reading: words are also broken after a hyphen or a slash. Absent: no. */
  hasJoints: z.boolean().optional(),
  /** Only in an event: the folder to which relative paths on the screen belong. */
  cwd: z.string().max(4_096).nullable().optional(),
  /**
   * Only in an event that carries every argument of a command's call, none of which changes what runs: the folder in which it runs.
   * Without it nobody but a person approves the command.
   */
  runsIn: z.string().max(4_096).nullable().optional(),
  /**
   * What the agent's model says of the request, which changes nothing of what is asked. In an event: as reported; in a reading: as
   * the dialog draws it in a place of its own, null where that place is empty. Absent: nothing is known of one.
   */
  remark: z.string().max(4_096).nullable().optional(),
  /** Only in a reading: such a remark would stand directly below the body, and nothing divides the two. Absent: no. */
  hasRemarkBelow: z.boolean().optional(),
  /** Only in a reading of which not all rows are visible: those of the body that are, are its first or last. Absent: not known. */
  sight: z.enum(["start", "end"]).optional(),
  toolName: z.string().max(200).nullable(),
  options: z.array(requestOptionSchema).max(MAX_OPTIONS),
  /** The agent's own time-out as epoch milliseconds, where it has one. */
  expiresAt: z.number().nullable(),
  /**
   * Keys that lead to a field for a free text, which Enter submits; an empty list if the field already has the focus. Absent
   * counts as null: not known.
   */
  textEntry: z.array(z.string()).nullable().optional(),
  /** Only in a reading: several options are chosen together and then submitted, which the keys of one option do not do. */
  takesSeveral: z.boolean().optional(),
  /** Only with it: keys that submit what is ticked, from where the selection stands. Absent: not known. */
  submit: z.array(z.string()).optional(),
  /** Only in a reading of one of several questions: what the dialog calls each, and which this is; null: not known. */
  pages: z
    .object({
      number: z.number().int().positive().nullable(),
      names: z.array(z.string().max(200)).max(MAX_OPTIONS),
    })
    .optional(),
});
export type PromptRequest = z.infer<typeof promptRequestSchema>;

/** The same in the documents that leave the daemon: snake_case, times as ISO 8601. */
export const requestViewSchema = promptRequestSchema
  .omit({
    toolName: true,
    expiresAt: true,
    textEntry: true,
    takesSeveral: true,
    isWhole: true,
    hasMore: true,
    columns: true,
    inset: true,
    hasJoints: true,
    cwd: true,
    runsIn: true,
    hasRemarkBelow: true,
    sight: true,
  })
  .extend({
    /** False: a part of the request is not here, so that only a refusal may answer it. */
    is_whole: z.boolean().default(false),
    tool_name: promptRequestSchema.shape.toolName,
    expires_at: z.string().nullable(),
    text_entry: promptRequestSchema.shape.textEntry,
  });
export type RequestView = z.infer<typeof requestViewSchema>;

/** A request as documents show it. */
export const requestView = (request: PromptRequest): RequestView => {
  const { kind, title, body, content, remark, options, toolName, expiresAt, textEntry, isWhole } = request;
  const { submit, pages } = request;
  return {
    kind,
    title,
    body,
    ...(content === undefined ? {} : { content }),
    ...((remark ?? null) === null ? {} : { remark }),
    is_whole: isWhole === true,
    tool_name: toolName,
    options,
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    ...(textEntry === undefined ? {} : { text_entry: textEntry }),
    ...(submit === undefined ? {} : { submit }),
    ...(pages === undefined ? {} : { pages }),
  };
};

/** What an agent asks now, for a rule that would answer it: to the letter, as an event of the agent reported it. */
export interface ToldRequest {
  readonly runtimeId: string;
  readonly stateVersion: number;
  /** Names this asking of it; null: it cannot be answered now. */
  readonly fingerprint: string | null;
  readonly kind: PromptRequest["kind"];
  readonly toolName: string | null;
  /** The command, where it is about one. Never redacted: it goes to the rules and nowhere else. */
  readonly command: string | null;
  /** The file of an edit; several on lines of their own. Null where it is about none, or none is named. */
  readonly file: string | null;
  /** Where the command runs, if its event says so, else the folder that the agent's events named last. */
  readonly folder: string | null;
  /** Why it must not be approved by a rule, after "because"; null: nothing speaks against it. */
  readonly doubt: string | null;
}
