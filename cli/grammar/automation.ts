// The verbs of automation: what is armed, and where messages go for somebody who is elsewhere. Rules have their own file.
import type { CliContext } from "../context.ts";
import { addRules } from "./rules.ts";
import { addContentFilters, addTargetFilters, json, type Outcome } from "./options.ts";
import type { Verb } from "./verb.ts";

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
    .option("--when <condition>", "quiet:10m, match:<pattern>, state:<state>, needs-action or gone")
    .option("--every", "each time, not only the first")
    .option("--channel <channel>", "over this channel alone, at any hour")
    .option("--for <duration>", "how long it stays armed; 8h by default, 7d at most")
    .addOption(json())
    .example("agtmux tell %12 --when state:completed", "When that agent's turn has ended.")
    .example(
      "agtmux tell runtime:4f2a --when 'match:FAILED|Error' --channel phone",
      "When its screen shows a new line that matches.",
    )
    .example(
      "agtmux tell --session work --when quiet:10m --every",
      "Whenever one of them works without a sign.",
    )
    .action(async (ref, options) => (await import("../verbs/tell.ts")).runTell(context, ref, options));
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
    "let an armed job rest",
    "It does nothing until it is released, but it still expires at its time.",
  ]);
  add("release", false, ["let a held job go on", "It is armed again, unless its time has passed."]);
};

const addJobs = (program: Verb, context: CliContext): void => {
  const jobs = program.command("jobs").description("what is armed, and what it did");
  jobs
    .command("list", { isDefault: true })
    .description("list the jobs, newest first")
    .addOption(json())
    .example("agtmux jobs list", "Every job, armed or ended.")
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
    .action(async (options) => (await import("../verbs/channel.ts")).runChannelList(context, options));
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
      outcome.exitCode = await (await import("../verbs/channel.ts")).runChannelTest(context, name, options);
    });
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
    "Everything that is armed rests; notifications of states go on.",
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
};
