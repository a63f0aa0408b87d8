// The feature "automation": watches that tell a person what came true, and channels that tell one who is elsewhere. It sends no
// key to any pane.
import { readFile } from "node:fs/promises";
import { channelChecks } from "./channels/channelChecks.ts";
import { ChannelSet } from "./channels/channelSet.ts";
import { jobChecks } from "./watches/jobChecks.ts";
import { WatchRunner } from "./watches/watchRunner.ts";
import { createWatchService } from "./watches/watchService.ts";
import { oneLine } from "./channels/channelMessage.ts";
import type { Deliver } from "./channels/delivery.ts";
import { AUTOMATION_CALLS, type AutomationCall, type AutomationService } from "./calls.ts";
import { configProblems, type ConfigProblem } from "../../core/model/configProblems.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { SCHEMA_VERSION } from "../../core/model/schemaVersion.ts";
import { isMissing } from "../../core/model/systemError.ts";
import type { Feature, FeatureContext } from "../../core/ports/feature.ts";

/** What is wrong in config.json as it is now. */
const readProblems = async (path: string): Promise<ConfigProblem[]> => {
  try {
    return configProblems(await readFile(path, "utf8"));
  } catch (error) {
    if (isMissing(error)) return [];
    throw new AgtmuxError("E_CONFIG_INVALID", `${path} cannot be read`, { cause: error });
  }
};

type ChannelCalls = Pick<AutomationService, "channelList" | "channelTest">;

const createChannelService = (context: FeatureContext, channels: ChannelSet): ChannelCalls => ({
  channelList: async () => ({
    items: channels.views(),
    problems: await readProblems(context.configPath),
  }),
  channelTest: async ({ name }) => {
    const delivery = await channels.test(name);
    if (delivery === null)
      throw new AgtmuxError("E_USAGE", `no channel in force is called '${name.slice(0, 40)}'`, {
        remedy:
          channels.count === 0
            ? `Configure one in ${context.configPath}; docs/automation.md shows how.`
            : `Channels in force: ${channels.names().join(", ")}. 'agtmux channel list' says what is wrong with others.`,
      });
    return {
      schema_version: SCHEMA_VERSION,
      generated_at: new Date(context.clock.now()).toISOString(),
      channel: name,
      outcome: delivery.outcome,
      detail: delivery.outcome === "delivered" ? "" : context.redact(delivery.detail),
    };
  },
});

/** `deliver`: only tests replace it. */
export const createAutomation = (options: { deliver?: Deliver } = {}): Feature => ({
  name: "automation",
  calls: AUTOMATION_CALLS,
  start: (context) => {
    const channels = new ChannelSet(context, options.deliver);
    const stop = context.onConfigChange(() => channels.apply());
    const watches = new WatchRunner({
      context,
      tell: (message) => {
        const { id, title, line, row } = message;
        channels.tell(message);
        const body = [line ?? "", row.identity.session_name]
          .map(oneLine(context.redact))
          .filter(Boolean)
          .join("\n");
        context.tell({ id, title: oneLine(context.redact)(title), body, pane: row });
      },
    });
    const service: AutomationService = {
      ...createChannelService(context, channels),
      ...createWatchService({ context, channels: () => channels.names(), onChange: () => watches.tick() }),
    };
    return {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the router calls by a name of the table, with what its schema gave
      answer: (call, input) => service[call as AutomationCall](input as never),
      onChanges: (changes) => {
        channels.handleChanges(changes);
        watches.handleChanges(changes);
      },
      keepsAwake: () => channels.count > 0 || watches.armedCount > 0,
      doctorChecks: () => [
        ...channelChecks(context, channels.views()),
        ...jobChecks(context.jobs, channels.names()),
      ],
      close: async () => {
        stop();
        watches.close();
        await channels.close();
      },
    };
  },
});
