// How the desktop app is bundled: main as ESM, the sandboxed preload as one CommonJS file, the popover as a static folder
// with relative addresses that both the app and the browser bridge serve.
import { existsSync } from "node:fs";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "electron-vite";

const root = import.meta.dirname;
const entryOf = (path: string): string => join(root, path);

/** Native, with optional native parts, or part of the runtime: stays outside the bundles. */
const EXTERNAL = ["electron", "better-sqlite3", "ssh2", /^node:/];

export default defineConfig({
  main: {
    build: {
      outDir: "dist/main",
      externalizeDeps: false,
      sourcemap: true,
      rollupOptions: {
        input: { index: entryOf("main/index.ts") },
        external: EXTERNAL,
        output: { format: "es", entryFileNames: "[name].js" },
      },
    },
  },
  preload: {
    build: {
      outDir: "dist/preload",
      externalizeDeps: false,
      rollupOptions: {
        input: { index: entryOf("preload/index.ts") },
        external: ["electron"],
        output: { format: "cjs", entryFileNames: "[name].cjs" },
      },
    },
  },
  // A checkout without the popover's sources still builds the rest.
  ...(existsSync(entryOf("renderer/index.html"))
    ? {
        renderer: {
          root: entryOf("renderer"),
          base: "./",
          plugins: [react()],
          build: {
            outDir: entryOf("dist/renderer"),
            emptyOutDir: true,
            minify: true,
            // Inlined assets would need a looser content security policy.
            assetsInlineLimit: 0,
            modulePreload: { polyfill: false },
            rollupOptions: { input: entryOf("renderer/index.html") },
          },
        },
      }
    : {}),
});
