import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { terminalChoiceSchema, type TerminalChoice } from "../../core/model/desktop.ts";
import { until } from "../../test/setup/realClock.ts";
import { OPEN_APPLE_TERMINAL, OPEN_ITERM2 } from "./terminalKinds.ts";
import { runLauncher, createTerminalService, type TerminalService } from "./terminalService.ts";

const HOSTILE = [
  "/usr/bin/tmux",
  "-S",
  "/tmp/a b/$(touch x)",
  "attach",
  "-t",
  "it's; rm -rf \"\n`id` & {} \\",
  ";",
  "--",
  "",
];
let folder: string;
let choice: TerminalChoice;

/** Records its environment and its arguments, each ended by a NUL, then runs the rest of the script. */
const install = (path: string, script = ""): void => {
  mkdirSync(join(path, ".."), { recursive: true });
  const log = join(folder, "log");
  writeFileSync(
    path,
    `#!/bin/sh\nprintf '%s\\0' "\${TMUX-none}" "\${TMUX_PANE-none}" "$@" > '${log}.part'\n/bin/mv '${log}.part' '${log}'\n${script}\n`,
  );
  chmodSync(path, 0o755);
};
const program = (name: string, script?: string): void => install(join(folder, "bin", name), script);
const bundle = (name: string, binary?: string): void => {
  const macOs = join(folder, "Apps", `${name}.app`, "Contents", "MacOS");
  mkdirSync(macOs, { recursive: true });
  if (binary !== undefined) install(join(macOs, binary));
};
/** The recorded arguments, without the environment before them. */
const recorded = async (): Promise<string[]> => {
  await until(() => existsSync(join(folder, "log")), "the program ran");
  const words = readFileSync(join(folder, "log"), "utf8").split("\0").slice(0, -1);
  expect(words.splice(0, 2)).toEqual(["none", "none"]);
  rmSync(join(folder, "log"));
  return words;
};

const env = () => ({ PATH: `${join(folder, "bin")}:/usr/bin:/bin`, TMUX: "/tmp/t,1,0", TMUX_PANE: "%1" });
const deskOf = (
  platform: NodeJS.Platform,
  more: { run?: (one: Parameters<typeof runLauncher>[0]) => Promise<string> } = {},
): TerminalService =>
  createTerminalService({
    places: {
      platform,
      // Only what the test installed is there.
      env: { ...env(), PATH: join(folder, "bin") },
      bundleFolders: [join(folder, "Apps")],
    },
    choice: () => choice,
    run: runLauncher,
    ...more,
  });
/** A Mac whose osascript and open are programs of the test. */
const macTerminals = (answer = "found"): TerminalService => {
  install(join(folder, "fake", "osascript"), `printf ${answer}`);
  install(join(folder, "fake", "open"));
  return deskOf("darwin", {
    run: (one) => {
      const [file = "", ...args] = one.argv;
      const fake = file.replace("/usr/bin/", `${join(folder, "fake")}/`);
      return runLauncher({ ...one, argv: [fake, ...args], env: env() });
    },
  });
};

/**
 * How iTerm2 reads a command: `$$…$$` is its own variable, a backslash outside of quotes gives the next character except for
 * four letters, blanks of any script separate words, and a tilde at the start of a word is a home. Older versions know no
 * single quotes.
 */
const readAsITerm2 = (command: string, quotes: string): string[] => {
  expect(command).not.toMatch(/\$\$/);
  const words: string[] = [];
  let word: string | null = null;
  let open = "";
  for (let at = 0; at < command.length; at += 1) {
    let sign = command[at] ?? "";
    if (sign === "\\" && open === "") {
      at += 1;
      sign = command[at] ?? "";
      expect("natr").not.toContain(sign);
    } else if (open === "" ? quotes.includes(sign) : sign === open) {
      open = open === "" ? sign : "";
      word ??= "";
      continue;
    } else if (open === "" && /\s/.test(sign)) {
      if (word !== null) words.push(word);
      word = null;
      continue;
    } else if (word === null) expect(sign).not.toBe("~");
    word = (word ?? "") + sign;
  }
  return word === null ? words : [...words, word];
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agtmux-term-"));
  choice = { kind: "auto" };
});

