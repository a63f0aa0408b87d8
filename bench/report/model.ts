// What a part of the bench reports, in one shape, so that the terminal, the JSON and the document all come from the same data.
import * as z from "zod";

/** One promise and what was measured of it. `atMost`: smaller is better. */
const checkSchema = z.object({
  what: z.string(),
  measured: z.number(),
  limit: z.number(),
  unit: z.string(),
  atMost: z.boolean(),
  isMet: z.boolean(),
});
export type Check = z.infer<typeof checkSchema>;

const tableSchema = z.object({
  caption: z.string(),
  head: z.array(z.string()).readonly(),
  rows: z.array(z.array(z.string()).readonly()).readonly(),
});
export type Table = z.infer<typeof tableSchema>;

const partSchema = z.object({
  /** Name by which `--only` selects it. */
  name: z.string(),
  title: z.string(),
  /** How the figures are made: for the document. */
  how: z.string(),
  tables: z.array(tableSchema).readonly(),
  checks: z.array(checkSchema).readonly(),
  /** What a reader must know to judge them. */
  notes: z.array(z.string()).readonly(),
  /** The figures themselves, for other programs. */
  figures: z.unknown(),
  seconds: z.number(),
});
export type PartReport = z.infer<typeof partSchema>;

const machineSchema = z.object({
  cpu: z.string(),
  cores: z.number(),
  memoryGb: z.number(),
  system: z.string(),
  node: z.string(),
  tmux: z.string(),
});
export type Machine = z.infer<typeof machineSchema>;

export const reportSchema = z.object({
  date: z.string(),
  command: z.string(),
  machine: machineSchema,
  /** Load average over a minute, before the first part and after the last one. */
  loadBefore: z.number(),
  loadAfter: z.number(),
  parts: z.array(partSchema).readonly(),
});
export type BenchReport = z.infer<typeof reportSchema>;

/** The options of every part. `isQuick`: only as much as shows that it works. */
export interface BenchOptions {
  panes: readonly number[];
  seconds: number;
  isQuick: boolean;
}

/** The result of a part; the runner adds its name and duration. */
export type Measured = Omit<PartReport, "seconds">;

export const atMost = (what: string, measured: number, limit: number, unit: string): Check => ({
  what,
  measured,
  limit,
  unit,
  atMost: true,
  isMet: measured <= limit,
});

export const atLeast = (what: string, measured: number, limit: number, unit: string): Check => ({
  what,
  measured,
  limit,
  unit,
  atMost: false,
  isMet: measured >= limit,
});
