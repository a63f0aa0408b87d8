// `npm run sbom`: what agtmux is made of, as CycloneDX JSON, from package-lock.json alone: nothing is asked of a registry.
// Development packages are marked optional; Electron is one of them and is shipped all the same.
import "./checkNode.mjs";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const target = process.argv[2] ?? join(ROOT, "dist", "sbom.cdx.json");

const args = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only"];
const text = execFileSync("npm", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 28 });
const sbom = JSON.parse(text);
// npm names the root after the folder that it was cloned into.
sbom.metadata.component.name = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).name;
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(`${target}: ${sbom.components.length} components, CycloneDX ${sbom.specVersion}`);
