// Builds into dist/: `node scripts/build.mjs [all|app|renderer|cli]`. `app` is main, preload and renderer. No Electron
// binary is needed. Each part stands alone, so that a change to one does not wait for the others.
import "./checkNode.mjs";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
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

/** Verbs that are used so often that their start matters. They are in run.cjs, all others beside it. */
const QUICK_VERBS = ["list", "status", "complete"];

/** Leaves `import(".../<name>.ts")` to a bundle of its own beside this one. */
const separate = (name) => ({
  name: `${name}-is-separate`,
  setup: (esbuild) =>
    esbuild.onResolve({ filter: new RegExp(`^\\.\\.?/(.*/)?${name}\\.ts$`) }, ({ kind }) =>
      kind === "dynamic-import" ? { path: `./${name}.cjs`, external: true } : undefined,
    ),
});

/** The content of more.cjs: name of the export → source. `connect` starts daemons, and so loads node:child_process. */
const moreParts = () => {
  const verbs = readdirSync(join(ROOT, "cli", "verbs"))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => file.slice(0, -".ts".length))
    .filter((verb) => !QUICK_VERBS.includes(verb));
  return new Map([
    ...verbs.map((verb) => [verb, `cli/verbs/${verb}.ts`]),
    ["help", "cli/grammar/help.ts"],
    ["connect", "core/rpc/connect.ts"],
  ]);
};

/**
 * Takes `import("../verbs/<name>.ts")` of all but the quick verbs from more.cjs. Bundled together, every module of Node that
 * one verb needs would be loaded by all: esbuild evaluates our modules lazily, but not those of Node.
 */
const separateMore = (parts) => ({
  name: "more-is-separate",
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ kind, path }) => {
      if (kind !== "dynamic-import") return undefined;
      const found = [...parts].find(([, source]) => `/${source}`.endsWith(path.replace(/^(\.\.?\/)+/, "/")));
      return found === undefined ? undefined : { path: found[0], namespace: "more" };
    });
    esbuild.onLoad({ filter: /.*/, namespace: "more" }, ({ path }) => ({
      contents: `module.exports = require("./more.cjs")[${JSON.stringify(path)}];`,
    }));
    esbuild.onResolve({ filter: /^\.\/more\.cjs$/ }, ({ path }) => ({ path, external: true }));
  },
});

/**
 * zod's messages in fifty languages are a sixth of the daemon's bundle. We need only one language, which zod loads by itself.
 */
const NO_LOCALES = {
  name: "no-locales",
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /\/locales\/index\.js$/ }, ({ path, importer }) =>
      importer.includes("/node_modules/zod/") ? { path, namespace: "no-locales" } : undefined,
    );
    esbuild.onLoad({ filter: /.*/, namespace: "no-locales" }, () => ({ contents: "export {};" }));
  },
};

/** The picker measures most texts without string-width, which takes 15 ms to load: a call of it does. */
const LAZY_STRING_WIDTH = {
  name: "lazy-string-width",
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /^string-width$/ }, ({ kind }) =>
      kind === "import-statement" ? { path: "string-width", namespace: "lazy" } : undefined,
    );
    esbuild.onLoad({ filter: /.*/, namespace: "lazy" }, ({ path }) => ({
      contents: `export default (text) => require(${JSON.stringify(path)}).default(text);`,
      resolveDir: ROOT,
    }));
  },
};

/**
 * Parts of libraries that we do not use, but that load modules of Node when the library is loaded: importer and what it asks for
 * → what it gets. They are loaded when they are used.
 */
const lazyParts = (parts) => ({
  name: "lazy-parts",
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /^[a-z:_-]+$/ }, ({ path, importer }) => {
      const library = /.*\/node_modules\/([^/]+)\//.exec(importer)?.[1];
      const asked = `${library} ${path}`;
      return asked in parts ? { path: asked, namespace: "lazy-parts" } : undefined;
    });
    esbuild.onLoad({ filter: /.*/, namespace: "lazy-parts" }, ({ path }) => ({
      contents: parts[path],
      resolveDir: ROOT,
    }));
  },
});

/** commander loads it (4 ms) for subcommands that are separate programs. We have none. */
const LAZY_IN_CLI = lazyParts({
  "commander node:child_process":
    'exports.spawn = (...args) => require("node:child_process").spawn(...args);',
});

