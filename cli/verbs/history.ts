// `agtmux history list|search|show|usage|export`: the sessions that agents keep on disk. The daemon reads the logs; a conversation
// is fetched in pages from its end, as many as are wanted. Resume and handoff are in historyHandoff.ts.
import {
  type HistoryEntry,
  type HistoryPage,
  type HistorySession,
  type HistoryList,
  type HistoryHit,
  type HistorySearch,
  type HistorySearchPage,
  type HistoryShow,
  USAGE_GROUPS,
  type HistoryUsage,
  type HistoryUsageRow,
  type UsageGroup,
} from "../../core/model/history.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import { isTypedRef } from "../../core/model/shortRef.ts";
import { withDaemon, type CliContext, type DaemonClient } from "../command/context.ts";
import { settleRef } from "../command/settleRef.ts";
import { formatAge, transcriptLines } from "../../core/model/words.ts";
import { printDocument } from "../command/document.ts";
import { parseNames } from "../parse/filters.ts";
import { parseCount, parseSince } from "../parse/values.ts";
import { resolve } from "node:path";
import { cleanLine, cleanLines } from "../render/clean.ts";
import { measureFor, type Cell, type Column, renderTable } from "../render/table.ts";
import { joinHits, THIS_MACHINE } from "../../ui/text/sessionText.ts";
import { writePrivate } from "../command/ask.ts";

interface HistoryFilterOptions {
  target?: readonly string[];
  agent?: readonly string[];
  cwd?: string;
  since?: string;
}

/** After more pages than these in a row without an entry, reading is given up. */
const MAX_EMPTY_PAGES = 8;

interface ReadSession {
  session: HistorySession;
  entries: HistoryEntry[];
  isCut: boolean;
  /** The number of entries from which a secret was taken out. */
  redacted: number;
}

const countLines = (entries: readonly HistoryEntry[]): number =>
  entries.reduce((total, { text }) => total + text.split("\n").length + 1, 0);

/** The filters as the calls take them. Fails with E_USAGE. */
const parseHistoryFilters = (
  context: CliContext,
  { target, agent, cwd, since }: HistoryFilterOptions,
): { target?: string[]; agent?: string[]; folder?: string; since?: number } => {
  const time = since === undefined ? null : parseSince(since, context.now()).time;
  return {
    ...(target === undefined ? {} : { target: parseNames(target, "--target") }),
    ...(agent === undefined ? {} : { agent: parseNames(agent, "--agent") }),
    ...(cwd === undefined ? {} : { folder: resolve(cwd) }),
    ...(time === null ? {} : { since: time }),
  };
};

/** Waits until the daemon has read what the agents wrote so far. */
export const refreshHistory = async (context: CliContext, client: DaemonClient): Promise<void> => {
  let wasTold = false;
  for (;;) {
    const { isDone, sessions } = await client.call((api) => api.history.refresh.mutate());
    if (isDone) return;
    context.signal.throwIfAborted();
    if (!wasTold) context.stderr.write(`agtmux: reading the agents' sessions (${sessions} so far) …\n`);
    wasTold = true;
  }
};

/** The machine if it is another one, the last part of the folder, and the branch. */
const placeOf = ({ identity, folder, branch }: HistorySession): string => {
  const last = folder === null ? "" : (folder.split("/").findLast((part) => part !== "") ?? "/");
  const name = identity.target === THIS_MACHINE ? last : `${identity.target}:${last}`;
  return branch === null ? name : `${name} (${branch})`;
};

/** The session as it was named; for a pane, the session that its agent has open. */
export const sessionOf = async (context: CliContext, client: DaemonClient, ref: string): Promise<string> => {
  const isPane = !isTypedRef(ref) || /[%/]|:\d+\.\d+$/.test(ref);
  if (!isPane) return ref;
  const paneRef = await settleRef(context, client, { ref, says: false });
  const { pane } = await client.call((api) => api.explain.query({ ref: paneRef }));
  if (pane.agent === null || pane.agent_session_id === null)
    throw new AgtmuxError("E_UNSUPPORTED", `can't tell which session ${paneRef} has open`, {
      remedy: "Find it with 'agtmux history list', and give its id.",
    });
  return `${pane.agent}:${pane.agent_session_id}`;
};

