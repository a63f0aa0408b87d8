// Fills the files of the tap, Homebrew's formula and cask and the flake for Nix, with the facts of a release. Pure: makeTap.mjs
// reads and writes the files.
export interface TapFacts {
  readonly version: string;
  /** `owner/name` on GitHub. */
  readonly repository: string;
  /** Hexadecimal SHA-256 of the release's file `agtmux-<version>-<end>`. Throws where there is no such file. */
  readonly sha256Of: (end: string) => string;
}

const FORMS = {
  // A tap follows releases only, and from the address of another Homebrew reads another version.
  VERSION: /^\d+\.\d+\.\d+$/,
  REPOSITORY: /^[\w.-]+\/[\w.-]+$/,
  SHA256: /^[\da-f]{64}$/,
};

/**
 * A template without its first line, which is about the template. Fails where a fact is malformed or the template has a placeholder
 * that nobody knows.
 */
export const fillTap = (template: string, { version, repository, sha256Of }: TapFacts): string => {
  const checked = (name: keyof typeof FORMS, value: string): string => {
    if (!FORMS[name].test(value)) throw new Error(`the tap's ${name} cannot be '${value}'`);
    return value;
  };
  return template
    .slice(template.indexOf("\n") + 1)
    .replaceAll(/@([A-Z\d_]+)( [\w.-]+)?@/g, (found, name: string, end = "") => {
      if (name === "VERSION" && end === "") return checked(name, version);
      if (name === "REPOSITORY" && end === "") return checked(name, repository);
      if (name === "SHA256" && end !== "") return checked(name, sha256Of(String(end).trim()));
      throw new Error(`the tap has an unknown placeholder ${found}`);
    });
};
