// Writes docs/cli.md and the man page docs/agtmux.1 from the grammar: `npm run docs`. A test keeps them current.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createBareProgram } from "../cli/grammar/run.ts";
import { renderMarkdown, toPage, renderRoff } from "../cli/reference/pages.ts";

const ROOT = join(import.meta.dirname, "..");
const root = toPage(createBareProgram());
await writeFile(join(ROOT, "docs", "cli.md"), renderMarkdown(root));
await writeFile(join(ROOT, "docs", "agtmux.1"), renderRoff(root));
