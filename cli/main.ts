// Entry of the command line. It switches the compile cache on before anything else is loaded, and starts the run.
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { checkHome, resolveHome } from "../core/rpc/paths.ts";

/** Compiled code is kept in our own home only: a shared folder such as /tmp could be prepared by someone else. */
const useCompileCache = (): void => {
  const home = resolveHome(process.env, homedir());
  try {
    if (checkHome(home)) enableCompileCache(join(home, "cache"));
  } catch {
    // An unsafe home is reported by the command itself; help and --version work without one.
  }
};

useCompileCache();
import("./run.ts")
  .then(({ runCli }) => runCli(process.argv.slice(2)))
  .catch((error: unknown) => {
    process.stderr.write(`agtmux: ${error instanceof Error ? error.message : String(error)} [E_INTERNAL].\n`);
    process.exitCode = 70;
  });
