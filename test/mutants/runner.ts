// A process of its own that runs test files of a copy of the code, for as long as it is asked to: one standing Vitest, which
// keeps what it transformed, and a fresh worker for each file. It can hang, because a mutant can, and is then ended and begun anew
// by whoever started it.
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { createVitest, type Reporter, type TestModule, type TestSpecification } from "vitest/node";
import * as z from "zod";
import { findLeftProcesses, untilWorkersEnd } from "../setup/runRoot.ts";

export const requestSchema = z.object({
  files: z.array(z.string()),
  /** The first test that fails after its second attempt ends the run. */
  stopsAtFailure: z.boolean(),
});

const outcomeSchema = z.object({
  file: z.string(),
  isOk: z.boolean(),
  ms: z.number(),
  /** On the system's clock. */
  from: z.number(),
  to: z.number(),
});
export type Outcome = z.infer<typeof outcomeSchema>;

export const replySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready"), files: z.array(z.string()) }),
  z.object({ kind: z.literal("file"), outcome: outcomeSchema }),
  z.object({ kind: z.literal("failed"), file: z.string(), test: z.string() }),
  z.object({ kind: z.literal("over"), errors: z.array(z.string()) }),
]);
type Reply = z.infer<typeof replySchema>;

const tell = (reply: Reply): void => void process.send?.(reply);

const serve = async (root: string): Promise<void> => {
  const startedAt = new Map<string, number>();
  let stopsAtFailure = false;
  const fileOf = ({ moduleId }: TestModule | TestSpecification): string => relative(root, moduleId);
  const fail = (file: string, test: string): void => {
    tell({ kind: "failed", file, test });
    if (stopsAtFailure) void vitest.cancelCurrentRun("test-failure");
  };
  const reporter: Reporter = {
    onTestModuleQueued: (module) => void startedAt.set(fileOf(module), Date.now()),
    onTestCaseResult: (test) => {
      if (test.result().state === "failed") fail(fileOf(test.module), test.fullName);
    },
    onTestModuleEnd: (module) => {
      const file = fileOf(module);
      const state = module.state();
      if (state === "failed") fail(file, "");
      const [from, to] = [startedAt.get(file) ?? Date.now(), Date.now()];
      tell({ kind: "file", outcome: { file, isOk: state !== "failed", ms: to - from, from, to } });
    },
  };
  const vitest = await createVitest(
    {
      root,
      watch: false,
      // A file that shared its worker with another one would keep the modules of the mutant before.
      isolate: true,
      cache: false,
      // Whoever works beside this is not to be slowed down, nor a test to fail because it was.
      maxWorkers: availableParallelism(),
      reporters: [reporter],
      sequence: {
        sequencer: class {
          shard = keep;
          sort = keep;
        },
      },
    },
    { cacheDir: join(root, ".mutants", "cache") },
  );
  for (const { config } of vitest.projects) config.setupFiles.unshift(join(root, ".mutants", "setup.mjs"));
  const specifications = new Map((await vitest.globTestSpecifications()).map((one) => [fileOf(one), one]));

  const run = async ({ files, stopsAtFailure: stops }: z.infer<typeof requestSchema>): Promise<void> => {
    stopsAtFailure = stops;
    const wanted = files.flatMap((file) => specifications.get(file) ?? []);
    const { unhandledErrors } = await vitest.runTestSpecifications(wanted);
    // Who ends the browser of a worker before its page is closed makes an error that looks as if a test had noticed something.
    await untilWorkersEnd();
    for (const { pid } of findLeftProcesses(process.env["TMPDIR"] ?? root)) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended meanwhile.
      }
    }
    tell({
      kind: "over",
      errors: unhandledErrors.map((error) =>
        (error instanceof Error ? error.message : JSON.stringify(error)).slice(0, 200),
      ),
    });
  };
  process.on("message", (message) => void run(requestSchema.parse(message)));
  process.on("disconnect", () => process.exit());
  tell({ kind: "ready", files: [...specifications.keys()] });
};

/** In the order in which they were asked for. */
const keep = (files: TestSpecification[]): TestSpecification[] => files;

if (process.argv[1] === import.meta.filename) await serve(process.argv[2] ?? process.cwd());
