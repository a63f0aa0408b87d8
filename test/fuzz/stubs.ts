// The world around a boundary in its smallest form: a clock that stands, files and commands that answer what a case says.
import type { Clock } from "../../core/ports/clock.ts";
import type { TargetExecutor, TargetFiles } from "../../core/ports/targetExecutor.ts";

/** Stands at the time of the recordings; nothing ever times out. */
export const stubClock = (): Clock => ({ now: () => 1_795_238_680_000, setTimer: () => () => {} });

export interface StubAnswers {
  readText: (path: string) => string | null;
  list?: (path: string) => string[];
  readLink?: (path: string) => string | null;
  mtimeMs?: number;
  run?: (argv: readonly string[]) => string;
}

export const stubFiles = ({ readText, list, readLink, mtimeMs = 0 }: StubAnswers): TargetFiles => ({
  readText: (path, maxBytes) => Promise.resolve(readText(path)?.slice(0, maxBytes) ?? null),
  readTail: (path, maxBytes) => Promise.resolve(readText(path)?.slice(-maxBytes) ?? null),
  readLink: (path) => Promise.resolve(readLink?.(path) ?? null),
  list: (path) => Promise.resolve(list?.(path) ?? []),
  stat: (path) => {
    const text = readText(path);
    return Promise.resolve(text === null ? null : { mtimeMs, size: text.length, isFile: true, mode: 0o600 });
  },
  writeText: () => Promise.reject(new Error("reads only")),
  remove: () => Promise.reject(new Error("reads only")),
});

export const stubExecutor = (answers: StubAnswers): TargetExecutor => ({
  targetId: "host",
  kind: "local",
  homeDir: () => Promise.resolve("/home/dev"),
  run: (argv) =>
    Promise.resolve({ exitCode: 0, stdout: answers.run?.(argv) ?? "", stderr: "", timedOut: false }),
  runTmux: ({ program, words }) =>
    Promise.resolve({
      exitCode: 0,
      stdout: answers.run?.([program, ...words]) ?? "",
      stderr: "",
      timedOut: false,
    }),
  tmuxForTerminal: ({ program, words }) => [program, ...words],
  files: stubFiles(answers),
  close: () => Promise.resolve(),
});
