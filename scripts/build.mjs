// Builds into dist/: `node scripts/build.mjs [all|app|renderer|cli]`. `app` is main, preload and renderer. No Electron
// binary is needed. Each part stands alone, so that a change to one does not wait for the others.
import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const PARTS = ["all", "app", "renderer", "cli"];

/** The electron-vite configuration, or only its renderer. */
const buildApp = async (isRendererOnly) => {
  const { build } = await import("electron-vite");
  if (!existsSync(join(ROOT, "renderer", "index.html"))) {
    if (isRendererOnly) throw new Error("there is no renderer/index.html to build");
    console.warn("renderer/index.html is missing: building main and preload only");
  }
  if (!isRendererOnly) {
    await build({ root: ROOT, logLevel: "warn" });
    return;
  }
  const { resolveConfig } = await import("electron-vite");
  const { build: viteBuild } = await import("vite");
  const { config } = await resolveConfig({ root: ROOT, logLevel: "warn" }, "build", "production");
  await viteBuild({ ...config.renderer, configFile: false });
};

const CLI_DIR = join(ROOT, "dist", "cli");

/** Leaves `import("./<name>.ts")`, from the folder or one below, to a bundle of its own beside this one. */
const separate = (name) => ({
  name: `${name}-is-separate`,
  setup: (esbuild) =>
    esbuild.onResolve({ filter: new RegExp(`^\\.\\.?/${name}\\.ts$`) }, ({ kind }) =>
      kind === "dynamic-import" ? { path: `./${name}.cjs`, external: true } : undefined,
    ),
});

/**
 * CommonJS, because it starts faster than ESM. Three files: the entry switches the compile cache on, which only helps files
 * that are loaded after it; the run, within which `import("./verbs/x.ts")` evaluates a verb on first use; and the daemon,
 * whose size would cost every other command 10 ms.
 */
const buildCli = async () => {
  const { build } = await import("esbuild");
  const common = {
    bundle: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    minifySyntax: true,
    minifyWhitespace: true,
    external: ["better-sqlite3", "ssh2"],
    define: { "import.meta.url": "__importMetaUrl" },
    banner: { js: 'const __importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
    legalComments: "none",
    logLevel: "warning",
  };
  await build({
    ...common,
    entryPoints: [join(ROOT, "cli", "run.ts")],
    outfile: join(CLI_DIR, "run.cjs"),
    plugins: [separate("daemon")],
  });
  await build({
    ...common,
    entryPoints: [join(ROOT, "cli", "daemon.ts")],
    outfile: join(CLI_DIR, "daemon.cjs"),
  });
  // Last, because its age tells whether the bundle is newer than the sources.
  await build({
    ...common,
    entryPoints: [join(ROOT, "cli", "main.ts")],
    outfile: join(CLI_DIR, "agtmux.cjs"),
    plugins: [separate("run")],
  });
};

const part = process.argv[2] ?? "all";
if (!PARTS.includes(part)) {
  console.error(`usage: node scripts/build.mjs [${PARTS.join("|")}]`);
  process.exit(2);
}
if (part !== "cli") await buildApp(part === "renderer");
if (part === "all" || part === "cli") await buildCli();
