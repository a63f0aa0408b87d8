// What surfaces ask of the watches: to arm them. What is wrong is refused before anything is armed.
import { createDeadline, findPatternProblem } from "../../../core/pattern/pattern.ts";
import { AgtmuxError } from "../../../core/model/errors.ts";
import { MAX_RUNS, type WatchJob, type WatchSubject } from "../../../core/model/job.ts";
import type { FeatureContext } from "../../../core/ports/feature.ts";
import type { AutomationService } from "../calls.ts";
import { bareKeyOf, bareKeysOf, MAX_BARE_PANES } from "./barePanes.ts";
import { findAgent } from "../jobs/agentOf.ts";
import { jobView } from "../jobs/jobWords.ts";

/** Armed at once. */
const MAX_ARMED = 50;

type WatchCalls = Pick<AutomationService, "watch">;
type WatchInput = Parameters<WatchCalls["watch"]>[0];

export interface WatchServiceDeps {
  readonly context: FeatureContext;
  /** Names of the channels in force. */
  readonly channels: () => readonly string[];
  /** Whether anybody would hear now what is told over this channel, or over any; at this desktop, too. */
  readonly hears: (channel: string | null) => boolean;
  /** Something was armed. */
  readonly onChange: () => void;
}

const checkCondition = ({ condition, subject }: WatchInput, redact: (text: string) => string): void => {
  if (condition.kind === "match") {
    if (redact(condition.pattern) !== condition.pattern)
      throw new AgtmuxError("E_USAGE", "the pattern holds a secret, and a job is stored", {
        remedy: "Write it without the secret; nothing was armed.",
      });
    const problem = findPatternProblem(condition.pattern, createDeadline());
    if (problem !== null)
      throw new AgtmuxError("E_USAGE", `the pattern '${condition.pattern}' is refused: ${problem}`, {
        remedy: "Write a simpler one; nothing was armed.",
      });
  }
  if ("paneRef" in subject && (condition.kind === "state" || condition.kind === "needs-action"))
    throw new AgtmuxError("E_UNSUPPORTED", "there is no agent in that pane that could be in a state", {
      remedy: "Say quiet:<duration>, match:<pattern> or gone; nothing was armed.",
    });
  if (condition.kind === "gone" && "filters" in subject)
    throw new AgtmuxError("E_USAGE", "'gone' needs one agent or pane", {
      remedy: "Name it by its reference, as 'agtmux list' shows it.",
    });
};

export const createWatchService = ({ context, channels, hears, onChange }: WatchServiceDeps): WatchCalls => {
  const { jobs, clock, ids } = context;
  const armedWatches = (): WatchJob[] => jobs.listArmedJobs().filter((job) => job.kind === "watch");
  const subjectOf = (subject: WatchInput["subject"]): WatchSubject => {
    if ("filters" in subject) return { filters: { ...subject.filters } };
    if ("runtimeId" in subject) return findAgent(context, subject.runtimeId).agent;
    const row = context.rows.all().find(({ identity }) => identity.pane_ref === subject.paneRef);
    if (row === undefined)
      throw new AgtmuxError("E_REF_NOT_FOUND", "that pane is not there any more; nothing was armed");
    const runtimeId = bareKeyOf(row.identity);
    const watched = bareKeysOf(armedWatches());
    if (!watched.has(runtimeId) && watched.size >= MAX_BARE_PANES)
      throw new AgtmuxError(
        "E_USAGE",
        `${MAX_BARE_PANES} panes without an agent are watched, and no more can be`,
        {
          remedy: "Cancel one with 'agtmux jobs cancel <id>'.",
        },
      );
    return { runtimeId, identity: row.identity, agentName: null };
  };
  const checkChannel = (name: string | null): void => {
    if (name === null || channels().includes(name)) return;
    throw new AgtmuxError("E_USAGE", `no channel in force is called '${name.slice(0, 40)}'`, {
      remedy: "List them with 'agtmux channel list'; nothing was armed.",
    });
  };
  return {
    watch: async (input) => {
      checkCondition(input, context.redact);
      checkChannel(input.channel);
      if (armedWatches().length >= MAX_ARMED)
        throw new AgtmuxError("E_USAGE", `${MAX_ARMED} watches are armed, and no more can be`, {
          remedy: "Cancel one with 'agtmux jobs cancel <id>'.",
        });
      const now = clock.now();
      const job: WatchJob = {
        jobId: ids.next("job"),
        kind: "watch",
        createdAt: now,
        surface: input.surface,
        subject: subjectOf(input.subject),
        condition: input.condition,
        channel: input.channel,
        state: "armed",
        expiresAt: now + input.forMs,
        runs: 0,
        maxRuns: input.isRepeated ? MAX_RUNS : 1,
      };
      jobs.insertJob(job);
      onChange();
      const view = jobView(job, null);
      return hears(job.channel) ? view : { ...view, is_unheard: true };
    },
  };
};
