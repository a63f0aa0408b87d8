// The verbs of automation: where messages go for somebody who is elsewhere.
import type { CliContext } from "../context.ts";
import { json, type Outcome } from "./options.ts";
import type { Verb } from "./verb.ts";

const WHAT_GOES_OUT = `
A channel tells who needs what and where; what is asked goes along only with "include": "request" in config.json.
`;

const TEST_STATUS = `
Exit status: 0 delivered, 20 not delivered; the reason is printed.
`;

const addChannelList = (channel: Verb, context: CliContext): void => {
  channel
    .command("list")
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

export const addAutomation = (program: Verb, context: CliContext, outcome: Outcome): void => {
  const channel = program
    .command("channel")
    .description("where notifications go beside this desktop; 'channels' in config.json holds them");
  addChannelList(channel, context);
  addChannelTest(channel, context, outcome);
};
