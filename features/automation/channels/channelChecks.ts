// What the doctor says of the channels. It sends nothing: `agtmux channel test` does.
import { access, constants, stat } from "node:fs/promises";
import { join } from "node:path";
import { checkChannels, type Channel, type ChannelView } from "../../../core/model/channel.ts";
import type { Check, Diagnosis } from "../../../core/model/doctorCheck.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import { readSecret, SecretProblem } from "./readSecret.ts";

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

const examine = async (
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
  const right = channels.map((channel) =>
    examine(
      channel,
      views.find(({ name }) => name === channel.name),
      context,
    ),
  );
  return [...wrong, ...(await Promise.all(right))];
};

export const channelChecks = (context: FeatureContext, views: readonly ChannelView[]): Check[] => [
  {
    name: "daemon.channels",
    place: { group: "daemon" },
    limitMs: LIMIT_MS,
    run: () => checkAll(context, views),
  },
];
