// Fills a `share` folder with the completions, the man page and the licences of what is in the package, for every package that is
// made. Needs the built command line.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
/** Where each shell looks below a `share` folder. */
const COMPLETIONS = {
  bash: "bash-completion/completions/agtmux",
  zsh: "zsh/site-functions/_agtmux",
  fish: "fish/vendor_completions.d/agtmux.fish",
};

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** What the bill of materials lists as part of the product: our dependencies and theirs, bundled or not. */
const readComponents = () => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-bom-"));
  try {
    const file = join(folder, "sbom.json");
    execFileSync(process.execPath, [join(ROOT, "scripts", "sbom.mjs"), file], { stdio: "ignore" });
    return JSON.parse(readFileSync(file, "utf8")).components.filter(({ scope }) => scope === "required");
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** Of a module that names the MIT licence and brings no text of it: the same words as ours, with its own author. */
const mitOf = (folder) => {
  const { author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const ours = readFileSync(join(ROOT, "LICENSE"), "utf8").trim();
  return ours.replace(/^Copyright.*$/m, `Copyright (c) ${author?.name ?? author}`);
};

const licenceOf = ({ name, version, licenses, properties }) => {
  const folder = join(ROOT, properties.find((one) => one.name === "cdx:npm:package:path").value);
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), "utf8").trim());
  const named = licenses.map(({ license, expression }) => license?.id ?? expression).join(", ");
  if (texts.length === 0 && named === "MIT") texts.push(mitOf(folder));
  return [`${name} ${version}: ${named}`, ...texts, ""].join("\n\n");
};

/** The text of each licence, which most of them want to be passed on. Node's and Electron's lie beside their programs. */
const makeLicences = (file) => {
  mkdirSync(dirname(file), { recursive: true });
  const parts = readComponents().map(licenceOf);
  writeFileSync(file, ["agtmux has these modules in it.", ...parts].join(`\n\n${"-".repeat(80)}\n\n`));
};

export const makeShare = (share) => {
  for (const [shell, path] of Object.entries(COMPLETIONS)) {
    const args = [join(ROOT, "dist", "cli", "agtmux.cjs"), "completions", shell];
    mkdirSync(dirname(join(share, path)), { recursive: true });
    writeFileSync(join(share, path), execFileSync(process.execPath, args, { maxBuffer: 1 << 24 }));
  }
  cpSync(join(ROOT, "docs", "agtmux.1"), join(share, "man", "man1", "agtmux.1"));
  makeLicences(join(share, "doc", "agtmux", "LICENCES.txt"));
};