/** Reads a session from its end: at least `lines` lines, or all that can be read. */
export const readSession = (
  context: CliContext,
  ref: string,
  { lines, redact = false }: { lines: number; redact?: boolean },
): Promise<ReadSession> =>
  withDaemon(context, async (client) => {
    await refreshHistory(context, client);
    const named = await sessionOf(context, client, ref);
    const pages: HistoryEntry[][] = [];
    let before: string | null = null;
    for (let read = 0, empty = 0, redacted = 0; ;) {
      context.signal.throwIfAborted();
      const page: HistoryPage = await client.call((api) =>
        api.history.read.query({ ref: named, before, redact }),
      );
      pages.unshift(page.entries);
      read += countLines(page.entries);
      redacted += page.redacted;
      empty = page.entries.length === 0 ? empty + 1 : 0;
      before = page.before;
      if (before === null || read >= lines || empty > MAX_EMPTY_PAGES)
        return { session: page.session, entries: pages.flat(), isCut: before !== null, redacted };
    }
  });

// List: the sessions that fit the filters and the words.

const DEFAULT_SESSIONS = 30;
const MAX_LIMIT = 10_000;

const SESSION_COLUMNS: readonly Column[] = [
  { title: "AGO", min: null, align: "right" },
  { title: "AGENT", min: 6 },
  { title: "SESSION", min: null },
  { title: "FOLDER", min: 10 },
  { title: "WORK", min: 20 },
];

const toSessionRow = (session: HistorySession, now: number): Cell[] => [
  { text: formatAge(now - Date.parse(session.last_at)) },
  { text: cleanLine(session.agent_name) },
  { text: cleanLine(session.short_ref) },
  { text: cleanLine(placeOf(session)) },
  {
    text: cleanLine(
      `${session.pane_ref === null ? "" : "[open] "}${session.title ?? session.first_prompt ?? ""}`,
    ),
  },
];

const renderList = async (context: CliContext, { items, summary }: HistoryList): Promise<string[]> => {
  if (items.length === 0) return ["No sessions match."];
  const rows = items.map((session) => toSessionRow(session, context.now()));
  const { width, paint } = context;
  const more = summary.total - items.length;
  return [
    ...renderTable(SESSION_COLUMNS, rows, { width, paint, measure: await measureFor(items) }),
    ...(more > 0 ? [paint("dim", `${more} more: --limit ${Math.min(summary.total, MAX_LIMIT)}`)] : []),
  ];
};

export const runHistoryList = async (
  context: CliContext,
  words: readonly string[],
  options: HistoryFilterOptions & { limit?: string; json?: boolean },
): Promise<void> => {
  const limit =
    options.limit === undefined
      ? DEFAULT_SESSIONS
      : parseCount(options.limit, "--limit", { min: 1, max: MAX_LIMIT });
  const text = words.join(" ").trim();
  const input = { ...parseHistoryFilters(context, options), ...(text === "" ? {} : { text }), limit };
  const list = await withDaemon(context, async (client) => {
    await refreshHistory(context, client);
    return client.call((api) => api.history.list.query(input));
  });
  if (options.json === true) {
    printDocument<HistoryList>(context, list);
    return;
  }
  context.print(`${(await renderList(context, list)).join("\n")}\n`);
  for (const problem of list.problems) context.stderr.write(`agtmux: ${cleanLine(problem)}\n`);
};

// Search: where something was said in sessions, printed as it is found.

const DEFAULT_MATCHES = 20;

const renderHit = (context: CliContext, { session, matches, has_more }: HistoryHit): string[] => {
  const age = formatAge(context.now() - Date.parse(session.last_at));
  const head = [session.short_ref, session.agent_name, `${age} ago`, placeOf(session)].join("  ");
  return [
    context.paint("bold", cleanLine(head)),
    ...matches
      .flatMap((entry) => transcriptLines([entry], (text) => [cleanLine(text)]))
      .map((line) => `  ${line}`),
    ...(has_more ? [context.paint("dim", "  … and more")] : []),
    "",
  ];
};

