// What a part of the bench reports, in one shape, so that the terminal, the JSON and the document all come from the same data.

/** One promise and what was measured of it. `atMost`: smaller is better. */
export interface Check {
  what: string;
  measured: number;
  limit: number;
  unit: string;
  atMost: boolean;
  isMet: boolean;
}

export interface Table {
  caption: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

export interface PartReport {
  /** Name by which `--only` selects it. */
  name: string;
  title: string;
  /** How the figures are made: for the document. */
  how: string;
  tables: readonly Table[];
  checks: readonly Check[];
  /** What a reader must know to judge them. */
  notes: readonly string[];
  /** The figures themselves, for other programs. */
  figures: unknown;
  seconds: number;
}

export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  system: string;
  node: string;
  tmux: string;
}

export interface BenchReport {
  date: string;
  command: string;
  machine: Machine;
  /** Load average over a minute, before the first part and after the last one. */
  loadBefore: number;
  loadAfter: number;
  parts: readonly PartReport[];
}

/** What every part is asked for. `isQuick`: as little of everything as shows that it works. */
export interface BenchOptions {
  panes: readonly number[];
  seconds: number;
  isQuick: boolean;
}

/** What a part gives; its name and duration are added by whoever runs it. */
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
