import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fitsPath, pathsIn, patternProblem, realPaths } from "./rulePaths.ts";

describe("a pattern of paths", () => {
  it.each([
    [".env", "/home/dev/project/.env"],
    [".env", ".env"],
    [".env", "/home/dev/.ENV"],
    [".env*", "/home/dev/.env.local"],
    [".git/**", "/home/dev/.git"],
    [".git/**", "/home/dev/.git/hooks/pre-commit"],
    [".git", "/home/dev/.git/config"],
    ["**/.ssh/**", "/home/me/.ssh/id_ed25519"],
    ["/etc/**", "/etc/passwd"],
    ["/etc", "/etc/ssh/sshd_config"],
    ["*.pem", "/a/b/key.pem"],
    ["secrets/*/key?", "/home/dev/secrets/prod/key1"],
    ["a/**/b", "/x/a/b"],
    ["a/**/b", "/x/a/1/2/b"],
  ])("%s is about %s", (pattern, path) => expect(fitsPath(pattern, path)).toBe(true));

  it.each([
    [".env", "/home/dev/.envrc"],
    [".env", "/home/dev/x.env"],
    [".git/**", "/home/dev/.github/workflows"],
    ["/etc/**", "/home/dev/etc/passwd"],
    ["*.pem", "/a/key.pem.txt"],
    ["a/*/b", "/x/a/1/2/b"],
    ["key?", "/home/dev/key"],
  ])("%s is not about %s", (pattern, path) => expect(fitsPath(pattern, path)).toBe(false));

  it("takes no time, whatever stands in it", () => {
    expect(fitsPath("*a".repeat(60), `/${"a".repeat(20_000)}b`)).toBe(false);
    expect(fitsPath(`${"**/a/".repeat(30)}b`, `/${"a/".repeat(2_000)}`)).toBe(false);
  });

  it.each([
    ["", "200 characters"],
    ["../x", "without '.'"],
    ["{a,b}", "are supported"],
    ["[ab]", "are supported"],
    ["!x", "are supported"],
    ["a**", "between slashes"],
    ["~/.ssh", "in full"],
  ])("%s is refused", (pattern, why) => expect(patternProblem(pattern)).toContain(why));
});

describe("the paths of a request", () => {
  const inCommand = (command: string, folder: string | null = "/home/dev"): string[] =>
    pathsIn({ command, file: null, folder, home: "/home/me" });

  it.each([
    ["cat .env", "/home/dev/.env"],
    ["cat ./a/../.env", "/home/dev/.env"],
    ["cat ../other/.env", "/home/other/.env"],
    ["cat ~/.ssh/id", "/home/me/.ssh/id"],
    ["curl -d @.env", "/home/dev/.env"],
    ["tar --file=.env", "/home/dev/.env"],
    ["grep -rf.env x", "/home/dev/.env"],
    ["scp .env host:.env", "/home/dev/.env"],
    ["cp a,.env b", "/home/dev/.env"],
    ["FILE=.env sh x", "/home/dev/.env"],
    ["true; cat '.env'", "/home/dev/.env"],
    ["cat $(echo .env)", "/home/dev/.env"],
    ["cat <.env", "/home/dev/.env"],
    ["git -C/home/dev/.git x", "/home/dev/.git"],
    ['cat ".e"nv', "/home/dev/.env"],
  ])("%s names %s", (command, path) => expect(inCommand(command)).toContain(path));

  it("are those of an edit, and of a folder that nobody knows by themselves", () => {
    expect(pathsIn({ command: null, file: ".env\nb/c", folder: "/home/dev", home: "/" })).toEqual(
      expect.arrayContaining(["/home/dev/.env", "/home/dev/b/c"]),
    );
    expect(inCommand("cat .env", null)).toContain(".env");
  });

  it("are bounded, however much is asked", () => {
    expect(inCommand("x,".repeat(30_000)).length).toBeLessThanOrEqual(4_000);
  });
});

describe("where links lead", () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "agtmux-paths-")));
    mkdirSync(join(root, ".git"));
    writeFileSync(join(root, ".env"), "x");
    symlinkSync(".env", join(root, "plain"));
    symlinkSync(".git", join(root, "folder"));
    symlinkSync("loop", join(root, "loop"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("is followed, also where the file is not there yet", async () => {
    const found = await realPaths(
      ["plain", "folder/hooks/pre-commit", "loop", "nothing/at/all"].map((path) => join(root, path)),
    );
    expect(found).toEqual(
      expect.arrayContaining([
        join(root, ".env"),
        join(root, ".git/hooks/pre-commit"),
        join(root, "nothing/at/all"),
      ]),
    );
    expect(await realPaths([".env", "/a\0b"])).toEqual([]);
  });
});
