import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createCommandLineService } from "./commandLine.ts";

let home: string;
let command: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "agtmux-command-"));
  command = join(home, "app", "bin", "agtmux");
  put(command, "#!/bin/sh\n");
});

const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
};
const at = (...parts: string[]): string => join(home, ...parts);
const commandLine = (
  change: Partial<Parameters<typeof createCommandLineService>[0]> & { path?: string } = {},
) => {
  const { path = at("empty"), env, ...rest } = change;
  return createCommandLineService({
    platform: "linux",
    env: { PATH: path, SHELL: "/bin/bash", ...env },
    homeDir: home,
    commands: [at("missing"), command],
    ...rest,
  });
};

describe("the command line's link", () => {
  it("is made in ~/.local/bin, which is made where it is missing, with the line that the shell lacks", async () => {
    const link = at(".local", "bin", "agtmux");
    expect(await commandLine().state()).toEqual({ kind: "absent", path: link, command, other: null });
    const installed = {
      kind: "installed",
      path: link,
      pathLine: 'export PATH="$HOME/.local/bin:$PATH"',
      hiddenBy: null,
    };
    expect(await commandLine().install()).toEqual(installed);
    expect(readlinkSync(link)).toBe(command);
    expect(await commandLine().install()).toEqual(installed);
    expect(await commandLine({ env: { SHELL: "/usr/bin/fish" } }).state()).toMatchObject({
      pathLine: 'fish_add_path "$HOME/.local/bin"',
    });
  });

  it("goes into a folder of the person that a shell looks into, before one that it does not", async () => {
    mkdirSync(at("bin"));
    const path = `${at("empty")}:${at("bin")}`;
    expect(await commandLine({ path }).install()).toEqual({
      kind: "installed",
      path: at("bin", "agtmux"),
      pathLine: null,
      hiddenBy: null,
    });
  });

  it("takes the place of nothing: neither of a program, nor of a link to another agtmux, nor of a dead one", async () => {
    const link = at(".local", "bin", "agtmux");
    put(link, "mine");
    expect(await commandLine().state()).toEqual({ kind: "occupied", path: link, what: "another program" });
    await expect(commandLine().install()).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      message: `${link} is another program, so it was left alone`,
    });
    expect(readFileSync(link, "utf8")).toBe("mine");
    rmSync(link);
    symlinkSync("/nowhere/bin/agtmux", link);
    await expect(commandLine().install()).rejects.toThrow("a link to /nowhere/bin/agtmux");
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readlinkSync(link)).toBe("/nowhere/bin/agtmux");
  });

  it("counts a package's script as ours, and says when another agtmux comes before it", async () => {
    put(at("usr", "agtmux"), `#!/bin/sh\nexec ${command} "$@"\n`);
    expect(await commandLine({ path: at("usr") }).state()).toEqual({
      kind: "installed",
      path: at("usr", "agtmux"),
      pathLine: null,
      hiddenBy: null,
    });
    put(at("first", "agtmux"), "#!/bin/sh\n# another one\n");
    expect(await commandLine({ path: `${at("first")}:${at("usr")}` }).state()).toMatchObject({
      kind: "installed",
      hiddenBy: at("first", "agtmux"),
    });
    expect(await commandLine({ path: at("first") }).state()).toMatchObject({
      kind: "absent",
      other: at("first", "agtmux"),
    });
  });

  it("is not made for a command that will not stay", async () => {
    const none = (places: Parameters<typeof commandLine>[0]) => commandLine(places).state();
    expect(await none({ env: { APPIMAGE: "/x.AppImage" } })).toMatchObject({ kind: "none" });
    expect(await none({ commands: [at("missing")] })).toMatchObject({ kind: "none" });
    const moved = at("AppTranslocation", "x", "agtmux");
    put(moved, "");
    await expect(commandLine({ commands: [moved] }).install()).rejects.toMatchObject({
      message: "the command was not installed",
      remedy: expect.stringContaining("Applications folder") as string,
    });
  });

  it("says what to do where the folder cannot be made", async () => {
    writeFileSync(at(".local"), "a file");
    await expect(commandLine().install()).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      remedy: `Link ${command} from a folder of your PATH yourself.`,
    });
  });
});
