// What a proof of many thousand cases has found so far, in a file of test-results: a run that was stopped, or that ends after some
// minutes, goes on there for as long as it is asked for the same. Each part keeps its commit, its time and the load of the machine.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Names everything in these folders that is no test, so that what was done on other sources counts for nothing. */
export const sourcesKey = (...folders: readonly string[]): string => {
  const hash = createHash("sha256");
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && !entry.name.includes(".test."))
      .map(({ parentPath, name }) => join(parentPath, name))
      .toSorted(),
  );
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
};

const partSchema = z.object({
  /** Begin, as ISO 8601. */
  at: z.string(),
  commit: z.string(),
  seconds: z.number(),
  /** Load average over a minute, at the begin and at the end. */
  load: z.tuple([z.number(), z.number()]),
});

const commitNow = (): string =>
  execFileSync("git", ["rev-parse", "--short=8", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim();
const loadNow = (): number => loadavg()[0] ?? 0;

export interface LongRun<State> {
  /** What was found so far; change it in place, and save it. */
  readonly state: State;
  save(): void;
  /** Whether the time that was given is over. */
  isOver(): boolean;
  /** The parts, one a line. */
  describe(): string;
}

/**
 * `asked`: another one begins from nothing, and so does `isFresh`. `minutes`: as many as it takes for 0. `folder`: only tests name
 * another one.
 */
export const openLongRun = <State>(options: {
  name: string;
  asked: unknown;
  schema: z.ZodType<State>;
  begin: () => State;
  isFresh: boolean;
  minutes?: number;
  folder?: string;
}): LongRun<State> => {
  const {
    name,
    schema,
    begin,
    isFresh,
    minutes = 0,
    folder = join(ROOT, "test-results", "proofs"),
  } = options;
  const path = join(folder, `${name}.json`);
  const keptSchema = z.object({ asked: z.string(), parts: z.array(partSchema), state: schema });
  const asked = JSON.stringify(options.asked);
  if (isFresh) rmSync(path, { force: true });
  // One of before, of another form, begins again.
  const kept = existsSync(path)
    ? keptSchema.safeParse(JSON.parse(readFileSync(path, "utf8"))).data
    : undefined;
  const before = kept?.asked === asked ? kept : undefined;
  const state = before?.state ?? begin();
  const began = performance.now();
  const part: z.infer<typeof partSchema> = {
    at: new Date().toISOString(),
    commit: commitNow(),
    seconds: 0,
    load: [loadNow(), loadNow()],
  };
  const parts = [...(before?.parts ?? []), part];
  return {
    state,
    save: () => {
      part.seconds = Math.round((performance.now() - began) / 1_000);
      part.load[1] = loadNow();
      mkdirSync(dirname(path), { recursive: true });
      // Whoever ends this at any moment leaves the last whole one.
      writeFileSync(`${path}.new`, JSON.stringify({ asked, parts, state }));
      renameSync(`${path}.new`, path);
    },
    isOver: () => minutes > 0 && performance.now() >= began + minutes * 60_000,
    describe: () =>
      parts
        .map(
          ({ at, commit, seconds, load: [first, last] }) =>
            `- ${at.slice(0, 16).replace("T", " ")}, ${commit}, ${seconds} s, load ${first.toFixed(1)} to ${last.toFixed(1)}`,
        )
        .join("\n"),
  };
};

/** The machine and what else it does now, in one line. */
export const describeRun = (): string =>
  `${cpus()[0]?.model.trim() ?? "unknown"}, ${availableParallelism()} cores, Node ${process.version}, load ${loadNow().toFixed(1)}`;
