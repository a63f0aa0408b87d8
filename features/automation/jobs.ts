// Jobs as surfaces see them: how they are said, the calls on all of them (list, show, hold, release, cancel, pause), what shows on
// the rows of their agents, the cache of armed jobs, and arming texts and watches. queue and watches decide what is due.
import {
  type Job,
  type JobRun,
  type JobView,
  type SendJob,
  MAX_RUNS,
  type WatchJob,
  type WatchSubject,
} from "../../core/model/job.ts";
import { conditionText, TELLS_DONE } from "../../core/model/words.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { stamp } from "../../core/model/schemaVersion.ts";
import type { FeatureContext } from "../../core/ports/feature.ts";
import type { AutomationService } from "./calls.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { JobStore } from "../../core/ports/store.ts";
import { randomInt } from "node:crypto";
import { LATE_MS, checkSchedule, nextOfSchedule } from "./queue/decideSends.ts";
import { createDeadline, findPatternProblem } from "../../core/pattern/pattern.ts";
import { bareKeyOf, bareKeysOf, MAX_BARE_PANES } from "./watches/barePanes.ts";

/** Characters of a text that a list shows. */
const MAX_TEXT = 80;

const iso = (at: number): string => new Date(at).toISOString();
const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at));

const filtersText = (given: Readonly<Record<string, unknown>>): string => {
  const filters = Object.entries(given).map(([name, value]) => `${name}=${[value].flat().join(",")}`);
  return filters.length === 0 ? "every agent" : filters.join(" ");
};

const firstLine = (text: string): string => {
  const [line = ""] = text.trim().split("\n");
  return line.length <= MAX_TEXT ? line : `${line.slice(0, MAX_TEXT - 1).replace(/\p{Cs}$/u, "")}…`;
};

const ownView = (job: Job) => {
  switch (job.kind) {
    case "watch":
      return {
        kind: job.kind,
        when: conditionText(job.condition),
        about: "identity" in job.subject ? job.subject.identity.pane_ref : filtersText(job.subject.filters),
        runtime_id: "identity" in job.subject ? job.subject.identity.runtime_id : null,
        channel: job.channel,
        next_at: null,
        text: null,
        repeated: job.maxRuns > 1,
      };
    case "send":
      return {
        kind: job.kind,
        when: job.trigger.kind === "cron" ? `cron ${job.trigger.expression}` : job.trigger.kind,
        about: job.agent.identity.pane_ref,
        runtime_id: job.agent.runtimeId,
        channel: null,
        next_at: isoOrNull(job.nextAt),
        text: job.text === null ? null : firstLine(job.text),
        repeated: job.trigger.kind === "cron",
      };
    case "first":
      return {
        // What it becomes once its agent is seen.
        kind: "send" as const,
        when: "ready",
        about: `${job.place.agentType} in ${job.place.target}/${job.place.paneId}`,
        runtime_id: null,
        channel: null,
        next_at: null,
        text: job.text === null ? null : firstLine(job.text),
        repeated: false,
      };
  }
};

/** `waitsFor`: why a text that is due is not sent; null where nothing keeps it. */
const jobView = (job: Job, waitsFor: string | null): JobView => ({
  job_id: job.jobId,
  state: job.state,
  ...ownView(job),
  runs: job.runs,
  waits_for: job.state === "armed" ? waitsFor : null,
  created_at: iso(job.createdAt),
  expires_at: iso(job.expiresAt),
  surface: job.surface,
});

const runView = ({ at, runtimeId, outcome }: JobRun) => ({
  at: iso(at),
  runtime_id: runtimeId,
  outcome,
});

const SHOWN_RUNS = 100;

const noJob = (id: string, what: string): AgtmuxError =>
  new AgtmuxError("E_REF_NOT_FOUND", `there is no ${what}: '${id.slice(0, 100)}'`, {
    remedy: "List them with 'agtmux jobs list'.",
  });

