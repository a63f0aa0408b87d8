// What the doctor says of automation: of channels (it sends nothing: `agtmux channel test` does), of jobs and of rules.
import { access, constants, stat } from "node:fs/promises";
import { join } from "node:path";
import { checkChannels, type Channel, type ChannelView } from "../../core/model/notifications.ts";
import type { Check, Diagnosis } from "../../core/model/doctor.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";
import { readSecret, SecretProblem } from "./channels/delivery.ts";
import type { Job } from "../../core/model/job.ts";
import type { JobStore } from "../../core/ports/store.ts";
import { hashOf, watchOf, type Rule } from "./rules/ruleFile.ts";
import type { RuleSet } from "./rules/ruleSet.ts";

const LIMIT_MS = 3_000;

const isProgram = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
};

const findProgram = async (program: string, path: string): Promise<boolean> => {
  if (program.startsWith("/")) return isProgram(program);
  for (const folder of path.split(":").filter(Boolean))
    if (await isProgram(join(folder, program))) return true;
  return false;
};

/** What would keep a message from going out, as far as it can be seen without sending one. */
const findObstacle = async (channel: Channel, { env, uid }: FeatureContext): Promise<string | null> => {
  if (channel.kind === "command") {
    const [program = ""] = channel.argv;
    return (await findProgram(program, env["PATH"] ?? "")) ? null : `there is no program '${program}'`;
  }
  if (channel.secret_file === null) return null;
  try {
    await readSecret(channel.secret_file, env["HOME"] ?? "/", uid);
    return null;
  } catch (error) {
    if (error instanceof SecretProblem) return error.message;
    throw error;
  }
};

const examineChannels = async (
  channel: Channel,
  view: ChannelView | undefined,
  context: FeatureContext,
): Promise<Diagnosis> => {
  const { name } = channel;
  if (!channel.enabled) return { status: "skipped", summary: `The channel '${name}' is switched off.` };
  const obstacle = await findObstacle(channel, context);
  if (obstacle !== null)
    return {
      status: "problem",
      summary: `The channel '${name}' cannot deliver.`,
      evidence: obstacle,
      remedy: `Correct it, then run 'agtmux channel test ${name}'.`,
    };
  if (view?.last?.outcome === "not_delivered")
    return {
      status: "warning",
      summary: `The last message over the channel '${name}' was not delivered.`,
      evidence: `${view.last.at}: ${view.last.detail}`,
      remedy: `Run 'agtmux channel test ${name}'.`,
    };
  return {
    status: "ok",
    summary: `The channel '${name}' is in force.`,
    evidence: `${channel.kind} to ${view?.to ?? "nowhere"}; ${channel.include === "state" ? "states only" : "with a line of what is asked"}`,
  };
};

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;

/** What is worth knowing of a channel that takes answers, beside whether it delivers. */
const examineAnswers = (channel: Channel, view: ChannelView | undefined): Diagnosis[] => {
  if (channel.kind !== "ntfy" || !channel.answers || !channel.enabled) return [];
  const { name, include, secret_file } = channel;
  const found: Diagnosis[] = [];
  const answers = view?.answers ?? null;
  if (secret_file === null && !LOOPBACK.test(new URL(channel.url).host))
    found.push({
      status: "warning",
      summary: `Whoever knows the topic of the channel '${name}' can answer your agents.`,
      evidence: `${view?.to ?? "its server"} shows the topic to everybody who names it: no secret_file is set`,
      remedy:
        "Use an ntfy server of your own, or a reserved topic, with an access token in a file that secret_file names: docs/security.md#answers-from-the-phone.",
    });
  if (answers?.state === "paused")
    found.push({
      status: "problem",
      summary: `The channel '${name}' takes no answers any more.`,
      evidence: `${answers.detail}; ${answers.ignored} ignored`,
      remedy: `Choose another topic if somebody may know this one, then run 'agtmux channel resume ${name}'.`,
    });
  if (answers?.state === "unreachable")
    found.push({
      status: "warning",
      summary: `Answers over the channel '${name}' can't come back, so its messages carry no buttons.`,
      evidence: answers.detail,
      remedy: "See docs/automation.md#answer-from-the-phone.",
    });
  if (include === "state")
    found.push({
      status: "warning",
      summary: `Over the channel '${name}' nothing can be approved, because its messages don't show what is asked.`,
      remedy: 'Set "include": "request" for it, if what is asked may leave this machine.',
    });
  return found;
};

const checkAll = async (context: FeatureContext, views: readonly ChannelView[]): Promise<Diagnosis[]> => {
  const { channels, refused } = checkChannels(context.config().channels);
  if (channels.length + refused.length === 0)
    return [{ status: "skipped", summary: "No channel is configured: nothing is sent out." }];
  const wrong = refused.map(({ index, issues }): Diagnosis => ({
    status: "problem",
    summary: `Channel ${index + 1} in config.json is not in force.`,
    evidence: issues
      .slice(0, 5)
      .map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "))
      .join("; "),
    remedy: "Correct it; 'agtmux channel list' names the lines.",
  }));
  const right = channels.map(async (channel) => {
    const view = views.find(({ name }) => name === channel.name);
    return [await examineChannels(channel, view, context), ...examineAnswers(channel, view)];
  });
  return [...wrong, ...(await Promise.all(right)).flat()];
};

