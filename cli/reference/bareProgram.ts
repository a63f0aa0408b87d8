// The grammar without a process around it: for the documents and for tests that read or parse and never execute.
import type { CliContext } from "../context.ts";
import type { Verb } from "../grammar/verb.ts";
import { createProgram } from "../program.ts";

const unreachable = (): never => {
  throw new Error("the bare grammar executes nothing");
};

export const createBareProgram = (print: (text: string) => void = unreachable): Verb => {
  const context: CliContext = {
    env: {},
    version: "",
    root: "",
    get stdout(): never {
      return unreachable();
    },
    get stderr(): never {
      return unreachable();
    },
    get stdin(): never {
      return unreachable();
    },
    get signal(): never {
      return unreachable();
    },
    paint: (_colour, text) => text,
    width: null,
    now: unreachable,
    paths: unreachable,
    connect: unreachable,
    print,
  };
  return createProgram(context, { exitCode: 0 });
};
