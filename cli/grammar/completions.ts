// The verbs behind the TAB key: the scripts for the shells, and the hidden question that those ask.
import { Argument } from "commander";
import { isLiveKind } from "../completion/kinds.ts";
import type { CliContext } from "../context.ts";
import type { Verb } from "./verb.ts";

const isShell = (text: string): text is "bash" | "zsh" | "fish" => ["bash", "zsh", "fish"].includes(text);

export const addCompletions = (program: Verb, context: CliContext): void => {
  program
    .command("completions")
    .description("a script that completes agtmux in a shell")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .example(
      "agtmux completions bash > ~/.local/share/bash-completion/completions/agtmux",
      "For every new bash.",
    )
    .example(
      "agtmux completions zsh > ~/.zfunc/_agtmux",
      "For zsh, where ~/.zfunc is in fpath before compinit runs.",
    )
    .example("agtmux completions fish > ~/.config/fish/completions/agtmux.fish", "For every new fish shell.")
    .action(async (shell: string) => {
      if (isShell(shell)) (await import("../verbs/completions.ts")).runCompletions(context, program, shell);
    });
  program
    .command("__complete", { hidden: true })
    .argument("<kind>")
    .argument("[prefix]")
    .action(async (kind: string, prefix: string | undefined) => {
      if (isLiveKind(kind))
        await (await import("../verbs/complete.ts")).runComplete(context, kind, prefix ?? "");
    });
};