export const channelChecks = (context: FeatureContext, views: readonly ChannelView[]): Check[] => [
  {
    name: "daemon.channels",
    place: { group: "daemon" },
    limitMs: LIMIT_MS,
    run: () => checkAll(context, views),
  },
];

// Jobs: how many are armed, whether they are paused, and which channels they lack.

const JOBS_LIMIT_MS = 1_000;

const countText = (count: number): string =>
  count === 1 ? "1 job is scheduled" : `${count} jobs are scheduled`;

/** A job whose channel is no longer in force tells at this desktop alone. */
const channelsLostToJobs = (armed: readonly Job[], channels: readonly string[]): Diagnosis[] =>
  armed.flatMap((job): Diagnosis[] =>
    job.kind !== "watch" || job.channel === null || channels.includes(job.channel)
      ? []
      : [
          {
            status: "warning",
            summary: `The job ${job.jobId} tells over the channel '${job.channel}', which is not in force.`,
            remedy: "See 'agtmux channel list', or cancel it with 'agtmux jobs cancel'.",
          },
        ],
  );

type Armed = JobStore;

const examineJobs = (jobs: Armed, channels: readonly string[]): Diagnosis[] => {
  const armed = jobs.listArmedJobs();
  const pausedAt = jobs.pausedAt();
  if (pausedAt !== null)
    return [
      {
        status: "warning",
        summary: `Automation is paused: ${countText(armed.length)} and will do nothing.`,
        evidence: `since ${new Date(pausedAt).toISOString()}`,
        remedy: "Run 'agtmux automation resume' to let jobs go on.",
      },
    ];
  if (armed.length === 0) return [{ status: "skipped", summary: "No job is scheduled." }];
  return [{ status: "ok", summary: `${countText(armed.length)}.` }, ...channelsLostToJobs(armed, channels)];
};

/** `channels`: names of those in force. */
export const jobChecks = (jobs: Armed, channels: readonly string[]): Check[] => [
  {
    name: "daemon.jobs",
    place: { group: "daemon" },
    limitMs: JOBS_LIMIT_MS,
    run: () => examineJobs(jobs, channels),
  },
];

// Rules: what is wrong with the file, and what is armed, in shadow, or rests.

const MAX_SHOWN = 5;

/** A watch whose channel is not in force tells at this desktop alone. */
const channelsLostToRules = (rules: readonly Rule[], channels: readonly string[]): Diagnosis[] =>
  rules.flatMap(({ name, channel }): Diagnosis[] =>
    channel === undefined || channels.includes(channel)
      ? []
      : [
          {
            status: "warning",
            summary: `The rule ${name} tells over the channel '${channel}', which is not in force.`,
            remedy: "See 'agtmux channel list', or name another one in rules.json.",
          },
        ],
  );

const examineRules = async (
  context: FeatureContext,
  ruleSet: RuleSet,
  channels: readonly string[],
): Promise<Diagnosis | Diagnosis[]> => {
  await ruleSet.reload();
  const { rules, problems, blocksApproval } = ruleSet.current;
  if (!ruleSet.exists) return { status: "skipped", summary: "There are no approval rules." };
  const found: Diagnosis[] = channelsLostToRules(rules, channels);
  if (problems.length > 0)
    found.push({
      status: "problem",
      summary: blocksApproval
        ? "The rules file has a mistake in it, and nothing is approved until it is right."
        : "The rules file has a mistake in it; the rules named there are not in force.",
      evidence: problems
        .slice(0, MAX_SHOWN)
        .map(({ line, message }) => `rules.json:${line}: ${message}`)
        .join("\n"),
      remedy: "See 'agtmux rule check', and correct the file.",
    });
  const { armed } = ruleSet.now();
  const isLost = (rule: Rule): boolean => {
    const kind = watchOf(rule)?.kind;
    return (kind === "checks" || kind === "pr") && !context.config().pull_requests;
  };
  for (const { name } of rules.filter(isLost))
    found.push({
      status: "warning",
      summary: `The rule ${name} waits for pull requests, which nobody asks for.`,
      remedy: "Run 'agtmux config set pull_requests true', or take it out of rules.json.",
    });
  const answering = rules.filter(({ then }) => then === "approve" || then === "deny" || then === "send");
  const count = answering.filter((rule) => armed.has(hashOf(rule, rules))).length;
  const shadow = answering.length - count;
  const isPaused = context.jobs.pausedAt() !== null;
  const watching = rules.filter((rule) => watchOf(rule) !== null && rule.then !== "send").length;
  const others = rules.length - answering.length - watching;
  const words = `${count} armed, ${shadow} dry run, ${others} that press no key, ${watching} that watch`;
  if (isPaused && count + watching > 0)
    found.push({
      status: "warning",
      summary: `Automation is paused, and rules do nothing: ${words}.`,
      remedy: "Run 'agtmux automation resume' to let them go on.",
    });
  else found.push({ status: "ok", summary: `Approval rules: ${words}.` });
  return found;
};

/** `channels`: names of those in force. */
export const ruleChecks = (
  context: FeatureContext,
  ruleSet: RuleSet,
  channels: readonly string[],
): Check[] => [
  {
    name: "daemon.rules",
    place: { group: "daemon" },
    limitMs: LIMIT_MS,
    run: () => examineRules(context, ruleSet, channels),
  },
];