/** A megabyte of the daemon: for logs written by other threads, for assertions, and for messages between Node processes. */
const LAZY_IN_DAEMON = lazyParts({
  "pino thread-stream":
    'module.exports = function (...args) { return new (require("thread-stream"))(...args); };',
  "pino worker_threads": "exports.isMainThread = true;",
  "sonic-boom assert": 'module.exports = (...args) => require("node:assert")(...args);',
  "execa node:v8": 'exports.serialize = (value) => require("node:v8").serialize(value);',
});

/**
 * Escapes the characters beyond ASCII that esbuild leaves in regular expressions: a single one makes V8 keep the whole text of
 * a bundle in two bytes per character. Elsewhere esbuild has escaped them.
 */
const toAscii = (path) => {
  const text = readFileSync(path, "utf8");
  if (/String\.raw`[^`]*[\u0080-\uffff]/.test(text)) throw new Error(`${path}: a raw text cannot be escaped`);
  // A sign beyond the first plane is one character only in an expression with the flag `u`, which knows this form.
  const escaped = text.replace(/[\u0080-\u{10ffff}]/gu, (sign) => {
    const code = (sign.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
  writeFileSync(path, escaped);
};

const moreEntry = (parts) =>
  [...parts].map(([name, source]) => `export * as ${name} from "./${source}";`).join("\n");

/**
 * CommonJS, because it starts faster than ESM. The entry switches the compile cache on, which only helps files that are
 * loaded after it; run.cjs has the grammar and the quick verbs, socketClient.cjs what needs node:http, picker.cjs the
 * picker, doc.cjs the verbs about documents, more.cjs all others; and the daemon's size would cost every other command 10 ms. `import()` becomes `require()`: Node's loader for modules takes 30 ms to find and read a file.
 */
const buildCli = async () => {
  const { build } = await import("esbuild");
  // Put in its place whole: a command that starts now, or another build, meets the one before or this one.
  const bundle = async (options) => {
    const made = `${options.outfile}.${process.pid}`;
    await build({ ...common, ...options, outfile: made });
    toAscii(made);
    renameSync(made, options.outfile);
  };
  const common = {
    bundle: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    supported: { "dynamic-import": false },
    minifySyntax: true,
    minifyWhitespace: true,
    external: ["better-sqlite3", "ssh2"],
    define: { "import.meta.url": "__importMetaUrl" },
    banner: { js: 'const __importMetaUrl = require("node:url").pathToFileURL(__filename).href;' },
    legalComments: "none",
    logLevel: "warning",
  };
  const parts = moreParts();
  await bundle({
    entryPoints: [join(ROOT, "cli", "grammar", "run.ts")],
    outfile: join(CLI_DIR, "run.cjs"),
    plugins: [
      separate("daemon"),
      separate("socketClient"),
      separate("picker"),
      separate("doc"),
      separateMore(parts),
      LAZY_IN_CLI,
    ],
  });
  await bundle({
    entryPoints: [join(ROOT, "core", "rpc", "socketClient.ts")],
    outfile: join(CLI_DIR, "socketClient.cjs"),
  });
  await bundle({
    entryPoints: [join(ROOT, "cli", "picker", "picker.ts")],
    outfile: join(CLI_DIR, "picker.cjs"),
    plugins: [LAZY_STRING_WIDTH],
  });
  await bundle({
    entryPoints: [join(ROOT, "cli", "doc", "doc.ts")],
    outfile: join(CLI_DIR, "doc.cjs"),
    plugins: [NO_LOCALES],
  });
  await bundle({
    stdin: { contents: moreEntry(parts), resolveDir: ROOT, loader: "ts" },
    outfile: join(CLI_DIR, "more.cjs"),
    plugins: [separate("daemon")],
  });
  await bundle({
    entryPoints: [join(ROOT, "cli", "host", "daemon.ts")],
    outfile: join(CLI_DIR, "daemon.cjs"),
    plugins: [NO_LOCALES, LAZY_IN_DAEMON, separate("socketClient"), separateMore(parts)],
  });
  // Written last, because its age tells whether the bundle is newer than the sources.
  await bundle({
    entryPoints: [join(ROOT, "cli", "main.ts")],
    outfile: join(CLI_DIR, "agtmux.cjs"),
    plugins: [separate("run"), separate("daemon")],
  });
};

const part = process.argv[2] ?? "all";
if (!PARTS.includes(part)) {
  console.error(`usage: node scripts/build.mjs [${PARTS.join("|")}]`);
  process.exit(2);
}
if (part !== "cli") await buildApp(part === "renderer");
if (part === "all" || part === "cli") await buildCli();
