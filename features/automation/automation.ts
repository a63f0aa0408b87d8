// The feature "automation": watches that tell a person what came true, channels that tell one who is elsewhere, a queue of texts
// that the daemon's own gate sends when their time has come, and rules that answer through the same gate.
import { readFile } from "node:fs/promises";
import { channelChecks, jobChecks, ruleChecks } from "./doctorChecks.ts";
import { ChannelSet } from "./channels/channelSet.ts";
import {
  createArmedRows,
  rememberArmed,
  createJobService,
  createSendService,
  createWatchService,
} from "./jobs.ts";
import { FirstTaskQueue, identityOf } from "./queue/firstTasks.ts";
import { RuleRunner } from "./rules/ruleRunner.ts";
import { createRuleService } from "./ruleService.ts";
import { RuleSet } from "./rules/ruleSet.ts";
import { TextRules } from "./textRules.ts";
import { SendRunner } from "./queue/sendRunner.ts";
import { lostRow, agentName } from "./watches/decide.ts";
import { WatchRunner, type WatchMessage } from "./watches/watchRunner.ts";
import { oneLine } from "./channels/channelMessage.ts";
import type { Deliver } from "./channels/delivery.ts";
import { answerOf } from "../../core/api/calls.ts";
import { AUTOMATION_CALLS, type AutomationService } from "./calls.ts";
import { configProblems, type ConfigProblem } from "../../core/model/config.ts";
import { AgtmuxError, isMissing } from "../../core/model/errors.ts";
import { stamp } from "../../core/model/schemaVersion.ts";
import type { Feature, FeatureContext, FirstTasks } from "../../core/ports/feature.ts";

/** What is wrong in config.json as it is now. */
const readProblems = async (path: string): Promise<ConfigProblem[]> => {
  try {
    return configProblems(await readFile(path, "utf8"));
  } catch (error) {
    if (isMissing(error)) return [];
    throw new AgtmuxError("E_CONFIG_INVALID", `${path} cannot be read`, { cause: error });
  }
};

const noChannel = (context: FeatureContext, channels: ChannelSet, name: string): AgtmuxError =>
  new AgtmuxError("E_USAGE", `no channel in force is called '${name.slice(0, 40)}'`, {
    remedy:
      channels.count === 0
        ? `Configure one in ${context.configPath}; docs/automation.md shows how.`
        : `Channels in force: ${channels.names().join(", ")}. 'agtmux channel list' says what is wrong with others.`,
  });

const createChannelService = (context: FeatureContext, channels: ChannelSet) =>
  ({
    channelList: async () => ({
      items: channels.views(),
      problems: await readProblems(context.configPath),
    }),
    channelTest: async ({ name }) => {
      const delivery = await channels.test(name);
      if (delivery === null) throw noChannel(context, channels, name);
      return {
        ...stamp(context.clock.now()),
        channel: name,
        outcome: delivery.outcome,
        detail: delivery.outcome === "delivered" ? "" : context.redact(delivery.detail),
      };
    },
    channelResume: async ({ name, surface }) => {
      const wasPaused = channels.resume(name);
      if (wasPaused === null) throw noChannel(context, channels, name);
      if (wasPaused)
        context.record({ action: "channel-resume", surface, ref: `channel:${name}`, outcome: "resumed" });
      return { ...stamp(context.clock.now()), channel: name, was_paused: wasPaused };
    },
  }) satisfies Partial<AutomationService>;

export const createAutomation = (
  options: {
    /** Only tests replace it. */
    deliver?: Deliver;
    /** Gets what arms the first texts of new agents, once the feature runs. */
    offerFirstTasks?: (tasks: FirstTasks) => void;
  } = {},
): Feature => ({
  name: "automation",
  calls: AUTOMATION_CALLS,
  start: (given) => {
    const context = { ...given, jobs: rememberArmed(given.jobs, given.clock) };
    const showArmed = createArmedRows(context, () => rules.shadowNotes());
    const channels = new ChannelSet(context, options.deliver);
    const stop = context.onConfigChange(() => channels.apply());
    const tell = (message: WatchMessage): void => {
      const { id, title, line, row } = message;
      channels.tell(message);
      const clean = oneLine(context.redact);
      const body = [line ?? "", row.identity.session_name].map(clean).filter(Boolean).join("\n");
      context.tell({ id, title: clean(title), body, pane: row });
    };
    const hears = (channel: string | null): boolean => context.hasListeners() || channels.speaks(channel);
    const watches = new WatchRunner({ context, tell, hears, rules: () => ruleSet.current.rules });
    const queue = new SendRunner({
      context,
      onLook: showArmed,
      tell: ({ jobId, agent }, known, why) => {
        const row = known ?? lostRow(agent.identity, agent.agentName);
        const title = `A text for ${agentName(row)} was not sent: ${why}`;
        tell({ id: `${jobId}:${context.clock.now()}`, jobId, title, line: null, row, channel: null });
      },
    });
    const ruleSet = new RuleSet(context, () => lookAgain());
    const rules = new RuleRunner({
      context,
      ruleSet,
      onLook: showArmed,
      tell: (row, { title, key }) => tell({ id: key, jobId: key, title, line: null, row, channel: null }),
    });
    rules.tick();
    const lookAgain = (): void => {
      watches.tick();
      queue.tick();
      rules.tick();
      texts.tick();
    };
    const firstTasks = new FirstTaskQueue({
      context,
      keepInMemory: (jobId, text) => queue.keepInMemory(jobId, text),
      reasonOf: (jobId) => queue.reasonOf(jobId),
      onBound: () => queue.tick(),
      tell: ({ jobId, place }, why) => {
        const row = lostRow(identityOf(place), null);
        const title = `The task of a new ${place.agentType} was not sent: ${why}`;
        tell({ id: `${jobId}:${context.clock.now()}`, jobId, title, line: null, row, channel: null });
      },
    });
    options.offerFirstTasks?.(firstTasks);
    const sends = createSendService({
      context,
      keepInMemory: (jobId, text) => queue.keepInMemory(jobId, text),
      onChange: lookAgain,
    });
    const texts = new TextRules({
      context,
      ruleSet,
      send: (input) => sends.send(input),
      onEnd: () => queue.tick(),
    });
    // What waits may belong to a rule that is gone since the last daemon: that is known once the file was read.
    void ruleSet.reload().then(() => texts.tick());
    const service: AutomationService = {
      ...createChannelService(context, channels),
      ...createWatchService({ context, channels: () => channels.names(), hears, onChange: lookAgain }),
      ...sends,
      ...createRuleService({ context, ruleSet, onChange: lookAgain }),
      ...createJobService({ context, reasonOf: (jobId) => queue.reasonOf(jobId), onChange: lookAgain }),
    };
    return {
      answer: (call, input, caller) => answerOf(service, call)(input, caller),
      onChanges: (changes) => {
        channels.handleChanges(changes);
        watches.handleChanges(changes);
        queue.handleChanges(changes);
        rules.handleChanges(changes);
        texts.handleChanges(changes);
      },
      keepsAwake: () =>
        channels.count > 0 ||
        watches.armedCount + queue.armedCount + firstTasks.armedCount > 0 ||
        ruleSet.hasArmed(),
      doctorChecks: () => [
        ...channelChecks(context, channels.views()),
        ...jobChecks(context.jobs, channels.names()),
        ...ruleChecks(context, ruleSet, channels.names()),
      ],
      close: async () => {
        stop();
        await watches.close();
        await firstTasks.close();
        ruleSet.close();
        await rules.close();
        await texts.close();
        await queue.close();
        await channels.close();
      },
    };
  },
});
