// The verb that proves the chain from the agents' hooks to the command line.
import type { CliContext } from "../context.ts";
import { json, type Outcome } from "./options.ts";
import type { Verb } from "./verb.ts";

const STATUS = `
Exit status: 0 no problem, 1 at least one problem (with --strict also at least one warning).
Nothing is changed: the test event is recognised when it arrives and never applied.
`;

export const addDoctor = (program: Verb, context: CliContext, outcome: Outcome): void => {
  program
    .command("doctor")
    .description("prove the chain from the agents' hooks to here, and say what to do where it breaks")
    .option("--target <target>", "check only this target, and the command, the home and the daemon")
    .option("--strict", "warnings count as problems for the exit status")
    .addOption(json())
    .addHelpText("after", STATUS)
    .example("agtmux doctor", "Every link of the chain, with evidence, and a remedy for each broken one.")
    .example(
      "agtmux doctor --strict --json",
      "For a script: every finding, and exit status 1 for warnings too.",
    )
    .action(async (options) => {
      outcome.exitCode = await (await import("../verbs/doctor.ts")).runDoctor(context, options);
    });
};
