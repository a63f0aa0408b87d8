// `agtmux jobs`: what is armed, and what it did; `agtmux automation`: all of it at once.
import type { JobListDocument } from "../../core/model/documents.ts";
import type { JobDocument, JobView, JobsView } from "../../core/model/job.ts";
import { formatAge } from "../../core/model/words.ts";
import { askAutomation } from "../askAutomation.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { countBy } from "../countBy.ts";
import { printDocument } from "../document.ts";
import { cleanLine } from "../render/clean.ts";
import { measureFor } from "../render/measure.ts";
import { renderTable, type Cell, type Column } from "../render/table.ts";

const COLUMNS: readonly Column[] = [
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

const toRow = (job: JobView, now: number): Cell[] => [
  { text: job.job_id },
  { text: job.state },
  { text: cleanLine(whenOf(job)) },
  { text: cleanLine(job.about) },
  { text: String(job.runs) },
  { text: job.state === "armed" ? formatAge(Math.max(0, Date.parse(job.expires_at) - now)) : "" },
];

const renderJobs = async (context: CliContext, items: readonly JobView[]): Promise<string[]> => {
  if (items.length === 0) return ["No job was armed yet: see 'agtmux help tell' and 'agtmux help send'."];
  const rows = items.map((job) => toRow(job, context.now()));
  const { width, paint } = context;
  const below = (index: number): string[] => items.slice(index, index + 1).flatMap(detailsOf);
  return renderTable(COLUMNS, rows, { width, paint, below, measure: await measureFor(items) });
};

/** Said where somebody looks at what is armed. */
const pauseLines = (pausedAt: JobsView["paused_at"], now: number): string[] =>
  pausedAt === null
    ? []
    : [
        `! Paused for ${formatAge(now - Date.parse(pausedAt))}: nothing is told or done. 'agtmux automation resume' ends it.`,
      ];

export const runJobsList = async (context: CliContext, options: { json?: boolean }): Promise<void> => {
  const { items, paused_at } = await withDaemon(context, (client) =>
    askAutomation(client, "jobs", "query", {}),
  );
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

/** Pauses everything armed, or lets it go on. */
export const runAutomationSwitch = async (
  context: CliContext,
  isPaused: boolean,
  options: { json?: boolean },
): Promise<void> => {
  const now = await withDaemon(context, (client) => askAutomation(client, "pause", "mutation", { isPaused }));
  if (options.json === true) {
    printDocument(context, now);
    return;
  }
  const jobs = now.armed === 1 ? "1 job is armed" : `${now.armed} jobs are armed`;
  context.print(isPaused ? `Paused: ${jobs} and will do nothing.\n` : `Not paused: ${jobs}.\n`);
};

export const runJobsShow = async (
  context: CliContext,
  id: string,
  options: { json?: boolean },
): Promise<void> => {
  const detail = await withDaemon(context, (client) => askAutomation(client, "job", "query", { id }));
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
  const job = await withDaemon(context, (client) => askAutomation(client, "jobCancel", "mutation", { id }));
  if (options.json === true) printDocument<JobDocument>(context, { job });
  else context.print(`Cancelled ${job.job_id}.\n`);
};

/** Lets one job rest, or go on. */
export const runJobsHold = async (
  context: CliContext,
  id: string,
  isHeld: boolean,
  options: { json?: boolean },
): Promise<void> => {
  const job = await withDaemon(context, (client) =>
    askAutomation(client, "jobHold", "mutation", { id, isHeld }),
  );
  if (options.json === true) printDocument<JobDocument>(context, { job });
  else context.print(`${isHeld ? "Held" : "Released"} ${job.job_id}.\n`);
};
