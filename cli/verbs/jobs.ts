// The verbs of automation: `send` with a time (for act.ts), `tell`, `channel`, `jobs` and `automation`. The daemon keeps and runs
// what is armed here. Rules are in rule.ts.
import { AgtmuxError } from "../../core/model/errors.ts";
import type { JobDocument, WatchCondition, JobView, JobsView } from "../../core/model/job.ts";
import type { AutomationCalls } from "../../features/automation/calls.ts";
import { callDaemon, withDaemon, type CliContext, type DaemonClient } from "../command/context.ts";
import { printDocument } from "../command/document.ts";
import { findRuntime, findPane } from "../command/settleRef.ts";
import { parseDuration, parseTime } from "../parse/values.ts";
import type { ListFilters, SentTo } from "../../core/api/calls.ts";
import { CONDITION_FORMS, readCondition, formatAge, STATE_NAMES } from "../../core/model/words.ts";
import { parseFilters, type FilterOptions } from "../parse/filters.ts";
import { countBy } from "../render/mark.ts";
import { cleanLine } from "../render/clean.ts";
import { OUTCOME_EXIT_CODES } from "../../core/model/action.ts";
import type { ChannelList, ChannelView } from "../../core/model/notifications.ts";
import type { ChannelListDocument, JobListDocument } from "../../core/model/documents.ts";
import { shortenRefs } from "../../core/model/shortRef.ts";
import { measureFor, type Cell, type Column, renderTable } from "../render/table.ts";

// Send later: arms a text that is sent once its time has come and the agent rests.

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

type SendInput = SentTo<AutomationCalls["send"]>;

const DAY_MS = 86_400_000;
/** The daemon's limit. It is repeated here, because loading the daemon's schemas would cost more than the whole command. */
const LONGEST_DELAY_MS = 7 * DAY_MS;
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
  if (expires === undefined) return cron === undefined ? DAY_MS : LONGEST_DELAY_MS;
  if (at !== undefined || atReset === true)
    throw usage(
      "--expires does not go with --at and --at-reset",
      "A text of a set time is given up an hour after it.",
    );
  const ms = parseDuration(expires, "--expires");
  if (ms >= 1_000 && ms <= LONGEST_DELAY_MS) return ms;
  throw usage(`--expires ${expires} is too long or too short`, "1s to 7d.");
};

const timesOf = ({ cron, times }: LaterOptions): Pick<SendInput, "times"> => {
  if (times === undefined) return {};
  if (cron === undefined) throw usage("--times goes with --cron", "Any other text is sent once.");
  const count = Number(times);
  if (/^\d{1,3}$/.test(times) && count >= 1 && count <= MOST_TIMES) return { times: count };
  throw usage(`--times ${times.slice(0, 20)} isn't such a number`, `1 to ${MOST_TIMES}.`);
};

const saysWhen = (nextAt: string | null): string =>
  nextAt === null
    ? "once its agent is idle"
    : `at ${new Date(nextAt).toLocaleString()}, once its agent is idle`;

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
  const job = await withDaemon(context, (client) =>
    client.call(async (api) =>
      api.automation.send.mutate({
        ...later,
        runtimeId: await findRuntime(context, client, { ref, says: options.json !== true }),
        text,
        isVolatile: options.volatile === true,
        surface: "cli",
      }),
    ),
  );
  if (options.json === true) printDocument<JobDocument>(context, { job });
  else context.print(`${job.job_id}: sent ${saysWhen(job.next_at)}\n`);
};

// Tell: arms a watch, which notifies and does nothing else.

const DEFAULT_MS = 8 * 3_600_000;
/** The daemon's limit, as that of a text above. */
const LONGEST_WATCH_MS = 7 * 86_400_000;

const parseFor = (text: string | undefined): number => {
  if (text === undefined) return DEFAULT_MS;
  const ms = parseDuration(text, "--for");
  if (ms >= 1_000 && ms <= LONGEST_WATCH_MS) return ms;
  throw new AgtmuxError("E_USAGE", `--for ${text} is too long or too short`, { remedy: "1s to 7d." });
};

/** Fails with E_USAGE naming the possible forms. */
const parseWatchCondition = (text: string): WatchCondition => {
  const condition = readCondition(text);
  if (condition !== null) return condition;
  throw new AgtmuxError("E_USAGE", `--when: unknown value '${text.slice(0, 100)}'`, {
    remedy: `Say ${CONDITION_FORMS}. States are ${STATE_NAMES.join(", ")}.`,
  });
};

type Subject = SentTo<AutomationCalls["watch"]>["subject"];

/** Fails with E_REF_NOT_FOUND, E_REF_AMBIGUOUS. */
const findSubject = async (
  context: CliContext,
  client: DaemonClient,
  ref: string | undefined,
  filters: ListFilters,
): Promise<Subject> => {
  if (ref === undefined) return { filters };
  const { runtimeId, paneRef } = await findPane(context, client, { ref, says: true });
  return runtimeId === null ? { paneRef } : { runtimeId };
};