/** Gives the exit status: 1 if nothing is found. */
export const runHistorySearch = async (
  context: CliContext,
  words: readonly string[],
  options: HistoryFilterOptions & { limit?: string; json?: boolean },
): Promise<number> => {
  const limit =
    options.limit === undefined
      ? DEFAULT_MATCHES
      : parseCount(options.limit, "--limit", { min: 1, max: MAX_LIMIT });
  const text = words.join(" ").trim();
  const filters = parseHistoryFilters(context, options);
  let items: HistoryHit[] = [];
  let printed = 0;
  let bytes = 0;
  const problems = new Set<string>();
  await withDaemon(context, async (client) => {
    await refreshHistory(context, client);
    let cursor: string | null = null;
    do {
      context.signal.throwIfAborted();
      const page: HistorySearchPage = await client.call((api) =>
        api.history.search.mutate({ text, ...filters, cursor }),
      );
      items = joinHits(items, page.hits).slice(0, limit);
      cursor = page.cursor;
      bytes += page.bytes;
      for (const problem of page.problems) problems.add(problem);
      // The last session may continue on the next page.
      const whole = cursor === null || items.length === limit ? items : items.slice(0, -1);
      if (options.json !== true)
        for (const hit of whole.slice(printed)) context.print(`${renderHit(context, hit).join("\n")}\n`);
      printed = Math.max(printed, whole.length);
    } while (cursor !== null && items.length < limit);
  });
  if (options.json === true)
    printDocument<HistorySearch>(context, {
      filters: { text, ...filters, limit },
      summary: { total: items.length, bytes },
      problems: [...problems],
      items,
    });
  else if (items.length === 0) context.print("Nothing found.\n");
  for (const problem of problems) context.stderr.write(`agtmux: ${cleanLine(problem)}\n`);
  return items.length === 0 ? 1 : 0;
};

// Show: the end of one session, or all of it, oldest first.

const DEFAULT_LINES = 100;
const MAX_LINES = 100_000;

const renderHead = ({
  agent_name,
  identity,
  title,
  first_prompt,
  folder,
  branch,
}: HistorySession): string[] => [
  cleanLine(title ?? first_prompt ?? ""),
  cleanLine(
    [agent_name, identity.session_id, folder ?? "", branch ?? ""]
      .filter((part) => part !== "")
      .join(" \u00B7 "),
  ),
];

export const runHistoryShow = async (
  context: CliContext,
  ref: string,
  options: { lines?: string; all?: boolean; json?: boolean },
): Promise<void> => {
  const wanted =
    options.lines === undefined
      ? DEFAULT_LINES
      : parseCount(options.lines, "--lines", { min: 1, max: MAX_LINES });
  const isAll = options.all === true;
  const { session, entries, isCut } = await readSession(context, ref, { lines: isAll ? Infinity : wanted });
  if (options.json === true) {
    printDocument<HistoryShow>(context, { session, entries, is_cut: isCut });
    return;
  }
  const lines = transcriptLines(entries, cleanLines);
  const shown = isAll ? lines : lines.slice(-wanted);
  const { paint } = context;
  const [first = "", second = ""] = renderHead(session);
  context.print(`${[paint("bold", first), paint("dim", second), "", ...shown].join("\n")}\n`);
  // Notes go to stderr, so that a pipe gets only the session's own lines.
  if (isCut || shown.length < lines.length)
    context.stderr.write("agtmux: This is the end of the session; --all shows the rest.\n");
};

// Usage: the tokens that agents used, as their logs state them, and the cost where a log states it.

const parseGroup = (text: string): UsageGroup => {
  const group = USAGE_GROUPS.find((one) => one === text);
  if (group === undefined)
    throw new AgtmuxError("E_USAGE", `--by: unknown value '${text}'`, {
      remedy: `It is ${USAGE_GROUPS.join(", ")}.`,
    });
  return group;
};

const columnsFor = (by: UsageGroup): Column[] => [
  { title: by.toUpperCase(), min: 8 },
  { title: "ANSWERS", min: null, align: "right" },
  { title: "INPUT", min: null, align: "right" },
  { title: "OUTPUT", min: null, align: "right" },
  { title: "CACHE READ", min: null, align: "right" },
  { title: "CACHE WRITE", min: null, align: "right" },
  { title: "COST", min: null, align: "right" },
];

