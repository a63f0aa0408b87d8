import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displaySentence, shellCommand } from "./displayText.ts";

describe("shellCommand", () => {
  it("leaves plain words alone and quotes the rest", () =>
    expect(shellCommand(["tmux", "attach", "-t", "=work", ";", "it's"])).toBe(
      `tmux attach -t '=work' ';' 'it'\\''s'`,
    ));

  it("gives a shell back exactly the arguments", () => {
    const argument = fc
      .string({ unit: "binary", minLength: 1, maxLength: 20 })
      .filter((text) => !text.includes("\0") && text.isWellFormed());
    fc.assert(
      fc.property(fc.array(argument, { minLength: 1, maxLength: 4 }), (argv) => {
        const script = `printf '%s\\0' ${shellCommand(argv)}`;
        expect(execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1)).toEqual(
          argv,
        );
      }),
      { numRuns: 60 },
    );
  });
});

it.each([
  ["the daemon is gone", "The daemon is gone."],
  ["Why?", "Why?"],
])("a message %j is the sentence %j", (given, shown) => expect(displaySentence(given)).toBe(shown));
