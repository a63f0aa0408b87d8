// The documents about detection packs that leave the daemon: what is in force for an agent, and what a file would change. What a pack
// is, and what it may do, is said in adapters/packs.
import * as z from "zod";
import { SCHEMA_VERSION } from "./view.ts";

/** Bytes of a pack's file. */
export const MAX_PACK_BYTES = 2 * 1024 * 1024;

/** A pack's file by its SHA-256 in hex. */
export const packHashSchema = z.string().regex(/^[0-9a-f]{64}$/);

/** In the home's folder of packs: where a command puts a file for the daemon, under its hash. */
export const INCOMING_FOLDER = "incoming";
/** The same: a public key that counts instead of the release's. */
export const OWN_KEY_FILE = "key.pem";

const packSchema = z.object({
  agent_type: z.string(),
  /** Versions of the agent that it was driven with, newest first. */
  driven_with: z.array(z.string()),
  /** What it adds to the program's own rules, and what it may answer, a sentence each; empty: nothing. */
  rules: z.array(z.string()),
  answers: z.array(z.string()),
  recordings: z.number().int(),
});

/**
 * What is in force for one agent. `version` null: the program's own rules alone. `answers_approved` false: its `answers` have no
 * effect, because no person has allowed them.
 */
export const packViewSchema = packSchema.extend({
  version: z.string().nullable(),
  /** Of the program's own rules. */
  program_version: z.string(),
  hash: packHashSchema.nullable(),
  made_at: z.string().nullable(),
  answers_approved: z.boolean(),
  /** What a rollback leads to; null: there is none to go back from. */
  rolls_back_to: z.string().nullable(),
  /** Why the pack that is stored is not in force, and what to do; null: it is, or there is none. */
  problem: z.string().nullable(),
});
export type PackView = z.infer<typeof packViewSchema>;

/** What a file would change. `changes`: against what is in force, in words. */
export const packOfferSchema = packSchema.extend({
  version: z.string(),
  hash: packHashSchema,
  made_at: z.string(),
  in_force: z.string(),
  changes: z.array(z.string()),
  /** The file's own key, in words: the release's, or the one in the person's home. */
  signed_by: z.string(),
});
export type PackOffer = z.infer<typeof packOfferSchema>;

export const packListSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  items: z.array(
    packViewSchema.extend({
      /** Of the agent on this machine; null: it is not there, or that cannot be known without starting it. */
      installed_version: z.string().nullable(),
    }),
  ),
});
export type PackList = z.infer<typeof packListSchema>;

/** What became of packs that were to be put in force. `unchanged`: agents for which there is none that is newer. */
export const packUpdateSchema = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  generated_at: z.string(),
  taken: z.array(packViewSchema),
  unchanged: z.array(z.string()),
  refused: z.array(z.object({ agent_type: z.string().nullable(), problem: z.string() })),
});
export type PackUpdate = z.infer<typeof packUpdateSchema>;

/** The documents of the verbs. */
export const PACK_DOCUMENTS = {
  /** `offer`: what a file that was named would change. */
  "adapters show": packListSchema.extend({ offer: packOfferSchema.nullable() }),
  "adapters update": packUpdateSchema,
  "adapters rollback": packViewSchema.extend({
    schema_version: z.literal(SCHEMA_VERSION),
    generated_at: z.string(),
  }),
};
export type PackShown = z.infer<(typeof PACK_DOCUMENTS)["adapters show"]>;
export type PackRolledBack = z.infer<(typeof PACK_DOCUMENTS)["adapters rollback"]>;