export const runTell = async (
  context: CliContext,
  ref: string | undefined,
  options: FilterOptions & {
    when?: string;
    every?: boolean;
    channel?: string;
    for?: string;
    json?: boolean;
  },
): Promise<void> => {
  if (options.when === undefined)
    throw new AgtmuxError("E_USAGE", "tell needs a condition", {
      remedy: `Say --when ${CONDITION_FORMS}.`,
    });
  const condition = parseWatchCondition(options.when);
  const filters = parseFilters(options);
  if (ref !== undefined && Object.keys(filters).length > 0)
    throw new AgtmuxError("E_USAGE", "tell takes either one reference or filters");
  const forMs = parseFor(options.for);
  const job = await withDaemon(context, (client) =>
    client.call(async (api) =>
      api.automation.watch.mutate({
        subject: await findSubject(context, client, ref, filters),
        condition,
        isRepeated: options.every === true,
        channel: options.channel ?? null,
        forMs,
        surface: "cli",
      }),
    ),
  );
  if (options.json === true) {
    printDocument<JobDocument>(context, { job });
    return;
  }
  context.print(
    `${job.job_id}: watches for ${cleanLine(job.when)} until ${new Date(job.expires_at).toLocaleString()}\n`,
  );
};

// Channels: where notifications go beside this desktop; list and test.

const CHANNEL_COLUMNS: readonly Column[] = [
  { title: "CHANNEL", min: 7 },
  { title: "KIND", min: null },
  { title: "TO", min: 10 },
  { title: "TELLS", min: 10 },
  { title: "WITH", min: null },
  { title: "LAST", min: 8 },
];

const describeLast = ({ enabled, last, waiting, dropped }: ChannelView, now: number): string => {
  if (!enabled) return "switched off";
  const how =
    last === null
      ? "nothing yet"
      : `${last.outcome === "delivered" ? "delivered" : "NOT DELIVERED"} ${formatAge(now - Date.parse(last.at))} ago`;
  return [
    how,
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(dropped > 0 ? [`${dropped} dropped`] : []),
  ].join(", ");
};

const toChannelRow = (view: ChannelView, now: number): Cell[] => [
  { text: cleanLine(view.name) },
  { text: view.kind },
  { text: cleanLine(view.to) },
  { text: view.events.join(", ") },
  { text: view.include },
  { text: describeLast(view, now) },
];

const describeProblem = ({ line, path, message }: ChannelList["problems"][number]): string =>
  `config.json:${line}: ${path === "" ? "" : `${path}: `}${message}`;

const failureOf = ({ last }: ChannelView): string[] =>
  last?.outcome === "not_delivered" ? [`  ${cleanLine(last.detail)}`] : [];

const answersOf = ({ name, answers }: ChannelView): string[] => {
  if (answers === null) return [];
  const { state, detail, taken, ignored } = answers;
  const counts = `${taken} taken, ${ignored} ignored`;
  switch (state) {
    case "on":
      return [`  answers: on, ${counts}`];
    case "unreachable":
      return [`  answers: NOT REACHABLE: ${cleanLine(detail)}; ${counts}`];
    case "paused":
      return [
        `  answers: PAUSED: ${cleanLine(detail)}; ${counts}. Go on with 'agtmux channel resume ${cleanLine(name)}'`,
      ];
  }
};

const renderList = async (context: CliContext, { items }: ChannelList): Promise<string[]> => {
  if (items.length === 0)
    return ["No channel is configured, so nothing is sent out: see docs/automation.md."];
  const rows = items.map((view) => toChannelRow(view, context.now()));
  return renderTable(CHANNEL_COLUMNS, rows, {
    width: context.width,
    paint: context.paint,
    measure: await measureFor(items),
    below: (index) => {
      const item = items[index];
      return item === undefined ? [] : [...failureOf(item), ...answersOf(item)];
    },
  });
};

export const runChannelList = async (context: CliContext, options: { json?: boolean }): Promise<void> => {
  const list = await callDaemon(context, (api) => api.automation.channelList.query());
  const problems = list.problems.map(describeProblem);
  if (options.json === true) {
    printDocument<ChannelListDocument>(context, {
      filters: {},
      summary: { total: list.items.length },
      problems,
      items: list.items.map((view) => ({ identity: { channel: view.name }, ...view })),
    });
    return;
  }
  const lines = [...(await renderList(context, list)), ...problems.map((one) => `! ${cleanLine(one)}`)];
  context.print(`${lines.join("\n")}\n`);
};

/** Gives the exit status. */
export const runChannelTest = async (
  context: CliContext,
  name: string,
  options: { json?: boolean },
): Promise<number> => {
  const result = await callDaemon(context, (api) => api.automation.channelTest.mutate({ name }));
  if (options.json === true) printDocument(context, result);
  else
    context.print(
      result.outcome === "delivered" ? "Delivered.\n" : `Not delivered: ${cleanLine(result.detail)}.\n`,
    );
  return OUTCOME_EXIT_CODES[result.outcome];
};

