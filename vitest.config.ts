import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { ONE_RETRY, reporters } from "./test/setup/reporting.ts";

export default defineConfig({
  test: {
    include: [
      "core/**/*.test.ts",
      "adapters/**/*.test.ts",
      "features/**/*.test.ts",
      "editors/**/*.test.ts",
      "cli/**/*.test.ts",
      "main/**/*.test.ts",
      "ui/**/*.test.ts",
      "renderer/**/*.test.{ts,tsx}",
      "test/**/*.test.ts",
    ],
    // A minute and a half of waiting: `npm run test:tmux` runs it whole, every other run what takes ten seconds of it.
    exclude: [
      ...configDefaults.exclude,
      ...(process.env["AGTMUX_NEIGHBOUR"] === "whole"
        ? []
        : ["test/neighbour/{clients,differences,sessions,status}.test.ts"]),
    ],
    // They wait for processes more than they compute: more at once than cores.
    maxWorkers: Math.max(5, availableParallelism()),
    // Most suites drive real processes on machines that are busy with others.
    retry: ONE_RETRY,
    reporters: [...reporters],
    globalSetup: ["test/setup/runRoot.ts"],
    setupFiles: ["test/setup/guardHome.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