describe("a window in a terminal of Linux", () => {
  it.each([
    ["xdg-terminal-exec", []],
    ["x-terminal-emulator", ["-e"]],
    ["ghostty", ["-e"]],
    ["wezterm", ["start", "--"]],
    ["kitty", ["--"]],
    ["alacritty", ["-e"]],
    ["gnome-terminal", ["--"]],
    ["ptyxis", ["--"]],
    ["kgx", ["--"]],
    ["konsole", ["-e"]],
    ["xfce4-terminal", ["-x"]],
    ["foot", []],
    ["xterm", ["-e"]],
  ])("of %s gets every word untouched, and nothing of the app's own pane", async (name, before) => {
    program(name);
    await deskOf("linux").open(HOSTILE);
    expect(await recorded()).toEqual([...before, ...HOSTILE]);
  });

  it("is in the desktop's own choice before any other", () => {
    for (const name of ["xterm", "kitty", "x-terminal-emulator"]) program(name);
    expect(deskOf("linux").inUse()).toBe("The system's terminal");
    program("xdg-terminal-exec");
    expect(
      deskOf("linux")
        .found()
        .map(({ id }) => id),
    ).toEqual(["xdg-terminal-exec", "x-terminal-emulator", "kitty", "xterm"]);
  });

  it("is in the person's choice, or is refused where that is not there", async () => {
    for (const name of ["xterm", "kitty"]) program(name);
    choice = { kind: "known", id: "xterm" };
    await deskOf("linux").open(["tmux"]);
    expect(await recorded()).toEqual(["-e", "tmux"]);
    choice = { kind: "known", id: "konsole" };
    await expect(deskOf("linux").open(["tmux"])).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });

  it("is opened by a command of the person's, word by word", async () => {
    program("myterm");
    choice = { kind: "command", argv: [join(folder, "bin", "myterm"), "--title", "a b", "{}", "--end"] };
    await deskOf("linux").open(HOSTILE);
    expect(await recorded()).toEqual(["--title", "a b", ...HOSTILE, "--end"]);
  });

  it("fails when the terminal does, and where there is none", async () => {
    expect(() => deskOf("linux").inUse()).toThrow(expect.objectContaining({ code: "E_UNSUPPORTED" }));
    program("xterm", "exit 3");
    await expect(deskOf("linux").open(["tmux"])).rejects.toThrow(/exit code 3/);
    expect(deskOf("linux").focus).toBeNull();
  });
});

/** A program on this machine, so that a word that is a path names an existing file. */
const realArgv = (): string[] => {
  program("shown");
  return [join(folder, "bin", "shown"), ...HOSTILE];
};
const run = promisify(execFile);