/** Answers the calls on all jobs alike: list, show, hold, release and cancel them, and pause everything armed. */
export const createJobService = ({
  context,
  reasonOf,
  onChange,
}: {
  readonly context: FeatureContext;
  /** Why a job is not done although it is due; null where nothing keeps it. */
  readonly reasonOf: (jobId: string) => string | null;
  /** Something was held, released, cancelled, paused or resumed. */
  readonly onChange: () => void;
}) => {
  const { jobs, clock } = context;
  const view = (job: Job): JobView => jobView(job, reasonOf(job.jobId));
  const find = (id: string, what: string): Job => {
    const job = jobs.getJob(id);
    if (job === null) throw noJob(id, what);
    return job;
  };
  return {
    jobs: async ({ limit }) => ({
      items: jobs.listJobs(limit).map(view),
      paused_at: isoOrNull(jobs.pausedAt()),
    }),
    job: async ({ id }) => ({
      ...stamp(clock.now()),
      job: view(find(id, "such job")),
      told: jobs.listRuns(id, SHOWN_RUNS).map(runView),
    }),
    jobCancel: async ({ id }) => {
      if (!jobs.endJob(id, "cancelled")) throw noJob(id, "such job that is scheduled or held");
      onChange();
      return view(find(id, "such job"));
    },
    jobHold: async ({ id, isHeld }) => {
      if (!jobs.holdJob(id, isHeld))
        throw noJob(id, isHeld ? "such job that is scheduled" : "such job that is held");
      onChange();
      return view(find(id, "such job"));
    },
    pause: async ({ isPaused }) => {
      const now = clock.now();
      if (isPaused !== (jobs.pausedAt() !== null)) jobs.setPausedAt(isPaused ? now : null);
      onChange();
      return {
        ...stamp(now),
        paused_at: isoOrNull(jobs.pausedAt()),
        armed: jobs.listArmedJobs().length,
      };
    },
  } satisfies Partial<AutomationService>;
};

/**
 * The agent that a job is bound to, as it is when the job is armed. @throws AgtmuxError E_REF_NOT_FOUND where that agent is gone.
 */
const findAgent = (
  context: FeatureContext,
  runtimeId: string,
): { agent: SendJob["agent"]; row: PaneView } => {
  const row = context.rows.all().find(({ identity }) => identity.runtime_id === runtimeId);
  if (row === undefined || row.agent === null)
    throw new AgtmuxError("E_REF_NOT_FOUND", "that agent is gone; nothing was scheduled");
  return { agent: { runtimeId, identity: row.identity, agentName: row.agent_name }, row };
};

// Armed jobs: what rows show of them (`2 queued`, `1 timed`, `watched`, and what a rule in shadow would do), and their cache.

/** By runtime. Watches of filters belong to no agent. Pure. */
export const armedNotes = (jobs: readonly Job[]): Map<string, string> => {
  const counts = new Map<string, { queued: number; timed: number; watched: number; done: number }>();
  for (const job of jobs) {
    // Its agent has no row yet.
    if (job.kind === "first") continue;
    const runtimeId =
      job.kind === "send"
        ? job.agent.runtimeId
        : "identity" in job.subject
          ? job.subject.identity.runtime_id
          : null;
    if (runtimeId === null) continue;
    const one = counts.get(runtimeId) ?? { queued: 0, timed: 0, watched: 0, done: 0 };
    if (job.kind === "watch") one[job.condition.kind === "done" ? "done" : "watched"] += 1;
    else if (job.trigger.kind === "ready") one.queued += 1;
    else one.timed += 1;
    counts.set(runtimeId, one);
  }
  return new Map(
    [...counts].map(([runtimeId, { queued, timed, watched, done }]) => [
      runtimeId,
      [
        ...(queued > 0 ? [`${queued} queued`] : []),
        ...(timed > 0 ? [`${timed} timed`] : []),
        ...(watched > 0 ? ["watched"] : []),
        ...(done > 0 ? [TELLS_DONE] : []),
      ].join(", "),
    ]),
  );
};

/** Keeps the rows as the jobs and rules are (`ruleNotes`: by runtime); gives what brings them up to date. */
export const createArmedRows = (
  { rows, jobs }: FeatureContext,
  ruleNotes: () => ReadonlyMap<string, string> = () => new Map(),
): (() => void) => {
  let shown = new Map<string, string>();
  return () => {
    const notes = armedNotes(jobs.listArmedJobs());
    for (const [runtimeId, note] of ruleNotes()) {
      const armed = notes.get(runtimeId);
      notes.set(runtimeId, armed === undefined ? note : `${note}, ${armed}`);
    }
    for (const runtimeId of shown.keys()) if (!notes.has(runtimeId)) rows.setArmed(runtimeId, null);
    for (const [runtimeId, note] of notes) rows.setArmed(runtimeId, note);
    shown = notes;
  };
};

const FRESH_MS = 5_000;

