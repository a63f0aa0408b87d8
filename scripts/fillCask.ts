// Fills Homebrew's cask with the facts of a release. Pure: makeCask.mjs reads and writes the files.
export interface CaskFacts {
  readonly version: string;
  /** `owner/name` on GitHub. */
  readonly repository: string;
  readonly sha256: { readonly arm64: string; readonly x64: string };
}

/** Fails where a fact is malformed or the template has a placeholder that nobody knows. */
export const fillCask = (template: string, { version, repository, sha256 }: CaskFacts): string => {
  const facts: readonly (readonly [string, string, RegExp])[] = [
    ["VERSION", version, /^\d+\.\d+\.\d+(-[\w.]+)?$/],
    ["REPOSITORY", repository, /^[\w.-]+\/[\w.-]+$/],
    ["SHA256_ARM64", sha256.arm64, /^[\da-f]{64}$/],
    ["SHA256_X64", sha256.x64, /^[\da-f]{64}$/],
  ];
  let text = template;
  for (const [name, value, form] of facts) {
    if (!form.test(value)) throw new Error(`the cask's ${name} cannot be '${value}'`);
    text = text.replaceAll(`@${name}@`, value);
  }
  const [left] = /@[A-Z\d_]+@/.exec(text) ?? [];
  if (left !== undefined) throw new Error(`the cask has an unknown placeholder ${left}`);
  return text;
};
