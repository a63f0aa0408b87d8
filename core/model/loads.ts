// What agents would read when they start in a folder, as it leaves the daemon: places and names, never what stands in the files.
import * as z from "zod";
import { SCHEMA_VERSION } from "./schemaVersion.ts";

const loadedSchema = z.object({
  identity: z.object({
    agent: z.string(),
    /** `instructions`, `rules`, `settings`, `permissions`, `hooks`, `mcp`, `skills`, `commands`, `agents`, `extensions`. */
    kind: z.string(),
    level: z.enum(["managed", "person", "project"]),
    /** Of the file, or of the folder that holds them. */
    path: z.string(),
  }),
  /** Of servers, skills, commands and so on in it; of many, the first. */
  names: z.array(z.string()),
  has_more: z.boolean(),
  /** Why it cannot be read as it should; null: it can. */
  problem: z.string().nullable(),
  /** What takes its place, or has names that it has too. */
  notes: z.array(z.string()),
});
export type Loaded = z.infer<typeof loadedSchema>;

export const loadsSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  target: z.string(),
  folder: z.string(),
  agents: z.array(
    z.object({
      agent: z.string(),
      agent_name: z.string(),
      /** How what it reads is known; null: it is not. */
      basis: z.string().nullable(),
      /** What it may read beside that. */
      unknown: z.array(z.string()),
    }),
  ),
  items: z.array(loadedSchema),
});
export type Loads = z.infer<typeof loadsSchema>;
