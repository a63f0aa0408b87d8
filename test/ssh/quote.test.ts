// The quoting function against the real shells of this machine: whatever the words are, a program gets exactly them.
import fc from "fast-check";
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import {
  encodeScriptLine,
  LOGIN_COMMAND,
  quoteArgv,
  quoteForLogin,
} from "../../core/targets/remoteScript.ts";
import { given, NASTY, POSIX, SHOW, words } from "./quotedWords.ts";

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
      fc.asyncProperty(fc.array(words, { minLength: 25, maxLength: 25 }), async (commands) => {
        // With how many words there are, so that none can be taken for a word of the next command.
        const argvs = commands.map((argv) => [String(argv.length), ...argv]);
        const script = argvs.map((argv) => quoteArgv([...SHOW, ...argv])).join("\n");
        expect(await given(shell, script)).toEqual(argvs.flat());
      }),
      { numRuns: 1, examples: [[[NASTY]]] },
    );
  });

  it("runs nothing of a script line that was cut", () => {
    const whole = encodeScriptLine("echo ran");
    const cut = spawnSync("sh", ["-c", LOGIN_COMMAND], { input: whole.slice(0, -1), encoding: "utf8" });
    expect(cut.stdout).toBe("");
    expect(spawnSync("sh", ["-c", LOGIN_COMMAND], { input: whole, encoding: "utf8" }).stdout).toBe("ran\n");
  });
});
