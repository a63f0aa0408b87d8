// The verbs of automation: rule (approval rules); tell, jobs and automation (what is armed); channel (where messages go for
// somebody who is elsewhere). A text that is sent later is an option of send.
import type { CliContext, Outcome } from "../command/context.ts";
import { choice, json, type Verb, addContentFilters, addTargetFilters } from "../command/verb.ts";

// Rules: which are in force, what they would do, what they did, and which a person armed.

const MODES = `
Rules stand in ~/.agtmux/rules.json. Until it is armed with 'agtmux rule arm', a rule that answers is a dry run: it only logs what it
would do. After any change of it, or of a rule before it, it is a dry run again.
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
    .example("agtmux rule check", "Lists every problem with its line.")
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
    .addOption(choice("--then <what>", "what it does; approve by default", ["approve", "deny", "leave"]))
    .example("agtmux rule draft %12", "A rule for the card of that agent, to put into rules.json.")
    .action(async (ref, options) => (await import("../verbs/rule.ts")).runRuleDraft(context, ref, options));
  rule
    .command("log")
    .description("what rules answered, and what dry runs would have")
    .option("--limit <number>", "how many (default 100)")
    .addOption(json())
    .example("agtmux rule log --limit 10", "The last ten, newest first, and how each ended.")
    .action(async (options) => (await import("../verbs/rule.ts")).runRuleLog(context, options));
};

const addRules = (program: Verb, context: CliContext, outcome: Outcome): void => {
  const rule = program
    .command("rule")
    .description("answers that rules of yours give: what is refused, left to you, and approved");
  addReading(rule, context);
  rule
    .command("arm")
    .description("let a rule answer; shows it and asks first, only in a terminal")
    .argument("<rule>")
    .example("agtmux rule arm status", "Shows the rule, what it lets run, and asks.")
    .action(async (name) => {
      outcome.exitCode = await (await import("../verbs/rule.ts")).runRuleArm(context, name);
    });
  rule
    .command("disarm")
    .description("make a rule a dry run again")
    .argument("<rule>")
    .addOption(json())
    .example("agtmux rule disarm status", "From now on what it would approve is yours again.")
    .action(async (name, options) =>
      (await import("../verbs/rule.ts")).runRuleDisarm(context, name, options),
    );
};

// Jobs and channels: arming a watch, what is armed, pausing it, and where messages go.

const WHAT_GOES_OUT = `
A channel tells who needs what and where; what is asked goes along only with "include": "request" in config.json.
`;

const TEST_STATUS = `
Exit status: 0 delivered, 20 not delivered; the reason is printed.
`;

const addTell = (program: Verb, context: CliContext): void => {
  addContentFilters(
    addTargetFilters(
      program
        .command("tell")
        .description("be told when something comes true, over your channels and at this desktop")
        .argument("[ref]"),
    ),
    "panes",
  )
    .option(
      "--when <condition>",
      "quiet:10m, match:<pattern>, state:<state>, needs-action, done, conflict, checks:failed, checks:passed, pr:approved or gone",
    )
    .option("--every", "each time, not only the first")
    .option("--channel <channel>", "over this channel alone, at any hour")
    .option("--for <duration>", "how long it stays armed; 8h by default, 7d at most")
    .addOption(json())
    .example("agtmux tell %12 --when done", "When that agent's turn is over.")
    .example(
      "agtmux tell runtime:4f2a --when 'match:FAILED|Error' --channel phone",
      "When its screen shows a new line that matches.",
    )
    .example(
      "agtmux tell --session work --when quiet:10m --every",
      "Whenever one of them works without a sign.",
    )
    .action(async (ref, options) => (await import("../verbs/jobs.ts")).runTell(context, ref, options));
};

const addHold = (jobs: Verb, context: CliContext): void => {
  const add = (name: string, isHeld: boolean, [says, example]: [string, string]): void => {
    jobs
      .command(name)
      .description(says)
      .argument("<job>")
      .addOption(json())
      .example(`agtmux jobs ${name} job_0mf3a`, example)
      .action(async (id, options) =>
        (await import("../verbs/jobs.ts")).runJobsHold(context, id, isHeld, options),
      );
  };
  add("hold", true, [
    "pause a job",
    "It does nothing until it is released, but it still expires at its time.",
  ]);
  add("release", false, ["release a held job", "It is armed again, unless its time has passed."]);
};

const addJobs = (program: Verb, context: CliContext): void => {
  const jobs = program.command("jobs").description("scheduled texts and watches, and what they did");
  jobs
    .command("list", { isDefault: true })
    .description("list the jobs, newest first")
    .addOption(json())
    .example("agtmux jobs list", "Every job, active or ended.")
    .action(async (options) => (await import("../verbs/jobs.ts")).runJobsList(context, options));
  jobs
    .command("show")
    .description("show one job, and when it told or sent what")
    .argument("<job>")
    .addOption(json())
    .example("agtmux jobs show job_0mf3a", "What it waits for, and everything that it told.")
    .action(async (id, options) => (await import("../verbs/jobs.ts")).runJobsShow(context, id, options));
  jobs
    .command("cancel")
    .description("end a job that is armed or held")
    .argument("<job>")
    .addOption(json())
    .example("agtmux jobs cancel job_0mf3a", "It tells and sends nothing any more.")
    .action(async (id, options) => (await import("../verbs/jobs.ts")).runJobsCancel(context, id, options));
  addHold(jobs, context);
};

const addChannelList = (channel: Verb, context: CliContext): void => {
  channel
    .command("list", { isDefault: true })
    .description("the channels, how their last messages went, and what is wrong with those not in force")
    .addOption(json())
    .addHelpText("after", WHAT_GOES_OUT)
    .example("agtmux channel list", "Every channel of config.json; without one nothing is sent out.")
    .example("agtmux channel list --json", "The same for a script, with the reason of the last failure.")
    .action(async (options) => (await import("../verbs/jobs.ts")).runChannelList(context, options));
};

const addChannelTest = (channel: Verb, context: CliContext, outcome: Outcome): void => {
  channel
    .command("test")
    .description("send a test message now, and say how that went")
    .argument("<channel>")
    .addOption(json())
    .addHelpText("after", TEST_STATUS)
    .example("agtmux channel test phone", "Sends 'agtmux test' over the channel that is called phone.")
    .example("agtmux channel test phone --json", "Whether it arrived, and why not.")
    .action(async (name, options) => {
      outcome.exitCode = await (await import("../verbs/jobs.ts")).runChannelTest(context, name, options);
    });
};

const addChannelResume = (channel: Verb, context: CliContext): void => {
  channel
    .command("resume")
    .description("take answers over a channel again, after it was paused")
    .argument("<channel>")
    .addOption(json())
    .example("agtmux channel resume phone", "Its next messages carry buttons again.")
    .action(async (name, options) =>
      (await import("../verbs/jobs.ts")).runChannelResume(context, name, options),
    );
};

const addSwitch = (program: Verb, context: CliContext): void => {
  const automation = program.command("automation").description("pause and resume everything that is armed");
  const add = (name: string, isPaused: boolean, [says, example]: [string, string]): void => {
    automation
      .command(name)
      .description(says)
      .addOption(json())
      .example(`agtmux automation ${name}`, example)
      .action(async (options) =>
        (await import("../verbs/jobs.ts")).runAutomationSwitch(context, isPaused, options),
      );
  };
  add("pause", true, [
    "let no job tell or do anything until 'automation resume', over restarts too",
    "Jobs and rules pause; notifications about states continue.",
  ]);
  add("resume", false, ["let the jobs go on", "What is still true at that moment is told."]);
};

export const addAutomation = (program: Verb, context: CliContext, outcome: Outcome): void => {
  addTell(program, context);
  addJobs(program, context);
  addSwitch(program, context);
  addRules(program, context, outcome);
  const channel = program
    .command("channel")
    .description("where notifications go beside this desktop; 'channels' in config.json holds them");
  addChannelList(channel, context);
  addChannelTest(channel, context, outcome);
  addChannelResume(channel, context);
};
