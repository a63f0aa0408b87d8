// What `brew audit` and `brew style` say of a formula and a cask, as far as their text shows it: Homebrew's Formula Cookbook and Cask
// Cookbook, and the rules behind them (desc, order of the stanzas, addresses, sums). Homebrew itself is on no machine of ours.

/** A stanza with the lines that it spans, by the indentation of the body. */
interface Stanza {
  readonly name: string;
  readonly text: string;
  readonly isAfterBlank: boolean;
}

const MAX_DESC = 80;
/** RuboCop's limit in Homebrew; lines with an address or a sum may be longer. */
const MAX_LINE = 118;

const FORMULA_ORDER = [
  "desc",
  "homepage",
  "url",
  "version",
  "sha256",
  "license",
  "revision",
  "head",
  "livecheck",
  "bottle",
  "keg_only",
  "depends_on",
  "uses_from_macos",
  "on_macos",
  "on_linux",
  "conflicts_with",
  "resource",
  "patch",
  "def install",
  "def post_install",
  "def caveats",
  "service",
  "test",
];

/** A blank line is between groups, and none is within one. */
const CASK_GROUPS = [
  ["arch", "os"],
  ["version", "sha256"],
  ["on_arm", "on_intel"],
  ["url", "name", "desc", "homepage"],
  ["livecheck"],
  ["deprecate!", "disable!"],
  ["auto_updates", "conflicts_with", "depends_on", "container"],
  ["app", "pkg", "installer", "binary", "manpage", "bash_completion", "fish_completion", "zsh_completion"],
  ["preflight"],
  ["postflight"],
  ["uninstall_preflight"],
  ["uninstall_postflight"],
  ["uninstall"],
  ["zap"],
  ["caveats"],
];
const UNINSTALL_ORDER = [
  "early_script",
  "launchctl",
  "quit",
  "signal",
  "login_item",
  "kext",
  "script",
  "pkgutil",
];

/** The stanzas of the outermost block. A line that is indented further, or closes one, belongs to the stanza before it. */
const stanzasOf = (text: string): Stanza[] => {
  const stanzas: { name: string; text: string; isAfterBlank: boolean }[] = [];
  let isAfterBlank = false;
  for (const line of text.split("\n").slice(1, -2)) {
    const [, name] = /^ {2}(def \w+|[a-z]\w*!?)/.exec(line) ?? [];
    if (name !== undefined && name !== "end") stanzas.push({ name, text: line, isAfterBlank });
    else {
      const last = stanzas.at(-1);
      if (last !== undefined) last.text += `\n${line}`;
    }
    isAfterBlank = line === "";
  }
  return stanzas;
};

const valueOf = (stanzas: readonly Stanza[], name: string): string =>
  /"([^"]*)"/.exec(stanzas.find((stanza) => stanza.name === name)?.text ?? "")?.[1] ?? "";

const isSorted = (values: readonly (number | string)[]): boolean =>
  values.every((value, index) => index === 0 || (values[index - 1] ?? value) <= value);

const descProblems = (desc: string, kind: "formula" | "cask", token: string): string[] => {
  const rules: readonly (readonly [boolean, string])[] = [
    [desc === "", "there is no desc"],
    [desc.trim() !== desc, "the desc has spaces around it"],
    [desc.length > MAX_DESC, `the desc has ${desc.length} characters, more than ${MAX_DESC}`],
    [/command ?line/i.test(desc), "the desc writes 'command line' without its hyphen"],
    [/^(?:the|an?)\s/i.test(desc), "the desc starts with an article"],
    [/^[a-z]/.test(desc), "the desc starts with a small letter"],
    [new RegExp(`\\b${token.split("-")[0]}\\b`, "i").test(desc), "the desc has the name"],
    [/\b(?:you|your|my|our)\b/i.test(desc), "the desc has a pronoun"],
    [kind === "cask" && /\b(?:macOS|Mac|OS ?X)\b/i.test(desc), "the desc has the platform"],
    [desc.endsWith("."), "the desc ends with a full stop"],
    [/\p{So}/u.test(desc), "the desc has a symbol"],
  ];
  return rules.flatMap(([isBroken, problem]) => (isBroken ? [problem] : []));
};

