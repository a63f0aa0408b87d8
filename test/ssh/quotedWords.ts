// Words as hostile as they come, the shells of this machine, and what a program is given by one of them.
import fc from "fast-check";
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";

const execFileAsync = promisify(execFile);
const isThere = (program: string): boolean =>
  spawnSync("sh", ["-c", 'command -v "$1"', "sh", program], { stdio: "ignore" }).status === 0;

/** As words of a command line. */
export const SHELLS = [
  "sh",
  "dash",
  "bash",
  "zsh",
  "ksh",
  "mksh",
  "fish",
  "tcsh",
  "csh",
  "busybox sh",
].filter((shell) => isThere(shell.split(" ")[0] ?? ""));
export const POSIX = SHELLS.filter((shell) => !/^(fish|t?csh)$/.test(shell));

export const NASTY = [
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
export const word = fc
  .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: "binary", maxLength: 5 })), { maxLength: 8 })
  .map((parts) => parts.join("").replaceAll("\0", ""))
  // What has no UTF-8 form cannot be a byte of anything.
  .map((text) => text.toWellFormed());
export const words = fc.array(word, { minLength: 1, maxLength: 6 });

/** A program (not a shell's own) that prints each word and a NUL behind it. */
export const SHOW = ["/usr/bin/printf", "%s\\0"];
export const wordsOf = (output: string): string[] => output.split("\0").slice(0, -1);

export const given = async (shell: string, command: string, input?: string): Promise<string[]> => {
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