describe("a window in a terminal of macOS", () => {
  it("of Terminal is a constant script; what varies follows as arguments", async () => {
    bundle("Terminal");
    const terminals = macTerminals();
    expect(terminals.found()[0]?.id).toBe("apple-terminal");
    await terminals.open(HOSTILE);
    const [flag, script, ...rest] = await recorded();
    await terminals.open(["other"]);
    expect([flag, script]).toEqual((await recorded()).slice(0, 2));
    expect(flag).toBe("-e");
    expect(script).toContain("quoted form of (argument as text)");
    expect(rest).toEqual(HOSTILE);
  });

  it("of iTerm2 is a constant script, and its own reader of commands finds every word as it was", async () => {
    bundle("iTerm");
    const terminals = macTerminals();
    const words = ["~/a", "/b c/$$d$$", 'e\\n"f"', "日本\u3000語 🙂", ...HOSTILE];
    await terminals.open(words);
    const [flag, script, ...rest] = await recorded();
    await terminals.open(["other"]);
    expect(await recorded()).toEqual([flag, script, "other"]);
    expect(rest).toHaveLength(1);
    for (const quotes of ['"', "\"'"]) expect(readAsITerm2(rest[0] ?? "", quotes)).toEqual(words);
  });

  it("of Ghostty is one of the instance that runs, where it can be scripted", async () => {
    bundle("Ghostty");
    const terminals = macTerminals("opened");
    await terminals.open(HOSTILE);
    const [flag, script, ...rest] = await recorded();
    await terminals.open(["other"]);
    expect(await recorded()).toEqual([flag, script, "other"]);
    expect(rest).toEqual(HOSTILE);
    expect(script).toContain("new window with configuration {command:");
    // A Ghostty that is started by this script would open a window of its own beside.
    expect(script).toMatch(/^on run argv\n {2}if application "Ghostty" is not running then return "none"\n/);
  });

  it.each([
    ["runs not", "printf none"],
    ["has no dictionary, or may not be controlled", "exit 1"],
  ])("of Ghostty is another instance where it %s", async (_why, script) => {
    bundle("Ghostty");
    const terminals = macTerminals();
    install(join(folder, "fake", "osascript"), script);
    await terminals.open(["tmux"]);
    expect(await recorded()).toEqual([
      "-n",
      "-a",
      join(folder, "Apps", "Ghostty.app"),
      "--args",
      "--quit-after-last-window-closed=true",
      "--window-save-state=never",
      "-e",
      "sh",
      "-c",
      "exec 'tmux'",
    ]);
  });

  it.each([
    ["Ghostty", ["--quit-after-last-window-closed=true", "--window-save-state=never", "-e"]],
    ["WezTerm", ["start", "--"]],
    ["kitty", ["--"]],
    ["Alacritty", ["-e"]],
  ])(
    "of %s is started by the system, and no word of it is a file that macOS could open",
    async (name, own) => {
      bundle(name, name.toLowerCase());
      const argv = realArgv();
      await macTerminals("none").open(argv);
      const [n, a, path, args, ...words] = await recorded();
      expect([n, a, path, args]).toEqual(["-n", "-a", join(folder, "Apps", `${name}.app`), "--args"]);
      expect(words.filter((word) => existsSync(resolve("/", word)))).toEqual([]);
      expect(words.slice(0, own.length)).toEqual(own);
      const [shell = "", ...rest] = words.slice(own.length);
      await run(shell, rest, { env: { PATH: "/usr/bin:/bin" } });
      expect(await recorded()).toEqual(HOSTILE);
    },
  );

  it("of a program that lies in no bundle is its own child", async () => {
    program("kitty");
    await macTerminals().open(HOSTILE);
    expect(await recorded()).toEqual(["--", ...HOSTILE]);
  });

  it("is the first one of a terminal that was not running", () => {
    expect(OPEN_APPLE_TERMINAL).toMatch(
      /if application "Terminal" is running then[^]*do script commandLine\n[^]*else[^]*activate[^]*do script commandLine in window 1\n/,
    );
    // Started without its own window, and in front only once it has ours.
    expect(OPEN_ITERM2).toMatch(
      /if application "iTerm2" is not running then tell application "iTerm2" to launch\n[^]*create window with default profile command [^]*activate/,
    );
    expect(OPEN_ITERM2).not.toContain("write text");
  });

  it("prefers what somebody installed to what is always there", () => {
    bundle("Terminal");
    expect(macTerminals().inUse()).toBe("Terminal");
    bundle("kitty", "kitty");
    expect(macTerminals().inUse()).toBe("kitty");
    bundle("iTerm");
    expect(macTerminals().inUse()).toBe("iTerm2");
  });

  it("says what to do where the person has not permitted it", async () => {
    bundle("Terminal");
    const terminals = macTerminals();
    install(
      join(folder, "fake", "osascript"),
      'echo "Not authorized to send Apple events. (-1743)" >&2; exit 1',
    );
    await expect(terminals.open(["tmux"])).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      remedy: expect.stringContaining("Automation"),
    });
  });
});

describe("a terminal that shows the session already", () => {
  const client = { tty: "/dev/ttys004", isNative: false };

  it("is looked for by its tty in every terminal that can be asked", async () => {
    bundle("iTerm");
    bundle("Terminal");
    expect(await macTerminals().focus?.(client)).toBe(true);
    const [, script, ...rest] = await recorded();
    expect(rest).toEqual(["/dev/ttys004"]);
    expect(script).toContain('application "iTerm2" is not running');
    expect(await macTerminals("none").focus?.(client)).toBe(false);
    expect((await recorded())[1]).toContain('tell application "Terminal"');
  });

  it("is only brought to the front where it shows tmux natively", async () => {
    bundle("iTerm");
    bundle("Terminal");
    expect(await macTerminals().focus?.({ ...client, isNative: true })).toBe(true);
    expect((await recorded())[1]).toContain('tell application "iTerm2" to activate');
  });

  it("that may not be asked is one that is not found", async () => {
    bundle("Terminal");
    const terminals = macTerminals();
    install(join(folder, "fake", "osascript"), "exit 1");
    expect(await terminals.focus?.(client)).toBe(false);
  });
});

it.each<[unknown, boolean]>([
  [{ kind: "command", argv: ["term", "{}"] }, true],
  [{ kind: "command", argv: ["term"] }, false],
  [{ kind: "command", argv: ["{}", "x"] }, false],
  [{ kind: "command", argv: ["term", "{}", "{}"] }, false],
  [{ kind: "command", argv: ["term", "-e {}"] }, false],
  [{ kind: "command", argv: ["term", "a\nb", "{}"] }, false],
  [{ kind: "known", id: "nonesuch" }, false],
])("the choice %j is taken: %s", (value, isTaken) => {
  expect(terminalChoiceSchema.safeParse(value).success).toBe(isTaken);
});
