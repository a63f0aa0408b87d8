// Arms texts that are sent later. What could never be sent as it was meant is refused here, before anything is armed.
import { randomInt } from "node:crypto";
import { AgtmuxError } from "../../../core/model/errors.ts";
import type { Job, SendJob } from "../../../core/model/job.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import type { AutomationService } from "../calls.ts";
import { findAgent } from "../jobs/agentOf.ts";
import { jobView } from "../jobs/jobWords.ts";
import { LATE_MS } from "./decideSends.ts";
import { checkSchedule, nextOfSchedule } from "./schedule.ts";

/** Of one agent at once: texts for its next turns, and texts of set times. */
const MAX_QUEUED = 10;
const MAX_SCHEDULED = 50;

type SendInput = Parameters<AutomationService["send"]>[0];

export interface SendServiceDeps {
  readonly context: FeatureContext;
  readonly keepInMemory: (jobId: string, text: string) => void;
  /** Something was armed. */
  readonly onChange: () => void;
}

/** After a limit has ended, s: its provider's clock may differ, and not everybody should come at once. */
const AFTER_RESET_S = [60, 180] as const;

const refuse = (why: string, remedy: string): AgtmuxError =>
  new AgtmuxError("E_USAGE", `${why}; nothing was armed`, { remedy });

const isSendOf =
  (runtimeId: string) =>
  (job: Job): job is SendJob =>
    job.kind === "send" && job.agent.runtimeId === runtimeId;

/** When it is due first, when it is given up, and how often it is sent. */
const timesOf = (
  trigger: SendJob["trigger"],
  { expiresMs, times }: SendInput,
  now: number,
): Pick<SendJob, "nextAt" | "expiresAt" | "maxRuns"> => {
  switch (trigger.kind) {
    case "ready":
      return { nextAt: null, expiresAt: now + expiresMs, maxRuns: 1 };
    case "at":
      if (trigger.at <= now) throw refuse("that time has passed", "Name one that is to come.");
      return { nextAt: trigger.at, expiresAt: trigger.at + LATE_MS, maxRuns: 1 };
    case "cron": {
      checkSchedule(trigger.expression);
      const nextAt = nextOfSchedule(trigger.expression, now);
      const expiresAt = now + expiresMs;
      if (nextAt === null || nextAt > expiresAt)
        throw refuse("the schedule has no time before it expires", "A schedule is armed for 7d at most.");
      return { nextAt, expiresAt, maxRuns: times };
    }
  }
};

export const createSendService = (deps: SendServiceDeps): Pick<AutomationService, "send"> => {
  const { context } = deps;
  const { jobs, clock, ids, redact } = context;

  const checkRoom = (runtimeId: string, trigger: SendJob["trigger"]): void => {
    const of = jobs.listArmedJobs().filter(isSendOf(runtimeId));
    const queued = of.filter((job) => job.trigger.kind === "ready").length;
    const [count, most] =
      trigger.kind === "ready" ? [queued, MAX_QUEUED] : [of.length - queued, MAX_SCHEDULED];
    if (count >= most)
      throw refuse(`${most} texts wait for that agent`, "Cancel one with 'agtmux jobs cancel <job>'.");
  };

  const triggerOf = ({ trigger, runtimeId }: SendInput, agentName: string): SendJob["trigger"] => {
    if (trigger.kind !== "reset") return trigger;
    const resetAt = context.sends.findReset(runtimeId);
    if (resetAt !== null) return { kind: "at", at: resetAt + randomInt(...AFTER_RESET_S) * 1_000 };
    throw new AgtmuxError("E_UNSUPPORTED", `${agentName} says of no limit when it ends; nothing was armed`, {
      remedy: "Name the time yourself with --at.",
    });
  };

  const checkText = ({ text, isVolatile }: SendInput): void => {
    if (text.trim() === "") throw refuse("there is no text to send", "Give it with --text or --stdin.");
    if (!isVolatile && redact(text) !== text)
      throw refuse(
        "the text holds a secret, and a job is stored",
        "Say --volatile: then it is kept in memory alone, and lost when the daemon ends.",
      );
  };

  return {
    send: async (input) => {
      const { agent, row } = findAgent(context, input.runtimeId);
      checkText(input);
      const adapter = context.adapters().find(({ agentType }) => agentType === row.agent);
      if (adapter?.readDraft === undefined)
        throw new AgtmuxError(
          "E_UNSUPPORTED",
          `it is not known how ${row.agent_name ?? "that agent"} shows what somebody typed, so nothing is typed to it unseen`,
          { remedy: "Send it yourself with 'agtmux send' when it is ready; 'agtmux tell' says when." },
        );
      const trigger = triggerOf(input, row.agent_name ?? "that agent");
      checkRoom(input.runtimeId, trigger);
      const now = clock.now();
      const job: SendJob = {
        jobId: ids.next("job"),
        kind: "send",
        createdAt: now,
        surface: input.surface,
        agent,
        sessionId: row.agent_session_id,
        trigger,
        text: input.isVolatile ? null : input.text,
        isVolatile: input.isVolatile,
        isFirst: false,
        state: "armed",
        runs: 0,
        ...timesOf(trigger, input, now),
      };
      jobs.insertJob(job);
      if (input.isVolatile) deps.keepInMemory(job.jobId, input.text);
      deps.onChange();
      return jobView(job, null);
    },
  };
};
