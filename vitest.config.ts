// The suites, by the suffix of a file. `npm test` runs the short ones, `npm run test:all` all of them:
//
//   x.test.ts        short    x.e2e.ts        short, in Chromium
//   x.slow.test.ts   long     x.slow.e2e.ts   long, in Chromium
//
// A short file takes at most five seconds (scripts/test.mjs holds that).
import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { measureSlowness } from "./test/setup/machine.ts";
import { ONE_RETRY, PASSED, reporters, RunSequencer } from "./test/setup/reporting.ts";

const TESTS = "{core,adapters,features,editors,cli,main,ui,renderer,test}/**/*";
const LONG = { isolate: true, retry: ONE_RETRY };
// A minute and a half of waiting: `npm run test:tmux` runs it whole, every other run what takes ten seconds of it.
const WHOLE_NEIGHBOUR =
  process.env["AGTMUX_NEIGHBOUR"] === "whole"
    ? []
    : ["test/neighbour/{clients,differences,sessions,status}.slow.test.ts"];
const SLOWNESS = measureSlowness();
const IS_SLOW = SLOWNESS >= 2;
/** What ends a test that hangs; what a test holds its subject to is in the test. */
const HANGS_MS = 30_000 * SLOWNESS;
const IN_CHROMIUM = { testTimeout: 2 * HANGS_MS, hookTimeout: 2 * HANGS_MS };
// They wait for processes more than they compute: more at once than cores, unless the processor is so slow that they compute more.
const WORKERS = IS_SLOW ? availableParallelism() + 1 : Math.max(5, availableParallelism());
const NEVER = [...configDefaults.exclude, ...PASSED];

export default defineConfig({
  test: {
    maxWorkers: WORKERS,
    // Of one file: each drives an agent, and one daemon follows them all.
    maxConcurrency: IS_SLOW ? 2 : 5,
    reporters: [...reporters],
    sequence: { sequencer: RunSequencer },
    projects: [
      {
        extends: true,
        test: {
          name: "short",
          include: [`${TESTS}.test.{ts,tsx}`],
          exclude: [...NEVER, "**/*.slow.test.{ts,tsx}"],
        },
      },
      {
        extends: true,
        test: {
          name: "long",
          ...LONG,
          include: [`${TESTS}.slow.test.{ts,tsx}`],
          exclude: [...NEVER, ...WHOLE_NEIGHBOUR],
        },
      },
      {
        extends: true,
        test: {
          name: "short-e2e",
          ...IN_CHROMIUM,
          include: ["e2e/**/*.e2e.ts"],
          exclude: [...NEVER, "**/*.slow.e2e.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "long-e2e",
          ...IN_CHROMIUM,
          ...LONG,
          // The files of a worker share a browser and a page.
          isolate: false,
          include: ["e2e/**/*.slow.e2e.ts"],
          exclude: NEVER,
        },
      },
    ],
    // The modules of the product keep no state of their own (style rule), so that the files of a worker share them.
    isolate: false,
    globalSetup: ["test/setup/runRoot.ts"],
    setupFiles: ["test/setup/guardHome.ts"],
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
  },
});
