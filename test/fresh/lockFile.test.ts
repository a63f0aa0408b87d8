// The lock file as an npm reads it that runs on an older Node than we do.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import * as z from "zod";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      optional: z.boolean().optional(),
      devOptional: z.boolean().optional(),
      engines: z.unknown().optional(),
    }),
  ),
});
const { packages } = lockSchema.parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")));

it("leaves no package out for the sake of the Node that npm runs on ('npm run lock' keeps it so)", () => {
  const leftOut = Object.entries(packages)
    .filter(([, { optional, devOptional, engines }]) => (optional ?? devOptional) && engines !== undefined)
    .map(([path]) => path);
  expect(leftOut).toEqual([]);
});
