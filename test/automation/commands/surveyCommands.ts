// What real shells make of every command that the rules understand: each is run, and the words that arrive are compared. A line that a
// shell takes for more than one plain command shows as other words, or as another number of runs.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { wordsOf } from "../../../features/automation/rules/ruleCommands.ts";
import { createRandom, generateCommand, PATHS, PROGRAMS } from "./generateCommand.ts";

/** With what makes a shell see more in a text. */
const SHELLS: Readonly<Record<string, { argv: readonly string[]; first: string }>> = {
  bash: { argv: ["bash", "--norc", "-O", "extglob"], first: "set -B" },
  dash: { argv: ["dash"], first: ":" },
  zsh: { argv: ["zsh", "-f"], first: "setopt extendedglob interactivecomments magicequalsubst" },
};
export const SHELL_NAMES = Object.keys(SHELLS);

/** Every so many commands are run with programs; the others with functions of the shell, which start no process. */
const PROGRAM_EVERY = 100;
const MAX_OUTPUT = 256 * 1024 * 1024;

export const hasShell = (shell: string): boolean =>
  spawnSync(shell, ["-c", ":"], { stdio: "ignore" }).error === undefined;

/** Prints how many words arrived, and the words. */
const STUB = `printf '%s\\0' "$#" "$@"`;

const makeStub = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\nset -- "$0" "$@"\n${STUB}\n`);
  chmodSync(path, 0o755);
};

const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-commands-"));
  // So that patterns have something to match.
  for (const name of ["a", "b", "x.txt", "status"]) writeFileSync(join(folder, name), "");
  return folder;
};

const functions = (): string =>
  PROGRAMS.map((name) => `${name}() { set -- ${name} "$@"; ${STUB}; }`).join("\n");

/** The words of each run, in order. */
const runAll = (
  shell: string,
  folder: string,
  { texts, withPrograms }: { texts: readonly string[]; withPrograms: boolean },
): string[][] => {
  const { argv, first } = SHELLS[shell] ?? { argv: [shell], first: ":" };
  const script = join(folder, "script");
  writeFileSync(script, `${[first, withPrograms ? ":" : functions(), ...texts].join("\n")}\n`);
  const [program = "", ...options] = argv;
  const output = execFileSync(program, [...options, script], {
    cwd: folder,
    env: { PATH: `${join(folder, "bin")}:/usr/bin:/bin`, HOME: folder, LC_ALL: "C.UTF-8" },
    maxBuffer: MAX_OUTPUT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const parts = output.split("\0");
  const runs: string[][] = [];
  for (let at = 0; at < parts.length - 1;) {
    const count = Number(parts[at]);
    if (!Number.isInteger(count) || count < 1) throw new Error(`${shell} printed ${parts[at]}`);
    runs.push(parts.slice(at + 1, at + 1 + count));
    at += 1 + count;
  }
  return runs;
};

const bare = (program: string, folder: string): string =>
  program.startsWith(`${folder}/bin/`) ? program.slice(`${folder}/bin/`.length) : program;

export interface CommandTally {
  generated: number;
  understood: number;
  /** Understood, and not run: their program lies where no stub is. */
  outside: number;
  /** Runs by shell, and of those with programs. */
  runs: Record<string, { functions: number; programs: number }>;
  /** Empty where every shell ran each of them with just these words. */
  faults: string[];
}

const compare = (
  shell: string,
  folder: string,
  texts: readonly string[],
  withPrograms: boolean,
): string[] => {
  const runs = runAll(shell, folder, { texts, withPrograms });
  for (const [index, text] of texts.entries()) {
    const [program = "", ...rest] = runs[index] ?? [];
    const seen = JSON.stringify([bare(program, folder), ...rest]);
    if (seen !== JSON.stringify(wordsOf(text)))
      return [`${shell}: ${JSON.stringify(text)} ran as ${seen.slice(0, 300)}`];
  }
  return runs.length === texts.length ? [] : [`${shell}: ${runs.length} runs of ${texts.length} commands`];
};

const programOf = (text: string): string => text.split(" ", 1)[0] ?? "";
const KNOWN: ReadonlySet<string> = new Set(PROGRAMS);
const KNOWN_PATHS: ReadonlySet<string> = new Set(PATHS);
const isOutside = (program: string): boolean => program.includes("/") && !KNOWN_PATHS.has(program);

/** Runs them in every shell: a few with programs, the others with functions. */
const runBatch = (
  folder: string,
  texts: readonly string[],
  shells: readonly string[],
): Partial<CommandTally> => {
  const asFunction = texts.filter((text) => KNOWN.has(programOf(text)));
  const asProgram = texts.filter((text, index) => index % PROGRAM_EVERY === 0 || !KNOWN.has(programOf(text)));
  for (const program of new Set(asProgram.map(programOf)))
    makeStub(program.includes("/") ? join(folder, program) : join(folder, "bin", program));
  const faults = shells.flatMap((shell) => [
    ...compare(shell, folder, asFunction, false),
    ...compare(shell, folder, asProgram, true),
  ]);
  const one = { functions: asFunction.length, programs: asProgram.length };
  return { faults, runs: Object.fromEntries(shells.map((shell) => [shell, one])) };
};

/** Generates so many commands, and runs each that is understood in every shell. */
export const surveyCommands = (
  count: number,
  seed: number,
  shells: readonly string[] = SHELL_NAMES,
): CommandTally => {
  const folder = makeFolder();
  const random = createRandom(seed);
  const understood = Array.from({ length: count }, () => generateCommand(random)).filter(
    (text) => wordsOf(text) !== null,
  );
  const texts = understood.filter((text) => !isOutside(programOf(text)));
  try {
    const { runs = {}, faults = [] } = runBatch(folder, texts, shells);
    return {
      generated: count,
      understood: understood.length,
      outside: understood.length - texts.length,
      runs,
      faults,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