/**
 * The jobs as the store has them, read again only when something was armed, done or ended, because what is armed is asked for once
 * a second. All changes of jobs go through it; a store that was replaced because it was damaged is noticed after a moment.
 */
export const rememberArmed = (store: JobStore, clock: Clock): JobStore => {
  let armed: Job[] | null = null;
  let readAt = 0;
  const changing =
    <Args extends unknown[], Result>(change: (...args: Args) => Result) =>
    (...args: Args): Result => {
      armed = null;
      return change(...args);
    };
  return {
    ...store,
    listArmedJobs: () => {
      const now = clock.now();
      // A clock that was set back must not keep it for longer.
      if (armed === null || Math.abs(now - readAt) >= FRESH_MS) {
        armed = store.listArmedJobs();
        readAt = now;
      }
      return armed;
    },
    insertJob: changing((job) => store.insertJob(job)),
    endJob: changing((jobId, state, why) => store.endJob(jobId, state, why)),
    holdJob: changing((jobId, isHeld) => store.holdJob(jobId, isHeld)),
    recordRun: changing((run) => store.recordRun(run)),
    settleSend: changing((run) => store.settleSend(run)),
    setNextAt: changing((jobId, nextAt, note) => store.setNextAt(jobId, nextAt, note)),
    bindSession: changing((jobId, sessionId) => store.bindSession(jobId, sessionId)),
    bindAgent: changing((jobId, agent, sessionId) => store.bindAgent(jobId, agent, sessionId)),
  };
};

// Texts: arming them. What could never be sent as it was meant is refused here, before anything is armed.

/** Per agent: texts for its next turns, and texts of set times. */
const MAX_QUEUED = 10;
const MAX_SCHEDULED = 50;

type SendInput = Parameters<AutomationService["send"]>[0];

/** After a limit has ended, s: its provider's clock may differ, and not everybody should come at once. */
const AFTER_RESET_S = [60, 180] as const;

const refuse = (why: string, remedy: string): AgtmuxError =>
  new AgtmuxError("E_USAGE", `${why}; nothing was scheduled`, { remedy });

const isSendOf =
  (runtimeId: string) =>
  (job: Job): job is SendJob =>
    job.kind === "send" && job.agent.runtimeId === runtimeId;

/** When it is due first, when it is given up, and how often it is sent. */
const timesOf = (trigger: SendJob["trigger"], { expiresMs, times }: SendInput, now: number) => {
  switch (trigger.kind) {
    case "ready":
      return { nextAt: null, expiresAt: now + expiresMs, maxRuns: 1 };
    case "at":
      if (trigger.at <= now) throw refuse("that time has passed", "Choose one in the future.");
      return { nextAt: trigger.at, expiresAt: trigger.at + LATE_MS, maxRuns: 1 };
    case "cron": {
      checkSchedule(trigger.expression);
      const nextAt = nextOfSchedule(trigger.expression, now);
      const expiresAt = now + expiresMs;
      if (nextAt === null || nextAt > expiresAt)
        throw refuse("the schedule has no time before it expires", "A schedule lasts at most 7d.");
      return { nextAt, expiresAt, maxRuns: times };
    }
  }
};

export const createSendService = (deps: {
  readonly context: FeatureContext;
  readonly keepInMemory: (jobId: string, text: string) => void;
  /** Something was armed. */
  readonly onChange: () => void;
}) => {
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
    throw new AgtmuxError(
      "E_UNSUPPORTED",
      `${agentName} doesn't say when its limit ends; nothing was scheduled`,
      {
        remedy: "Set the time yourself with --at.",
      },
    );
  };

  const checkText = ({ text, isVolatile }: SendInput): void => {
    if (text.trim() === "") throw refuse("there is no text to send", "Give it with --text or --stdin.");
    if (!isVolatile && redact(text) !== text)
      throw refuse(
        "the text contains a secret, and jobs are stored",
        "Add --volatile: the text is then kept in memory only, and lost when the daemon ends.",
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
          `can't tell how ${row.agent_name ?? "that agent"} shows what somebody typed, so nothing is typed there unattended`,
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
  } satisfies Partial<AutomationService>;
};

// Watches: arming them. What is wrong is refused before anything is armed.

/** Armed at once. */
const MAX_ARMED = 50;

/** What no pane without an agent can come to. */
const OF_AGENTS: ReadonlySet<string> = new Set(["state", "needs-action", "done", "conflict", "checks", "pr"]);

type WatchInput = Parameters<AutomationService["watch"]>[0];

