// All migrations in order. Imported statically so that a bundle cannot lose one.
import { initialMigration } from "./0001-initial.ts";
import { sentTextsMigration } from "./0002-sent-texts.ts";
import { actionIdsMigration } from "./0003-action-ids.ts";
import { windowLinksMigration } from "./0004-window-links.ts";

/** One step of the schema. Versions count up from 1 without gaps; a published step is never edited. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [
  initialMigration,
  sentTextsMigration,
  actionIdsMigration,
  windowLinksMigration,
];