const nameOf = ({ identity, session }: HistoryUsageRow): string => {
  const { day, agent, model, target, session_id } = identity;
  if (session_id === undefined) return day ?? model ?? agent ?? target ?? "";
  const work = session?.title ?? session?.first_prompt ?? "";
  return `${target === THIS_MACHINE ? "" : `${target}/`}${agent}:${session?.short_ref ?? session_id.slice(-8)} ${work}`;
};

const grouped = (count: number): string => count.toLocaleString("en-US");
/** A cost that no log states is unknown, which is not zero. */
const money = (cost: number | null): string => (cost === null ? "-" : `$${cost.toFixed(cost < 1 ? 4 : 2)}`);

const toUsageRow = (name: string, sum: HistoryUsage["summary"]): Cell[] => [
  { text: cleanLine(name) },
  ...[sum.answers, sum.input, sum.output, sum.cache_read, sum.cache_write].map((count) => ({
    text: grouped(count),
  })),
  { text: money(sum.cost) },
];

export type UsageOptions = HistoryFilterOptions & { by?: string; json?: boolean };

export const runHistoryUsage = async (context: CliContext, options: UsageOptions): Promise<void> => {
  const by = parseGroup(options.by ?? "day");
  const filters = parseHistoryFilters(context, options);
  const usage = await withDaemon(context, async (client) => {
    await refreshHistory(context, client);
    while (!(await client.call((api) => api.history.readUsage.mutate())).isDone)
      context.signal.throwIfAborted();
    return client.call((api) => api.history.usage.query({ by, ...filters }));
  });
  if (options.json === true) {
    printDocument<HistoryUsage>(context, usage);
    return;
  }
  for (const problem of usage.problems) context.stderr.write(`agtmux: ${cleanLine(problem)}\n`);
  if (usage.items.length === 0) {
    context.print("No usage found in any log.\n");
    return;
  }
  const rows = [
    ...usage.items.map((row) => toUsageRow(nameOf(row), row)),
    toUsageRow("total", usage.summary),
  ];
  const { width, paint } = context;
  const lines = renderTable(columnsFor(by), rows, { width, paint, measure: await measureFor(usage.items) });
  context.print(`${lines.join("\n")}\n`);
};

// Export: one session as a file to hand on. Known secrets are taken out unless the person says otherwise.

const FORMATS = ["md", "html"] as const;
type Format = (typeof FORMATS)[number];

const parseFormat = (text: string | undefined, output: string | undefined): Format => {
  const wanted = text ?? (output?.endsWith(".html") === true ? "html" : "md");
  const format = FORMATS.find((one) => one === wanted);
  if (format === undefined)
    throw new AgtmuxError("E_USAGE", `--format: unknown value '${wanted}'`, { remedy: "It is md or html." });
  return format;
};

/** What a reader has to know about secrets and missing parts. */
const remarksOn = ({ isCut, redacted }: ReadSession, isRaw: boolean): string[] => [
  ...(redacted > 0
    ? [
        redacted === 1
          ? "Secrets were taken out of one entry."
          : `Secrets were taken out of ${redacted} entries.`,
      ]
    : []),
  ...(isRaw ? ["Secrets were not taken out."] : []),
  ...(isCut ? ["Older parts of the session could not be read."] : []),
];

export const runHistoryExport = async (
  context: CliContext,
  ref: string,
  options: { format?: string; tools?: boolean; raw?: boolean; output?: string },
): Promise<void> => {
  const format = parseFormat(options.format, options.output);
  const isRaw = options.raw === true;
  const read = await readSession(context, ref, { lines: Infinity, redact: !isRaw });
  const entries = options.tools === true ? read.entries : read.entries.filter(({ role }) => role !== "tool");
  const remarks = remarksOn(read, isRaw);
  const text =
    format === "html"
      ? (await import("../render/sessionHtml.ts")).sessionHtml(read.session, entries, remarks)
      : (await import("../render/sessionHtml.ts")).sessionMarkdown(read.session, entries, remarks);
  if (options.output === undefined) context.print(text);
  else await writePrivate(options.output, text);
  const where = options.output === undefined ? [] : [`Written to ${options.output}, for you alone.`];
  for (const line of [...where, ...remarks]) context.stderr.write(`agtmux: ${line}\n`);
};
