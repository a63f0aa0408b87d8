// `npm run lock`, after a change of the dependencies in package.json: updates package-lock.json, and removes from it what
// optional packages demand of Node. npm compares that demand with the Node on which npm itself runs, not with the one that uses
// the packages, and skips them silently: Debian 12 has Node 18, and would be without compiler and linter.
import "./checkNode.mjs";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const FILE = join(ROOT, "package-lock.json");

execFileSync("npm", ["install", "--package-lock-only"], { cwd: ROOT, stdio: "inherit" });
const lock = JSON.parse(readFileSync(FILE, "utf8"));
for (const entry of Object.values(lock.packages))
  if (entry.optional || entry.devOptional) delete entry.engines;
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