const styleProblems = (text: string): string[] => {
  const lines = text.split("\n");
  const rules: readonly (readonly [boolean, string])[] = [
    [/[ \t]$/m.test(text), "a line ends with a space"],
    [text.includes("\t"), "there is a tab"],
    [!/[^\n]\n$/.test(text), "the file does not end with one newline"],
    [/\n\n\n/.test(text), "there are two blank lines"],
    [
      /'[^'\n]*'/.test(text.replaceAll(/"[^"\n]*"|^\s*#.*$|<<~EOS[\s\S]*?EOS/gm, "")),
      "a text is in single quotes",
    ],
    [
      lines.some((line) => line.length > MAX_LINE && !/https:|sha256/.test(line)),
      `a line is longer than ${MAX_LINE}`,
    ],
    [lines.some((line) => /^ */.exec(line)?.[0].length === 1), "a line is not indented by two"],
    [/@[A-Z]/.test(text), "a placeholder is left"],
    [/#\s*depends_on/.test(text), "a dependency is commented out"],
  ];
  return rules.flatMap(([isBroken, problem]) => (isBroken ? [problem] : []));
};

const addressProblems = (text: string, homepage: string): string[] => {
  const rules: readonly (readonly [boolean, string])[] = [
    [/"http:/.test(text), "an address is not https"],
    [!/^https:\/\/[^ ]+[^/]$/.test(homepage), "the homepage is no address"],
    [
      /\/(?:tar|zip)ball\/|\/archive\//.test(text),
      "an address is a snapshot of the sources, not a file of the release",
    ],
    // Otherwise a cask has to say that the address was verified.
    [
      [...text.matchAll(/^ *url "([^"]+)"/gm)].some(([, url = ""]) => !url.startsWith(homepage)),
      "an address is not below the homepage",
    ],
  ];
  return rules.flatMap(([isBroken, problem]) => (isBroken ? [problem] : []));
};

/** What is wrong with the formula of this file name (`agtmux.rb`); empty where nothing is. */
export const formulaProblems = (file: string, text: string): string[] => {
  const stanzas = stanzasOf(text);
  const token = file.replace(/\.rb$/, "");
  const className = token.replaceAll(/(?:^|-)(\w)/g, (_all, letter: string) => letter.toUpperCase());
  const places = stanzas.map(({ name }) => FORMULA_ORDER.indexOf(name));
  const depends = stanzas.flatMap((one) => (one.name === "depends_on" ? [valueOf([one], "depends_on")] : []));
  const pairs = [...text.matchAll(/^( *)url "([^"]*)"\n( *)(\w*) "([^"]*)"/gm)];
  const rules: readonly (readonly [boolean, string])[] = [
    [!text.startsWith(`class ${className} < Formula\n`), `the class is not ${className}`],
    [places.includes(-1), `there is an unknown stanza ${stanzas[places.indexOf(-1)]?.name}`],
    [!isSorted(places), "the stanzas are not in Homebrew's order"],
    [!isSorted(depends), "the dependencies are not sorted"],
    [!/^ {2}license "(?:MIT|Apache-2\.0|[A-Z][\w.-]+)"$/m.test(text), "there is no licence"],
    [
      pairs.length === 0 ||
        pairs.some(([, , , , name, sum = ""]) => name !== "sha256" || !/^[\da-f]{64}$/.test(sum)),
      "an address has no SHA-256 below it",
    ],
    // Homebrew reads it from the address, and calls a second one redundant.
    [stanzas.some(({ name }) => name === "version"), "the version is said twice"],
    [
      pairs.some(([, , url = ""]) => !/\/v(\d+\.\d+\.\d+)\/[a-z]+-\1-[\w-]+\.tar\.gz$/.test(url)),
      "an address does not say the version",
    ],
    [!/^ {2}test do\n[\s\S]*?assert_/m.test(text), "the test asserts nothing"],
    [/\btest do\n(?: {4}system [^\n]*\n)* {2}end/.test(text), "the test only runs something"],
    [
      /Hardware::CPU|OS\.mac\?|OS\.linux\?/.test(text),
      "a system is asked for otherwise than by on_macos and on_arm",
    ],
    [/assert [^\n]*(?:include|exist)\?/.test(text), "an assertion is not the one for what it asserts"],
  ];
  return [
    ...rules.flatMap(([isBroken, problem]) => (isBroken ? [problem] : [])),
    ...descProblems(valueOf(stanzas, "desc"), "formula", token),
    ...addressProblems(text, valueOf(stanzas, "homepage")),
    ...styleProblems(text),
  ];
};

/** What is wrong with the cask of this file name (`agtmux-app.rb`); empty where nothing is. */
export const caskProblems = (file: string, text: string): string[] => {
  const stanzas = stanzasOf(text);
  const token = file.replace(/\.rb$/, "");
  const groupOf = ({ name }: Stanza): number => CASK_GROUPS.findIndex((group) => group.includes(name));
  const places = stanzas.map((one) => {
    const group = groupOf(one);
    return 100 * group + (CASK_GROUPS[group]?.indexOf(one.name) ?? -1);
  });
  const trashed = [
    ...(/ {2}zap trash: \[\n([\s\S]*?)\n {2}\]/.exec(text)?.[1] ?? "").matchAll(/"([^"]+)"/g),
  ].map(([, path = ""]) => path);
  const removal = stanzas.find(({ name }) => name === "uninstall")?.text ?? "";
  const removed = [...removal.matchAll(/^(?: {2}uninstall| {12}) ?(\w+):/gm)].map(([, name = ""]) =>
    UNINSTALL_ORDER.indexOf(name),
  );
  const sums = [...text.matchAll(/^(?: {2}sha256 | {9})(arm|intel): +"([^"]*)"/gm)];
  const isGrouped = stanzas.every((one, index) => {
    const before = stanzas[index - 1];
    return before === undefined || one.isAfterBlank === (groupOf(before) !== groupOf(one));
  });
  const rules: readonly (readonly [boolean, string])[] = [
    [!text.startsWith(`cask "${token}" do\n`), `the cask is not ${token}`],
    [places.some((place) => place < 0), "there is an unknown stanza"],
    [!isSorted(places), "the stanzas are not in Homebrew's order"],
    [!isGrouped, "the groups of stanzas are not divided by a blank line"],
    [
      sums.length !== 2 || sums.some(([, , sum = ""]) => !/^[\da-f]{64}$/.test(sum)),
      "there is not one SHA-256 for each processor",
    ],
    [!/^ {2}version "\d+\.\d+\.\d+"$/m.test(text), "there is no version"],
    [!valueOf(stanzas, "url").includes("#{version}"), "the address does not use the version"],
    [!/^ {2}depends_on macos: :\w+$/m.test(text), "the oldest macOS is not said by its name"],
    [/conflicts_with formula:/.test(text), "a conflict with a formula is not known to Homebrew"],
    [!/^ {2}app "/m.test(text), "no app is installed"],
    [valueOf(stanzas, "name") === "", "there is no name"],
    [trashed.length === 0 || !isSorted(trashed), "what zap removes is not sorted"],
    [
      removed.length === 0 || removed.includes(-1) || !isSorted(removed),
      "uninstall is not in Homebrew's order",
    ],
    [/^ {2}(?:pre|post)flight do/m.test(text), "it runs Ruby of its own"],
  ];
  return [
    ...rules.flatMap(([isBroken, problem]) => (isBroken ? [problem] : [])),
    ...descProblems(valueOf(stanzas, "desc"), "cask", token),
    ...addressProblems(text, valueOf(stanzas, "homepage")),
    ...styleProblems(text),
  ];
};