const checkCondition = (
  { condition, subject }: WatchInput,
  { redact, config }: Pick<FeatureContext, "redact" | "config">,
): void => {
  if (condition.kind === "match") {
    if (redact(condition.pattern) !== condition.pattern)
      throw new AgtmuxError("E_USAGE", "the pattern contains a secret, and jobs are stored", {
        remedy: "Write it without the secret; nothing was scheduled.",
      });
    const problem = findPatternProblem(condition.pattern, createDeadline());
    if (problem !== null)
      throw new AgtmuxError("E_USAGE", `the pattern '${condition.pattern}' is refused: ${problem}`, {
        remedy: "Write a simpler one; nothing was scheduled.",
      });
  }
  if (condition.kind === "conflict" && !config().conflicts)
    throw new AgtmuxError("E_USAGE", "worktrees are not compared while the setting 'conflicts' is off", {
      remedy: "Run 'agtmux config set conflicts true' first; nothing was scheduled.",
    });
  if ((condition.kind === "checks" || condition.kind === "pr") && !config().pull_requests)
    throw new AgtmuxError(
      "E_USAGE",
      "nobody asks for pull requests while the setting 'pull_requests' is off",
      {
        remedy: "Run 'agtmux config set pull_requests true' first; nothing was scheduled.",
      },
    );
  if ("paneRef" in subject && OF_AGENTS.has(condition.kind))
    throw new AgtmuxError("E_UNSUPPORTED", "no agent runs in that pane, so it has no state", {
      remedy: "Use quiet:<duration>, match:<pattern> or gone; nothing was scheduled.",
    });
  if (condition.kind === "gone" && "filters" in subject)
    throw new AgtmuxError("E_USAGE", "'gone' needs one agent or pane", {
      remedy: "Name it by its reference, as 'agtmux list' shows it.",
    });
};

export const createWatchService = ({
  context,
  channels,
  hears,
  onChange,
}: {
  readonly context: FeatureContext;
  /** Names of the channels in force. */
  readonly channels: () => readonly string[];
  /** Whether a message over this channel (null: any) would reach anybody now, at this desktop too. */
  readonly hears: (channel: string | null) => boolean;
  /** Something was armed. */
  readonly onChange: () => void;
}) => {
  const { jobs, clock, ids } = context;
  const armedWatches = (): WatchJob[] => jobs.listArmedJobs().filter((job) => job.kind === "watch");
  const subjectOf = (subject: WatchInput["subject"]): WatchSubject => {
    if ("filters" in subject) return { filters: { ...subject.filters } };
    if ("runtimeId" in subject) return findAgent(context, subject.runtimeId).agent;
    const row = context.rows.all().find(({ identity }) => identity.pane_ref === subject.paneRef);
    if (row === undefined)
      throw new AgtmuxError("E_REF_NOT_FOUND", "that pane is gone; nothing was scheduled");
    const runtimeId = bareKeyOf(row.identity);
    const watched = bareKeysOf(armedWatches());
    if (!watched.has(runtimeId) && watched.size >= MAX_BARE_PANES)
      throw new AgtmuxError(
        "E_USAGE",
        `${MAX_BARE_PANES} panes without an agent are watched already, the most there can be`,
        {
          remedy: "Cancel one with 'agtmux jobs cancel <id>'.",
        },
      );
    return { runtimeId, identity: row.identity, agentName: null };
  };
  const checkChannel = (name: string | null): void => {
    if (name === null || channels().includes(name)) return;
    throw new AgtmuxError("E_USAGE", `no channel in force is called '${name.slice(0, 40)}'`, {
      remedy: "List them with 'agtmux channel list'; nothing was scheduled.",
    });
  };
  return {
    watch: async (input) => {
      checkCondition(input, context);
      checkChannel(input.channel);
      if (!hears(input.channel))
        throw new AgtmuxError("E_UNSUPPORTED", "nobody would hear it; nothing was scheduled", {
          remedy: "Open the app or 'agtmux ui', add a channel (docs/automation.md), or use 'agtmux wait'.",
        });
      if (armedWatches().length >= MAX_ARMED)
        throw new AgtmuxError(
          "E_USAGE",
          `${MAX_ARMED} watches are scheduled already, the most there can be`,
          {
            remedy: "Cancel one with 'agtmux jobs cancel <id>'.",
          },
        );
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
      return jobView(job, null);
    },
  } satisfies Partial<AutomationService>;
};
