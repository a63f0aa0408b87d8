// Entry of the command line: runs a verb, with the compile cache switched on before anything else is loaded, or the daemon. The
// grammar is in cli/grammar.
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { checkHome, resolveHome } from "../core/rpc/paths.ts";
import type { DaemonRunOptions } from "./host/daemon.ts";

/** Compiled code is kept in our own home only: a shared folder such as /tmp could be prepared by someone else. */
const useCompileCache = (): void => {
  const home = resolveHome(process.env, homedir());
  try {
    if (checkHome(home)) enableCompileCache(join(home, "cache"));
  } catch {
    // An unsafe home is reported by the command itself; help and --version work without one.
  }
};

const runVerb = async (args: readonly string[]): Promise<void> => {
  useCompileCache();
  await (await import("./grammar/run.ts")).runCli(args);
};

/** The options of `daemon run`, or null for every other command and whatever the grammar has to refuse. */
const asDaemon = ([first, second, ...words]: readonly string[]): DaemonRunOptions | null => {
  const isKnown = words.every((word) => word === "--on-demand" || word === "--foreground");
  return first === "daemon" && second === "run" && isKnown
    ? { onDemand: words.includes("--on-demand"), foreground: words.includes("--foreground") }
    : null;
};

/** Without the compile cache, which would keep a megabyte resident for a start that is no faster. */
const runDaemon = async (options: DaemonRunOptions): Promise<void> =>
  (await import("./host/daemon.ts")).runDaemonProcess(options);

const args = process.argv.slice(2);
const daemon = asDaemon(args);
(daemon === null ? runVerb(args) : runDaemon(daemon)).catch((error: unknown) => {
  process.stderr.write(`agtmux: ${error instanceof Error ? error.message : String(error)} [E_INTERNAL].\n`);
  process.exitCode = 70;
});
