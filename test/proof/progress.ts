// A long proof that is made in parts: what was found so far is kept in test-results, and the next run goes on where the last one
// stopped, for as long as it is asked for the same. Each part keeps its commit, its time and the load of the machine.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";

const FOLDER = fileURLToPath(new URL("../../test-results/proofs", import.meta.url));

const partSchema = z.object({
  /** Begin, as ISO 8601. */
  at: z.string(),
  commit: z.string(),
  seconds: z.number(),
  /** Load average over a minute, at the begin and at the end. */
  load: z.tuple([z.number(), z.number()]),
});
type Part = z.infer<typeof partSchema>;

const commitNow = (): string =>
  execFileSync("git", ["rev-parse", "--short=8", "HEAD"], { encoding: "utf8" }).trim();
const loadNow = (): number => loadavg()[0] ?? 0;

export interface Progress<Found> {
  /** What was found so far; change it in place. */
  readonly found: Found;
  save(): void;
  /** The parts, one a line. */
  describe(): string;
}

/** `asked`: another one begins from nothing. `isAgain`: so does this. `folder`: only tests name another one. */
export const openProgress = <Found>(options: {
  name: string;
  asked: unknown;
  schema: z.ZodType<Found>;
  empty: () => Found;
  isAgain?: boolean;
  folder?: string;
}): Progress<Found> => {
  const path = join(options.folder ?? FOLDER, `${options.name}.json`);
  const stateSchema = z.object({ asked: z.string(), parts: z.array(partSchema), found: options.schema });
  const asked = JSON.stringify(options.asked);
  if (options.isAgain === true) rmSync(path, { force: true });
  const kept = existsSync(path) ? stateSchema.parse(JSON.parse(readFileSync(path, "utf8"))) : null;
  const before = kept?.asked === asked ? kept : null;
  const found = before?.found ?? options.empty();
  const began = performance.now();
  const part: Part = {
    at: new Date().toISOString(),
    commit: commitNow(),
    seconds: 0,
    load: [loadNow(), loadNow()],
  };
  const parts = [...(before?.parts ?? []), part];
  return {
    found,
    save: () => {
      part.seconds = Math.round((performance.now() - began) / 1_000);
      part.load[1] = loadNow();
      mkdirSync(dirname(path), { recursive: true });
      // Whoever ends this at any moment leaves the last whole one.
      writeFileSync(`${path}.new`, JSON.stringify({ asked, parts, found }));
      renameSync(`${path}.new`, path);
    },
    describe: () =>
      parts
        .map(
          ({ at, commit, seconds, load: [first, last] }) =>
            `- ${at.slice(0, 16).replace("T", " ")}, ${commit}, ${seconds} s, load ${first.toFixed(1)} to ${last.toFixed(1)}`,
        )
        .join("\n"),
  };
};

/** Whether a run that shall take so many minutes (0: as many as it takes) is over. */
export const lasts = (minutes: number): (() => boolean) => {
  const end = minutes > 0 ? performance.now() + minutes * 60_000 : Infinity;
  return () => performance.now() >= end;
};
