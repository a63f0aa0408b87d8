// The bill of materials: everything of the lock file is in it, once, with its version and hash, and every reference in it
// leads somewhere.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What CycloneDX 1.5 demands of the parts that are used. */
const componentSchema = z.object({
  "bom-ref": z.string().min(1),
  type: z.enum(["application", "framework", "library"]),
  name: z.string().min(1),
  version: z.string().min(1),
  purl: z.string().regex(/^pkg:npm\/(%40[^/]+\/)?[^@/]+@/),
  scope: z.enum(["required", "optional"]),
  licenses: z.array(
    z.union([z.object({ license: z.object({ id: z.string() }) }), z.object({ expression: z.string() })]),
  ),
  hashes: z.array(z.object({ alg: z.string(), content: z.string().regex(/^[0-9a-f]+$/) })).optional(),
});
const sbomSchema = z.object({
  bomFormat: z.literal("CycloneDX"),
  specVersion: z.string().regex(/^1\.[5-9]$/),
  serialNumber: z.string().regex(/^urn:uuid:[0-9a-f-]{36}$/),
  version: z.literal(1),
  metadata: z.object({ timestamp: z.iso.datetime(), component: componentSchema }),
  components: z.array(componentSchema),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()).optional() })),
});
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ name: z.string().optional(), version: z.string().optional(), link: z.boolean().optional() }),
  ),
});

let folder: string;
let sbom: z.infer<typeof sbomSchema>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-sbom-"));
  const file = join(folder, "sbom.json");
  execFileSync(process.execPath, [join(ROOT, "scripts", "sbom.mjs"), file], {
    stdio: ["ignore", "ignore", "pipe"],
    // No npm: not every one can make it.
    env: { PATH: folder },
  });
  sbom = sbomSchema.parse(JSON.parse(readFileSync(file, "utf8")));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

it("names the product and every package of the lock file with its version", () => {
  expect(sbom.metadata.component.name).toBe("agtmux");
  const lock = lockSchema.parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")));
  const locked = Object.entries(lock.packages)
    .filter(([path, { link }]) => path !== "" && link !== true)
    .map(
      ([path, { name, version }]) =>
        `${name ?? path.slice(path.lastIndexOf("node_modules/") + 13)}@${version}`,
    );
  expect(locked.length).toBeGreaterThan(100);
  const listed = new Set(sbom.components.map(({ name, version }) => `${name}@${version}`));
  expect([...new Set(locked)].filter((one) => !listed.has(one))).toEqual([]);
  expect([...listed].filter((one) => !locked.includes(one))).toEqual([]);
});

it("holds each once, and no reference leads nowhere", () => {
  const refs = sbom.components.map((component) => component["bom-ref"]);
  expect(new Set(refs).size).toBe(refs.length);
  const known = new Set([...refs, sbom.metadata.component["bom-ref"]]);
  const dangling = sbom.dependencies.flatMap(({ ref, dependsOn = [] }) =>
    [ref, ...dependsOn].filter((one) => !known.has(one)),
  );
  expect(dangling).toEqual([]);
  expect(sbom.components.filter(({ hashes = [] }) => hashes.length === 0).map(({ name }) => name)).toEqual(
    [],
  );
});

/** May be passed on with a program under another licence, as long as their text goes along. */
const MAY_BE_SHIPPED =
  /^(?:MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|Python-2\.0|BlueOak-1\.0\.0|Unlicense|\(MIT OR CC0-1\.0\))$/;

it("says the licence of every dependency that is shipped, and each may be", () => {
  const shipped = sbom.components.filter(({ scope }) => scope === "required");
  expect(shipped.length).toBeGreaterThan(50);
  const said = shipped.map(({ name, licenses }) => ({
    name,
    licences: licenses.map((one) => ("license" in one ? one.license.id : one.expression)),
  }));
  expect(
    said.filter(
      ({ licences }) => licences.length !== 1 || !licences.every((one) => MAY_BE_SHIPPED.test(one)),
    ),
  ).toEqual([]);
});
