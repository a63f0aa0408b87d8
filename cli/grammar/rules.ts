// The verbs of approval rules: which are in force, what they would do, what they did, and which a person armed.
import type { CliContext } from "../context.ts";
import { choice, json, type Outcome } from "./options.ts";
import type { Verb } from "./verb.ts";

const MODES = `
Rules stand in ~/.agtmux/rules.json. A rule that answers does nothing but note what it would do (in
shadow) until it is armed with 'agtmux rule arm'. After any change of it, or of a rule that goes before it, it is in shadow again.
`;

const addReading = (rule: Verb, context: CliContext): void => {
  rule
    .command("list", { isDefault: true })
    .description("the rules, whether they are armed, and what is wrong with those not in force")
    .addOption(json())
    .addHelpText("after", MODES)
    .example("agtmux rule list", "Every rule, what it would have answered, and what it did.")
    .action(async (options) => (await import("../verbs/rule.ts")).runRuleList(context, options));
  rule
    .command("check")
    .description("check the rules file, or another file, and say what its rules let run")
    .argument("[file]")
    .addOption(json())
    .example("agtmux rule check", "Names every problem of the file by its line.")
    .action(async (file, options) => (await import("../verbs/rule.ts")).runRuleCheck(context, file, options));
  rule
    .command("test")
    .description("say what the rules would make of a command, or of what was asked before; nothing is done")
    .argument("[command]")
    .option("--agent <agent>", "as if this agent asked", "claude")
    .option("--session <session>", "as if in this tmux session", "")
    .option("--cwd <folder>", "as if it worked in this folder (default: here)")
    .option("--history", "what agents asked before, instead of a command")
    .option("--limit <number>", "how many of those (default 100)")
    .addOption(json())
    .example("agtmux rule test 'git push --force'", "Which rule decides, and why.")
    .example("agtmux rule test --history", "The same for what agents asked lately.")
    .action(async (command, options) =>
      (await import("../verbs/rule.ts")).runRuleTest(context, command, options),
    );
  rule
    .command("draft")
    .description("print a rule about what an agent asks now; nothing is written or armed")
    .argument("<ref>")
    .addOption(choice("--then <what>", "what it shall do; approve by default", ["approve", "deny", "leave"]))
    .example("agtmux rule draft %12", "A rule for the card of that agent, to put into rules.json.")
    .action(async (ref, options) => (await import("../verbs/rule.ts")).runRuleDraft(context, ref, options));
  rule
    .command("log")
    .description("what rules answered, and what those in shadow would have")
    .option("--limit <number>", "how many (default 100)")
    .addOption(json())
    .example("agtmux rule log --limit 10", "The last ten, newest first, and how each ended.")
    .action(async (options) => (await import("../verbs/rule.ts")).runRuleLog(context, options));
};

export const addRules = (program: Verb, context: CliContext, outcome: Outcome): void => {
  const rule = program
    .command("rule")
    .description("answers that rules of yours give: what is refused, left to you, and approved");
  addReading(rule, context);
  rule
    .command("arm")
    .description("let a rule answer; shows it and asks, at a terminal only")
    .argument("<rule>")
    .example("agtmux rule arm status", "Shows the rule, what it lets run, and asks.")
    .action(async (name) => {
      outcome.exitCode = await (await import("../verbs/rule.ts")).runRuleArm(context, name);
    });
  rule
    .command("disarm")
    .description("let a rule answer nothing any more; it notes again what it would do")
    .argument("<rule>")
    .addOption(json())
    .example("agtmux rule disarm status", "From now on what it would approve is yours again.")
    .action(async (name, options) =>
      (await import("../verbs/rule.ts")).runRuleDisarm(context, name, options),
    );
};
