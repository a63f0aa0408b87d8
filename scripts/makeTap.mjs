// `node scripts/makeTap.mjs <folder with the release's files> <owner/repository> <folder to write>`: what the tap of this version
// holds, for the release workflow: Homebrew's formula of the command line, its cask of the app, and a flake for Nix.
import "./checkNode.mjs";
import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

// Not imported above, because an older Node would load it before checkNode.mjs runs.
const { fillTap } = await import("./fillTap.ts");

const ROOT = join(import.meta.dirname, "..");
const TEMPLATES = join(ROOT, "scripts", "packaging", "tap");
const [folder, repository, target] = process.argv.slice(2);
if (target === undefined) {
  console.error("usage: node scripts/makeTap.mjs <folder> <owner/repository> <folder to write>");
  process.exit(2);
}
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const sha256Of = (end) =>
  createHash("sha256")
    .update(readFileSync(join(folder, `agtmux-${version}-${end}`)))
    .digest("hex");
for (const file of globSync("**/*.{rb,nix}", { cwd: TEMPLATES })) {
  const text = fillTap(readFileSync(join(TEMPLATES, file), "utf8"), { version, repository, sha256Of });
  mkdirSync(dirname(join(target, file)), { recursive: true });
  writeFileSync(join(target, file), text);
  console.log(join(target, file));
}
