// `agtmux completions <shell>`: the script that makes a shell complete our commands.
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { completionTable } from "../completion/table.ts";
import { zshScript } from "../completion/zsh.ts";
import type { CliContext } from "../context.ts";
import type { Verb } from "../grammar/verb.ts";
import { toPage } from "../reference/pages.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export type Shell = keyof typeof SCRIPTS;

export const runCompletions = (context: CliContext, program: Verb, shell: Shell): void =>
  context.print(SCRIPTS[shell](completionTable(toPage(program))));