export const runChannelResume = async (
  context: CliContext,
  name: string,
  options: { json?: boolean },
): Promise<void> => {
  const resumed = await callDaemon(context, (api) =>
    api.automation.channelResume.mutate({ name, surface: "cli" }),
  );
  if (options.json === true) return printDocument(context, resumed);
  context.print(
    resumed.was_paused
      ? "It takes answers again. Buttons of earlier messages stay dead.\n"
      : "Nothing was paused: see 'agtmux channel list'.\n",
  );
};

// Jobs: what is armed and what it did; holding, releasing and ending one; pausing all of them.

const JOB_COLUMNS: readonly Column[] = [
  { title: "JOB", min: null },
  { title: "STATE", min: null },
  { title: "WHEN", min: 10 },
  { title: "ABOUT", min: 10 },
  { title: "DONE", min: null, align: "right" },
  { title: "ENDS IN", min: null, align: "right" },
];

const whenOf = ({ kind, when, repeated, next_at }: JobView): string => {
  if (next_at !== null) return `${when}, ${new Date(next_at).toLocaleString()}`;
  return kind === "watch" && repeated ? `${when} (every time)` : when;
};

/** What a text says, and what it waits for. */
const detailsOf = ({ text, waits_for }: JobView): string[] => [
  ...(text === null ? [] : [`  ${cleanLine(text)}`]),
  ...(waits_for === null ? [] : [`  waits: ${cleanLine(waits_for)}`]),
];

const toJobRow = (job: JobView, now: number): Cell[] => [
  { text: job.job_id },
  { text: job.state === "armed" ? "scheduled" : job.state },
  { text: cleanLine(whenOf(job)) },
  { text: shortenRefs(cleanLine(job.about)) },
  { text: String(job.runs) },
  { text: job.state === "armed" ? formatAge(Math.max(0, Date.parse(job.expires_at) - now)) : "" },
];

const renderJobs = async (context: CliContext, items: readonly JobView[]): Promise<string[]> => {
  if (items.length === 0) return ["No jobs yet: see 'agtmux help tell' and 'agtmux help send'."];
  const rows = items.map((job) => toJobRow(job, context.now()));
  const { width, paint } = context;
  const below = (index: number): string[] => items.slice(index, index + 1).flatMap(detailsOf);
  return renderTable(JOB_COLUMNS, rows, { width, paint, below, measure: await measureFor(items) });
};

const pauseLines = (pausedAt: JobsView["paused_at"], now: number): string[] =>
  pausedAt === null
    ? []
    : [
        `! Paused for ${formatAge(now - Date.parse(pausedAt))}: nothing is told or done. 'agtmux automation resume' ends it.`,
      ];

export const runJobsList = async (context: CliContext, options: { json?: boolean }): Promise<void> => {
  const { items, paused_at } = await callDaemon(context, (api) => api.automation.jobs.query({}));
  if (options.json === true)
    printDocument<JobListDocument>(context, {
      filters: {},
      summary: { total: items.length, by_state: countBy(items, ({ state }) => state) },
      paused_at,
      items: items.map((job) => ({ identity: { job_id: job.job_id }, ...job })),
    });
  else {
    const lines = [...pauseLines(paused_at, context.now()), ...(await renderJobs(context, items))];
    context.print(`${lines.join("\n")}\n`);
  }
};

/** Pauses or resumes everything that is armed. */
export const runAutomationSwitch = async (
  context: CliContext,
  isPaused: boolean,
  options: { json?: boolean },
): Promise<void> => {
  const now = await callDaemon(context, (api) => api.automation.pause.mutate({ isPaused }));
  if (options.json === true) {
    printDocument(context, now);
    return;
  }
  const jobs = now.armed === 1 ? "1 job is scheduled" : `${now.armed} jobs are scheduled`;
  context.print(isPaused ? `Paused: ${jobs} and will do nothing.\n` : `Not paused: ${jobs}.\n`);
};

export const runJobsShow = async (
  context: CliContext,
  id: string,
  options: { json?: boolean },
): Promise<void> => {
  const detail = await callDaemon(context, (api) => api.automation.job.query({ id }));
  if (options.json === true) {
    printDocument(context, detail);
    return;
  }
  const told = detail.told.map(({ at, outcome }) => `  ${at}  ${cleanLine(outcome)}`);
  const lines = await renderJobs(context, [detail.job]);
  context.print(`${[...lines, ...(told.length === 0 ? ["  nothing done yet"] : told)].join("\n")}\n`);
};

export const runJobsCancel = async (
  context: CliContext,
  id: string,
  options: { json?: boolean },
): Promise<void> => {
  const job = await callDaemon(context, (api) => api.automation.jobCancel.mutate({ id }));
  if (options.json === true) printDocument<JobDocument>(context, { job });
  else context.print(`Cancelled ${job.job_id}.\n`);
};

export const runJobsHold = async (
  context: CliContext,
  id: string,
  isHeld: boolean,
  options: { json?: boolean },
): Promise<void> => {
  const job = await callDaemon(context, (api) => api.automation.jobHold.mutate({ id, isHeld }));
  if (options.json === true) printDocument<JobDocument>(context, { job });
  else context.print(`${isHeld ? "Held" : "Released"} ${job.job_id}.\n`);
};
