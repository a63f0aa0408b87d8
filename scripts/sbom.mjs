// `npm run sbom`: what agtmux is made of, as CycloneDX JSON, from package-lock.json alone. It asks neither a registry nor npm,
// because not every npm can make one (Debian's 9.2 cannot). Development packages are marked optional; Electron is one of them,
// although it is shipped.
import "./checkNode.mjs";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const SPEC_VERSION = "1.5";
const MODULES = "node_modules/";
const target = process.argv[2] ?? join(ROOT, "dist", "sbom.cdx.json");
const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));

/** The name of a package, from its path. The root has its own. */
const nameOf = (path) => packages[path].name ?? path.slice(path.lastIndexOf(MODULES) + MODULES.length);
const refOf = (path) => `${nameOf(path)}@${packages[path].version}`;

/** Where `name` is found from `path`, as Node looks: beside, then further up; undefined where it is not locked. */
const resolve = (path, name) => {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf(`/${MODULES}`)))) {
    const found = folder === "" ? `${MODULES}${name}` : `${folder}/${MODULES}${name}`;
    if (packages[found] !== undefined) return found;
    if (folder === "") return undefined;
  }
};

/** "sha512-<base64> …" as CycloneDX names it. */
const hashesOf = ({ integrity = "" }) =>
  integrity
    .split(" ")
    .filter((part) => part !== "")
    .map((part) => {
      const [, algorithm, digest] = /^sha(\d+)-(.+)$/.exec(part);
      return { alg: `SHA-${algorithm}`, content: Buffer.from(digest, "base64").toString("hex") };
    });

/** Their manifests say it in a form that npm does not copy into the lock file. */
const OTHERWISE_SAID = { ssh2: "MIT" };

const licensesOf = (path) => {
  const license = packages[path].license ?? OTHERWISE_SAID[nameOf(path)];
  if (license === undefined) return [];
  return [/^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }];
};

const componentOf = (path) => {
  const found = packages[path];
  const ref = refOf(path);
  return {
    "bom-ref": ref,
    type: path === "" ? "application" : "library",
    name: nameOf(path),
    version: found.version,
    scope: found.dev || found.optional || found.devOptional ? "optional" : "required",
    purl: `pkg:npm/${ref.replace(/^@/, "%40")}`,
    properties: [
      { name: "cdx:npm:package:path", value: path },
      ...(found.dev ? [{ name: "cdx:npm:package:development", value: "true" }] : []),
    ],
    hashes: hashesOf(found),
    licenses: licensesOf(path),
  };
};

const dependenciesOf = (path) => {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = packages[path];
  const names = Object.keys({
    ...dependencies,
    ...devDependencies,
    ...optionalDependencies,
    ...peerDependencies,
  });
  const found = names.map((name) => resolve(path, name)).filter((one) => one !== undefined);
  return { ref: refOf(path), dependsOn: [...new Set(found.map(refOf))].toSorted() };
};

/** A package may be at several places, with the same version but other dependencies around it: only the first is listed. */
const paths = [
  ...new Map(
    Object.keys(packages)
      .toReversed()
      .map((path) => [refOf(path), path]),
  ).values(),
].toReversed();
const components = paths.filter((path) => path !== "").map(componentOf);
const sbom = {
  $schema: `http://cyclonedx.org/schema/bom-${SPEC_VERSION}.schema.json`,
  bomFormat: "CycloneDX",
  specVersion: SPEC_VERSION,
  serialNumber: `urn:uuid:${randomUUID()}`,
  version: 1,
  metadata: {
    timestamp: new Date().toISOString(),
    lifecycles: [{ phase: "pre-build" }],
    component: componentOf(""),
  },
  components,
  dependencies: paths.map(dependenciesOf),
};
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(`${target}: ${sbom.components.length} components, CycloneDX ${sbom.specVersion}`);
