// The figures of another tree on the same machine, taken by that tree's own bench before and after ours, so that a change of the code
// is told apart from a change of the machine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { spreadOf } from "../statistics.ts";

const sample = z.array(z.number());
/** Only what is compared: an older tree may measure other things besides. */
const figuresSchema = z.object({
  openings: z.array(z.object({ rows: z.number(), firstMs: sample, againMs: sample })),
  storm: z.object({
    rows: z.number(),
    entryMs: sample,
    entryInStormMs: sample,
    work: z.object({ batchWallMs: sample }),
  }),
});
export type ComparedFigures = z.infer<typeof figuresSchema>;

/** Longer than the parent, and it counts. */
const ALLOWED = 1.1;
/** Smaller differences than this are below what the clock of a page tells. */
const GRAIN_MS = 1;

/** `dir`: a tree that is installed and built (`npm run build app`). */
export const measureBase = async (dir: string): Promise<ComparedFigures> => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-bp-"));
  try {
    const file = join(folder, "figures.json");
    const args = [join(dir, "scripts", "withNode.sh"), "bench/popover.ts", "--soak", "10s", "--json", file];
    const child = spawn("sh", args, { cwd: dir, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    await once(child, "close");
    // A bench that misses a target fails as well, and has its figures.
    if (!existsSync(file))
      throw new Error(`the bench of ${dir} broke off (${child.exitCode}):\n${said.trimEnd().slice(-2_000)}`);
    return z.object({ figures: figuresSchema }).parse(JSON.parse(readFileSync(file, "utf8"))).figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const median = (all: readonly number[]): number => spreadOf(all).median;
const p95 = (all: readonly number[]): number => spreadOf(all).p95;

const valuesOf = ({ openings, storm }: ComparedFigures): ReadonlyMap<string, number> =>
  new Map([
    ...openings.flatMap(({ rows, firstMs, againMs }): [string, number][] => [
      [`open, ${rows} rows, first time (median)`, median(firstMs)],
      [`open, ${rows} rows (median)`, median(againMs)],
      [`open, ${rows} rows (p95)`, p95(againMs)],
    ]),
    [`feed entry → frame, ${storm.rows} rows (median)`, median(storm.entryMs)],
    ["feed entry → frame, during the storm (median)", median(storm.entryInStormMs)],
    ["main thread per batch in the storm (median)", median(storm.work.batchWallMs)],
  ]);

export interface Comparison {
  what: string;
  before: number;
  own: number;
  after: number;
  /** At most a tenth above the slower of the two. */
  isWithin: boolean;
}

export const compareWith = (
  own: ComparedFigures,
  [before, after]: readonly [ComparedFigures, ComparedFigures],
): Comparison[] => {
  const [first, last] = [valuesOf(before), valuesOf(after)];
  return [...valuesOf(own)].flatMap(([what, value]) => {
    const [one, other] = [first.get(what), last.get(what)];
    if (one === undefined || other === undefined) return [];
    const limit = Math.max(one, other) * ALLOWED + GRAIN_MS;
    return [{ what, before: one, own: value, after: other, isWithin: value <= limit }];
  });
};
