// The command line that suites start as a process: the built bundle, which starts in half the time, unless a source is newer. The
// same choice as bin/agtmux makes.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SOURCES = ["cli", "core", "adapters", "features", "ui"];

const isSource = (name: string): boolean => name.endsWith(".ts") && !name.endsWith(".test.ts");

const isNewerThan = (at: number, folder: string): boolean =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).some(
    (name) => isSource(name) && statSync(join(folder, name)).mtimeMs > at,
  );

const findEntry = (): string => {
  const bundle = join(ROOT, "dist/cli/agtmux.cjs");
  const source = join(ROOT, "cli/main.ts");
  if (!existsSync(bundle)) return source;
  const builtAt = statSync(bundle).mtimeMs;
  return SOURCES.some((folder) => isNewerThan(builtAt, join(ROOT, folder))) ? source : bundle;
};

export const CLI_ENTRY = findEntry();
