import { defineConfig } from "vitest/config";
import { ONE_RETRY, reporters } from "../test/setup/reporting.ts";

// Two browsers at a time: the machines that run this are small, and most tests wait for a person's pace.
export default defineConfig({
  test: {
    include: ["e2e/**/*.e2e.ts"],
    // Most suites drive real processes on machines that are busy with others.
    retry: ONE_RETRY,
    reporters: [...reporters],
    globalSetup: ["test/setup/runRoot.ts"],
    setupFiles: ["test/setup/guardHome.ts"],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
