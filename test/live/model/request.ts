// What the four protocols have in common once a request is read: the last message of the person, the result of a tool that the
// agent hands back, and the tools that it offers.
import * as z from "zod";

const propertySchema = z.looseObject({
  type: z.unknown().optional(),
  description: z.string().optional().catch(undefined),
  enum: z.array(z.unknown()).optional().catch(undefined),
});
/** The JSON Schema of a tool's input, as far as it is looked at. */
export const toolSchemaSchema = z
  .looseObject({
    properties: z.record(z.string(), propertySchema).default({}),
    required: z.array(z.string()).default([]),
  })
  .catch({ properties: {}, required: [] });
export type ToolSchema = z.infer<typeof toolSchemaSchema>;

export interface Tool {
  name: string;
  schema: ToolSchema;
  /** Takes a text instead of JSON. */
  isFreeform: boolean;
  /** The Responses protocol groups tools; the answer names the group. */
  namespace: string | null;
}

export interface ModelRequest {
  lastUser: string;
  toolResult: string | null;
  tools: Tool[];
  /** The folder that the agent says it works in. */
  cwd: string | null;
}

export const toTool = (name: string, schema: unknown): Tool => ({
  name,
  schema: toolSchemaSchema.parse(schema ?? {}),
  isFreeform: false,
  namespace: null,
});

const contentSchema = z.looseObject({
  text: z.string().optional(),
  content: z.unknown().optional(),
  output: z.string().optional(),
});

/** The text of a content in any of its shapes: a text, blocks of text, or blocks that hold blocks. */
export const flatten = (content: unknown): string => {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  if (Array.isArray(content)) return content.map(flatten).join("\n");
  const read = contentSchema.safeParse(content);
  if (!read.success) return JSON.stringify(content);
  const { text, content: inner, output } = read.data;
  return text ?? (inner === undefined ? (output ?? JSON.stringify(content)) : flatten(inner));
};

const WORKING_FOLDER =
  /(?:Primary working directory|[Ww]orking directory|<cwd>|cwd|Workspace Directories:\s*-?|current working directory(?: is)?|working in the directory)\s*:?\s*`?(\/[^\s<`"\\,]+)/;
/** The working folder that a prompt of the agent names somewhere. */
export const findFolder = (text: string): string | null =>
  WORKING_FOLDER.exec(text)?.[1]?.replace(/[.,]$/, "") ?? null;
