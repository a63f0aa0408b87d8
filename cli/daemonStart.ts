// How a daemon's process is started so that it stays small and idle costs little. bin/agtmux, which starts one by hand, says
// the same in sh; cli/bin.test.ts holds them together.

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
 * For glibc: blocks larger than this go back to the system when they are freed. Otherwise what compiling leaves behind would
 * stay resident for as long as the daemon runs, 10 MB and more.
 */
export const DAEMON_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_MMAP_THRESHOLD_: "32768" };

/** It is the daemon's own: what the daemon starts must not inherit it. */
export const dropDaemonEnvironment = (env: NodeJS.ProcessEnv): void => {
  for (const name of Object.keys(DAEMON_ENVIRONMENT)) delete env[name];
};
