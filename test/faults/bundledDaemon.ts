// The command line as one file: a daemon that is started a thousand times must not load three hundred sources each time. Its
// schema has further steps (nextMigrations.ts); nothing else differs from the product.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, stop, type Plugin } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NEXT_MIGRATIONS = fileURLToPath(new URL("nextMigrations.ts", import.meta.url));

const withNextMigrations: Plugin = {
  name: "next migrations",
  setup: (bundling) => {
    bundling.onResolve({ filter: /\/migrations\.ts$/ }, ({ importer }) =>
      importer === NEXT_MIGRATIONS ? null : { path: NEXT_MIGRATIONS },
    );
  },
};

let bundled: Promise<string> | null = null;

/** Made again once in each process, removed with its end: never older than the sources. */
export const bundleDaemon = (): Promise<string> =>
  (bundled ??= (async () => {
    // Below the root, where it finds package.json, the resources and the native module.
    const outfile = join(ROOT, "node_modules", ".cache", "agtmux-faults", `${process.pid}.cjs`);
    process.once("exit", () => rmSync(outfile, { force: true }));
    await build({
      entryPoints: [join(ROOT, "cli", "main.ts")],
      outfile,
      bundle: true,
      platform: "node",
      target: "node24",
      format: "cjs",
      supported: { "dynamic-import": false },
      external: ["better-sqlite3", "ssh2"],
      define: { "import.meta.url": "__importMetaUrl" },
      banner: { js: 'const __importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
      plugins: [withNextMigrations],
      logLevel: "error",
    });
    // Its service would outlive the tests.
    await stop();
    return outfile;
  })());
