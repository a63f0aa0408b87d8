// The quoting function against real shells: whatever the words are, the program on the remote side gets exactly them, and no
// login shell changes a byte. Directly with every shell of this machine, and through a real server with each as login shell.
import fc from "fast-check";
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SILENT_LOGGER } from "../../core/ports/logger.ts";
import { createRemoteExecutor } from "../../core/targets/createRemoteExecutor.ts";
import { encodeScriptLine, LOGIN_COMMAND, quoteArgv, quoteForLogin } from "../../core/targets/quote.ts";
import type { RemoteExecutor } from "../../core/targets/remoteExecutor.ts";
import { createSshServer, type SshServer } from "./sshServer.ts";

const execFileAsync = promisify(execFile);
const isThere = (program: string): boolean =>
  spawnSync("sh", ["-c", 'command -v "$1"', "sh", program], { stdio: "ignore" }).status === 0;

/** As words of a command line. */
const SHELLS = ["sh", "dash", "bash", "zsh", "ksh", "mksh", "fish", "tcsh", "csh", "busybox sh"].filter(
  (shell) => isThere(shell.split(" ")[0] ?? ""),
);
const POSIX = SHELLS.filter((shell) => !/^(fish|t?csh)$/.test(shell));

const NASTY = [
  "'",
  '"',
  "\\",
  "`",
  "$",
  "$(",
  "${",
  "(",
  ")",
  "{",
  "}",
  "[",
  "]",
  "*",
  "?",
  "~",
  "!",
  "!!",
  "#",
  "&",
  "|",
  ";",
  "<",
  ">",
  "\n",
  "\r",
  "\t",
  " ",
  "",
  "-",
  "--",
  "-n",
  "=",
  "%",
  "%s",
  "%b",
  "\\n",
  "\\0101",
  "\\c",
  "\\\\",
  "\\'",
  "😀",
  "é",
  "\u0081",
  "\u0088",
  "\u00a0",
  "\u2028",
  "\u0001",
  "\u007f",
  "\u001b[31m",
  "$HOME",
  "`id`",
  "$(id)",
  "*/*",
  "'\\''",
  "'\"'\"'",
  "\n'",
  "end\n",
  "\n\n",
  "a".repeat(300),
];
const word = fc
  .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: "binary", maxLength: 5 })), { maxLength: 8 })
  .map((parts) => parts.join("").replaceAll("\0", ""))
  // What has no UTF-8 form cannot be a byte of anything.
  .map((text) => text.toWellFormed());
const words = fc.array(word, { minLength: 1, maxLength: 6 });

/** A program (not a shell's own) that prints each word and a NUL behind it. */
const SHOW = ["/usr/bin/printf", "%s\\0"];
const wordsOf = (output: string): string[] => output.split("\0").slice(0, -1);

const given = async (shell: string, command: string, input?: string): Promise<string[]> => {
  const [file = "", ...args] = shell.split(" ");
  const running = execFileAsync(file, [...args, "-c", command], {
    env: { PATH: "/usr/bin:/bin", HOME: "/nonexistent" },
  });
  // The shell may be done before it has read anything.
  running.child.stdin?.on("error", () => {});
  running.child.stdin?.end(input ?? "");
  const { stdout } = await running;
  return wordsOf(stdout);
};

describe("quoting", () => {
  it("refuses a word that no program can be given", () => {
    expect(() => quoteArgv(["a\0b"])).toThrow(expect.objectContaining({ code: "E_USAGE" }));
    expect(() => quoteForLogin(["a\0b"])).toThrow(expect.objectContaining({ code: "E_USAGE" }));
  });

  it("makes a login command of printable ASCII in one line, whatever the words are", () => {
    fc.assert(
      fc.property(words, (argv) => {
        expect(quoteForLogin(argv)).toMatch(/^[ -~]+$/);
        expect(encodeScriptLine(quoteArgv(argv))).toMatch(/^[ -~]*\n$/);
      }),
    );
  });

  it.each(POSIX)("is byte-exact in a script of %s", async (shell) => {
    await fc.assert(
      fc.asyncProperty(words, async (argv) => {
        expect(await given(shell, quoteArgv([...SHOW, ...argv]))).toEqual(argv);
      }),
      { numRuns: 25, examples: [[NASTY]] },
    );
  });

  it.each(SHELLS)("is byte-exact when %s is the login shell", async (shell) => {
    await fc.assert(
      fc.asyncProperty(words, async (argv) => {
        const script = encodeScriptLine(`exec ${quoteArgv([...SHOW, ...argv])}`);
        const [direct, byInput] = await Promise.all([
          given(shell, quoteForLogin([...SHOW, ...argv])),
          given(shell, LOGIN_COMMAND, script),
        ]);
        expect({ direct, byInput }).toEqual({ direct: argv, byInput: argv });
      }),
      { numRuns: 15, examples: [[NASTY]] },
    );
  });

  it("runs nothing of a script line that was cut", () => {
    const whole = encodeScriptLine("echo ran");
    const cut = spawnSync("sh", ["-c", LOGIN_COMMAND], { input: whole.slice(0, -1), encoding: "utf8" });
    expect(cut.stdout).toBe("");
    expect(spawnSync("sh", ["-c", LOGIN_COMMAND], { input: whole, encoding: "utf8" }).stdout).toBe("ran\n");
  });
});

describe.each(SHELLS)("through a real server whose login shell is %s", (shell) => {
  let server: SshServer;
  let executor: RemoteExecutor;
  beforeAll(async () => {
    server = await createSshServer({ loginShell: shell.replace(/^\S+/, (name) => `/usr/bin/${name}`) });
    executor = createRemoteExecutor({
      targetId: "vm1",
      alias: server.alias,
      env: process.env,
      logger: SILENT_LOGGER,
      controlDir: join(server.folder, "cm"),
      transport: "openssh",
      configFile: server.configFile,
    });
    await executor.connect();
  });
  afterAll(async () => {
    await executor.close();
    await server.close();
  });

  it("is byte-exact as command, as input and for a terminal's ssh", async () => {
    await fc.assert(
      fc.asyncProperty(words, word, async (argv, stdin) => {
        const [ran, login] = await Promise.all([
          executor.run([...SHOW, ...argv], { timeoutMs: 20_000, stdin }),
          execFileAsync("ssh", ["-F", server.configFile, server.alias, quoteForLogin([...SHOW, ...argv])]),
        ]);
        expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
        expect(wordsOf(ran.stdout)).toEqual(argv);
        expect(wordsOf(login.stdout)).toEqual(argv);
        const { stdout } = await executor.run(["cat"], { timeoutMs: 20_000, stdin });
        expect(stdout).toBe(stdin);
      }),
      { numRuns: 4, examples: [[NASTY, NASTY.join("")]] },
    );
  });
});
