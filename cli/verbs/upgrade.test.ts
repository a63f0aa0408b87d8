import { expect, it } from "vitest";
import { installationOf } from "./upgrade.ts";

const kindOf = (root: string, options: { files?: readonly string[]; archive?: string } = {}) =>
  installationOf(
    root,
    { archive: options.archive ?? null },
    (path) => options.files?.includes(path) ?? false,
  );

it("tells how it was installed by where it is and what is in it", () => {
  const archive = "linux-x64";
  expect(
    kindOf("/src/agtmux", { files: ["/src/agtmux/package-lock.json", "/src/agtmux/cli/main.ts"] }),
  ).toEqual({
    kind: "clone",
  });
  expect(kindOf("/home/me/.local/share/agtmux/agtmux-1.0.0-linux-x64", { archive })).toEqual({
    kind: "archive",
    system: archive,
  });
  for (const [root, kind] of [
    ["/opt/homebrew/Cellar/agtmux/1.0.0/libexec", "homebrew"],
    ["/home/linuxbrew/.linuxbrew/Cellar/agtmux/1.0.0/libexec", "homebrew"],
    ["/nix/store/abc-agtmux-1.0.0", "nix"],
    ["/home/me/.local/share/mise/installs/agtmux/1.0.0", "mise"],
  ] as const)
    expect([root, kindOf(root, { archive })]).toEqual([root, { kind }]);
  expect(kindOf("/usr/local/lib/node_modules/agtmux")).toEqual({ kind: "npm" });
  const app = "/Applications/agtmux.app/Contents/Resources/cli";
  expect(kindOf(app)).toEqual({ kind: "app" });
  expect(kindOf(app, { files: ["/opt/homebrew/Caskroom/agtmux-app"] })).toEqual({ kind: "cask" });
  expect(kindOf("/opt/agtmux/resources/cli")).toEqual({ kind: "app" });
  expect(kindOf("/somewhere")).toEqual({ kind: "unknown" });
});
