// `node scripts/makeCask.mjs <folder with both disk images> <owner/repository> <file to write>`: Homebrew's cask of this
// version, for the release workflow.
import "./checkNode.mjs";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// Not imported above, because an older Node would load it before checkNode.mjs runs.
const { fillCask } = await import("./fillCask.ts");

const ROOT = join(import.meta.dirname, "..");
const [folder, repository, file] = process.argv.slice(2);
if (file === undefined) {
  console.error("usage: node scripts/makeCask.mjs <folder> <owner/repository> <file>");
  process.exit(2);
}
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const sha256Of = (arch) =>
  createHash("sha256")
    .update(readFileSync(join(folder, `agtmux-${version}-mac-${arch}.dmg`)))
    .digest("hex");
const template = readFileSync(join(ROOT, "scripts", "packaging", "homebrew", "agtmux.rb"), "utf8");
const sha256 = { arm64: sha256Of("arm64"), x64: sha256Of("x64") };
// The first line is about the template.
const cask = fillCask(template.slice(template.indexOf("cask ")), { version, repository, sha256 });
writeFileSync(file, cask);
