// A slice of the comparison with real shells: `npm run fuzz:commands` runs two hundred times as many.
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { wordsOf } from "../../../features/automation/rules/ruleCommands.ts";
import { hasShell, SHELL_NAMES, surveyCommands } from "./surveyCommands.ts";

const installed = SHELL_NAMES.filter(hasShell);

it("every shell runs a command that is understood with just its words", { timeout: 60_000 }, () => {
  // A POSIX shell is on every machine that agtmux runs on.
  expect(installed).not.toEqual([]);
  const tally = surveyCommands(5_000, 20_261, installed);
  expect(tally.faults).toEqual([]);
  expect(tally.understood).toBeGreaterThan(1_500);
  expect(tally.understood).toBeLessThan(4_500);
});

const LISTS: Readonly<Record<string, string>> = {
  bash: "compgen -b; compgen -k",
  zsh: "print -l ${(k)builtins} ${(k)reswords}",
};

it.each(Object.entries(LISTS).filter(([shell]) => installed.includes(shell)))(
  "nothing that %s does itself is understood",
  (shell, list) => {
    const words = execFileSync(shell, [shell === "zsh" ? "-fc" : "-c", list], { encoding: "utf8" }).split(
      "\n",
    );
    expect(words.length).toBeGreaterThan(50);
    expect(words.filter((word) => wordsOf(`${word} x`) !== null)).toEqual([]);
  },
);
