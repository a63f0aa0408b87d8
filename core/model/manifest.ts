// The manifest of an installation, its package.json: which version it is of, and what the scripts that made it wrote into it for
// `agtmux upgrade`. Every command reads it first, so zod is not loaded for it. Reading the file is not done here.

export interface Manifest {
  readonly version: string;
  /** The address of releases; null: nobody has named one. */
  readonly releases: string | null;
  /** The system (`linux-x64`) that the installation is an archive for; null: it came in another way. */
  readonly archive: string | null;
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Null for the manifest of something else. @throws SyntaxError for text that is no JSON. */
export const parseManifest = (text: string): Manifest | null => {
  const manifest: { name?: unknown; version?: unknown; agtmux?: { releases?: unknown; archive?: unknown } } =
    JSON.parse(text);
  if (manifest.name !== "agtmux" || typeof manifest.version !== "string") return null;
  return {
    version: manifest.version,
    releases: textOrNull(manifest.agtmux?.releases),
    archive: textOrNull(manifest.agtmux?.archive),
  };
};
