// `agtmux send` with a time: arms a text that is sent once its time has come and the agent rests.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { JobDocument } from "../../core/model/job.ts";
import type { AutomationInput } from "../../features/automation/calls.ts";
import { askAutomation } from "../askAutomation.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { printDocument } from "../document.ts";
import { findRuntime } from "../findRuntime.ts";
import { parseDuration, parseTime } from "../parse/duration.ts";

export interface LaterOptions {
  whenReady?: boolean;
  at?: string;
  atReset?: boolean;
  cron?: string;
  times?: string;
  expires?: string;
  volatile?: boolean;
  json?: boolean;
}

type SendInput = AutomationInput<"send">;

const DAY_MS = 86_400_000;
/** As the daemon's: loading its schemas would cost more than the whole command. */
const LONGEST_MS = 7 * DAY_MS;
const MOST_TIMES = 200;

const usage = (message: string, remedy: string): AgtmuxError =>
  new AgtmuxError("E_USAGE", message, { remedy });

const triggerOf = (options: LaterOptions, now: number): SendInput["trigger"] => {
  const { whenReady, at, atReset, cron } = options;
  if ([whenReady, at, atReset, cron].filter((one) => one !== undefined).length > 1)
    throw usage("send takes one of --when-ready, --at, --at-reset and --cron", "Say one of them.");
  if (atReset === true) return { kind: "reset" };
  if (at !== undefined) return { kind: "at", at: parseTime(at, now) };
  return cron === undefined ? { kind: "ready" } : { kind: "cron", expression: cron };
};

const expiresOf = ({ at, atReset, cron, expires }: LaterOptions): number => {
  if (expires === undefined) return cron === undefined ? DAY_MS : LONGEST_MS;
  if (at !== undefined || atReset === true)
    throw usage(
      "--expires does not go with --at and --at-reset",
      "A text of a set time is given up an hour after it.",
    );
  const ms = parseDuration(expires, "--expires");
  if (ms >= 1_000 && ms <= LONGEST_MS) return ms;
  throw usage(`--expires ${expires} is too long or too short`, "1s to 7d.");
};

const timesOf = ({ cron, times }: LaterOptions): Pick<SendInput, "times"> => {
  if (times === undefined) return {};
  if (cron === undefined) throw usage("--times goes with --cron", "Any other text is sent once.");
  const count = Number(times);
  if (/^\d{1,3}$/.test(times) && count >= 1 && count <= MOST_TIMES) return { times: count };
  throw usage(`--times ${times.slice(0, 20)} is no such number`, `1 to ${MOST_TIMES}.`);
};

const saysWhen = (nextAt: string | null): string =>
  nextAt === null ? "once its agent rests" : `at ${new Date(nextAt).toLocaleString()}, once its agent rests`;

export const runSendLater = async (
  context: CliContext,
  ref: string,
  text: string,
  options: LaterOptions,
): Promise<void> => {
  const later = {
    trigger: triggerOf(options, context.now()),
    expiresMs: expiresOf(options),
    ...timesOf(options),
  };
  const job = await withDaemon(context, async (client) =>
    askAutomation(client, "send", "mutation", {
      ...later,
      runtimeId: await findRuntime(context, client, { ref, says: options.json !== true }),
      text,
      isVolatile: options.volatile === true,
      surface: "cli",
    }),
  );
  if (options.json === true) printDocument<JobDocument>(context, { job });
  else context.print(`${job.job_id}: sent ${saysWhen(job.next_at)}\n`);
};
