// The steps of a release in their order, what each is for and which secrets it may see, and what must be true before a tag is pushed.
// Their commands are in .github/workflows/release.yml alone. Pure: release.mjs reads the files and prints.

export interface ReleaseStep {
  readonly job: "check" | "test" | "package" | "publish";
  /** As in the workflow. */
  readonly name: string;
  readonly what: string;
  /** Names of secrets and variables of the repository; each may be missing. */
  readonly secrets: readonly string[];
}

const step = (
  job: ReleaseStep["job"],
  name: string,
  what: string,
  secrets: readonly string[] = [],
): ReleaseStep => ({ job, name, what, secrets });

export const RELEASE_STEPS: readonly ReleaseStep[] = [
  step(
    "check",
    "The tag is this version",
    "tag, package.json, lock file, CHANGELOG and the kept database agree",
  ),
  step("test", "The whole test", "every suite, on Linux and on macOS"),
  step("test", "The test of the packages", "what is in each package, and that one replaces the other"),
  step(
    "package",
    "Detection packs, where there is their key",
    "one of each agent, signed; every package has them, and the release as files",
    ["PACK_KEY"],
  ),
  step(
    "package",
    "Archives",
    "for Linux and macOS, with the Node in them; this machine's is tried without any other Node",
  ),
  step(
    "package",
    "The package for npm, which is the same for every system",
    "made once, installed and started",
  ),
  step("package", "Apple's key, where there is one", "for the notarisation", ["APPLE_API_KEY"]),
  step(
    "package",
    "The app, as dmg and zip on macOS, as deb and AppImage on Linux",
    "signed by the developer and notarised where the secrets are there, else ad hoc",
    ["CSC_LINK", "CSC_KEY_PASSWORD", "APPLE_API_KEY_ID", "APPLE_API_ISSUER"],
  ),
  step(
    "package",
    "The command line of the app runs in the real Electron",
    "and on macOS the signature holds",
  ),
  step("publish", "Bill of materials", "every dependency with version, hash and licence, as CycloneDX"),
  step("publish", "Checksums", "SHA256SUMS of all files"),
  step("publish", "Where each file comes from", "signed by GitHub: this workflow, this commit"),
  step(
    "publish",
    "The tap's files",
    "Homebrew's formula and cask and Nix's flake, with the sums; not of a release candidate",
  ),
  step(
    "publish",
    "Release notes, and the release",
    "the section of CHANGELOG.md, and all files: from here on it is public",
  ),
  step("publish", "npm's registry, where there is a token", "the package for npm", ["NPM_TOKEN"]),
  // After the release, because its addresses have to answer.
  step(
    "publish",
    "The tap, where there is one",
    "pushed to the tap's repository; not of a release candidate",
    ["HOMEBREW_TAP", "TAP_TOKEN"],
  ),
];

export interface ReleaseFacts {
  /** `v1.0.0`. */
  readonly tag: string;
  /** Of package.json. */
  readonly version: string;
  /** Of package-lock.json. */
  readonly lockedVersion: string;
  readonly changelog: string;
  /** Newest schema of the database, and those of which a file is kept. */
  readonly schema: number;
  readonly keptSchemas: readonly number[];
}

const VERSION = /^\d+\.\d+\.\d+(?:-rc\.\d+)?$/;
const sectionsOf = (changelog: string): { title: string; text: string }[] =>
  changelog
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf("\n");
      return { title: part.slice(0, end).trim(), text: part.slice(end).trim() };
    });

/**
 * The words of CHANGELOG.md for a version; a candidate has those of its release. `address`: of the repository, for the links to its
 * files, which lead nowhere on the page of a release otherwise. Throws where there are none.
 */
export const notesOf = (changelog: string, version: string, address: string | null): string => {
  const [release = version] = version.split("-");
  const found = sectionsOf(changelog).find(({ title }) => title.split(" ")[0] === release);
  if (found === undefined || found.text === "") throw new Error(`CHANGELOG.md says nothing of ${release}`);
  const text =
    address === null
      ? found.text
      : found.text.replaceAll(/\]\((?!https?:|#)/g, `](${address}/blob/v${version}/`);
  return `${text}\n`;
};

/** What stands in the way of this tag, each with what to do; empty where nothing does. */
export const tagProblems = (facts: ReleaseFacts): string[] => {
  const { tag, version, lockedVersion, changelog, schema, keptSchemas } = facts;
  const [newest] = sectionsOf(changelog);
  const isRelease = !version.includes("-");
  const [release = version] = version.split("-");
  const rules: readonly (readonly [boolean, string])[] = [
    [
      !VERSION.test(version),
      `package.json has the version ${version}: use 1.2.3, or 1.2.3-rc.1 for a candidate`,
    ],
    [tag !== `v${version}`, `the tag is ${tag}, but package.json has ${version}: tag v${version}`],
    [
      lockedVersion !== version,
      `package-lock.json has ${lockedVersion}: run 'npm version ${version} --no-git-tag-version --allow-same-version'`,
    ],
    [
      newest?.title.split(" ")[0] !== release || newest.text === "",
      `the newest section of CHANGELOG.md is not that of ${release}: write it`,
    ],
    [
      isRelease && !/^\S+ \(\d{4}-\d\d-\d\d\)$/.test(newest?.title ?? ""),
      `the newest section of CHANGELOG.md has no date: '## ${release} (2026-12-31)'`,
    ],
    [
      !keptSchemas.includes(schema),
      `no database of schema ${schema} is kept: run 'npm run keep:database' and commit it`,
    ],
  ];
  return rules.flatMap(([isBroken, problem]) => (isBroken ? [problem] : []));
};
