// How a daemon's process is started so that it stays small and idle costs little. bin/agtmux, which also starts one, has the
// same in sh; cli/bin.test.ts checks that both agree.

/**
 * Its heap is small, so parallel collection costs more than it saves; and the space for short-lived objects does not grow to
 * 50 MB with a thousand panes. The last of V8's compilers saves 4 % of a busy daemon's time, and its code alone is 5 MB that
 * stay resident; one thread is enough for the others.
 */
export const DAEMON_NODE_FLAGS: readonly string[] = [
  "--single-threaded-gc",
  "--min-semi-space-size=1",
  "--max-semi-space-size=8",
  "--no-turbofan",
  "--v8-pool-size=1",
];

/**
 * For glibc: blocks larger than this go back to the system when they are freed. Otherwise 10 MB and more that compiling leaves
 * behind would stay resident as long as the daemon runs.
 */
export const DAEMON_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_MMAP_THRESHOLD_: "32768" };

/** It is for the daemon only: its children must not inherit it. */
export const dropDaemonEnvironment = (env: NodeJS.ProcessEnv): void => {
  for (const name of Object.keys(DAEMON_ENVIRONMENT)) delete env[name];
};
