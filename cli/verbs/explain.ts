// `agtmux explain <ref>` (why a pane is in its state) and `agtmux audit` (what was done to panes): what the daemon says, as tables.
import type { AuditList } from "../../core/model/action.ts";
import { formatAge, ACTIVITY_WORDS, STATE_WORDS } from "../../core/model/words.ts";
import { callDaemon, type CliContext, refreshWorkTrees } from "../command/context.ts";
import { parseCount } from "../parse/values.ts";
import { cleanLine, cleanLines, promptLines } from "../render/clean.ts";
import { measureFor, type Cell, type Column, renderTable, type Measure } from "../render/table.ts";
import { printDocument } from "../command/document.ts";
import { countBy, MARKS, stateCell } from "../render/mark.ts";
import type { AuditDocument } from "../../core/model/documents.ts";
import type { Explanation } from "../../core/model/view.ts";
import {
  changesText,
  conflictTexts,
  insideText,
  pullRequestTexts,
  sharesText,
} from "../../ui/text/rowText.ts";
import { describePane, describeTarget, describeWindow } from "../render/field.ts";
import { withRef } from "../command/settleRef.ts";

// Audit: what was done to panes, by which surface, and how it ended.

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

const COLUMNS: readonly Column[] = [
  { title: "AGO", min: null, align: "right" },
  { title: "ACTION", min: null },
  { title: "OUTCOME", min: 10 },
  { title: "LENGTH", min: null, align: "right" },
  { title: "BY", min: 4 },
  { title: "THEN", min: 8 },
  { title: "REF", min: null },
];

/** The states that followed, in order; without one, the event that shows that the agent received the action. */
const describeAftermath = ({ followed_by }: AuditList["items"][number]): string => {
  const steps = followed_by.filter(({ kind }) => kind === "transition");
  const words = (steps.length > 0 ? steps : followed_by.slice(0, 1)).map(({ what }) => cleanLine(what));
  return words.filter((word, index) => word !== words[index - 1]).join(", ");
};

const toRow = (entry: AuditList["items"][number], now: number): Cell[] => [
  { text: formatAge(now - Date.parse(entry.at)) },
  { text: cleanLine(entry.action) },
  { text: cleanLine(entry.outcome) },
  { text: entry.text_length === null ? "" : String(entry.text_length) },
  { text: cleanLine(entry.surface) },
  { text: describeAftermath(entry) },
  { text: cleanLine(entry.ref) },
];

export const runAudit = async (
  context: CliContext,
  options: { limit?: string; json?: boolean },
): Promise<void> => {
  const limit =
    options.limit === undefined
      ? DEFAULT_LIMIT
      : parseCount(options.limit, "--limit", { min: 1, max: MAX_LIMIT });
  const list = await callDaemon(context, (api) => api.audit.query({ limit }));
  if (options.json === true) {
    printDocument<AuditDocument>(context, {
      generated_at: list.generated_at,
      filters: { limit },
      summary: { total: list.items.length, by_outcome: countBy(list.items, ({ outcome }) => outcome) },
      items: list.items.map((item) => ({
        identity: { action_id: item.action_id, runtime_id: item.runtime_id },
        ...item,
      })),
    });
    return;
  }
  if (list.items.length === 0) {
    context.print("No action is on record yet.\n");
    return;
  }
  const rows = list.items.map((entry) => toRow(entry, context.now()));
  const { width, paint } = context;
  const lines = renderTable(COLUMNS, rows, { width, paint, measure: await measureFor(list) });
  context.print(`${lines.join("\n")}\n`);
};

// Explain: the rule, the evidence with its verdicts, what the agent does and where, its screen, and the states before.

const EVIDENCE: readonly Column[] = [
  { title: "OUTCOME", min: null },
  { title: "STATE", min: 16, least: 4 },
  { title: "SOURCE", min: null },
  { title: "EVENT", min: 10 },
  { title: "AGE", min: null, align: "right" },
  { title: "RULE", min: 16 },
];
const TIMELINE: readonly Column[] = [
  { title: "VERSION", min: null, align: "right" },
  { title: "AGE", min: null, align: "right" },
  { title: "STATE", min: 16, least: 4 },
  { title: "REASON", min: 10 },
  { title: "LASTED", min: null, align: "right" },
];

const table = (
  columns: readonly Column[],
  rows: readonly Cell[][],
  { width, paint }: CliContext,
  measure: Measure,
): string[] => renderTable(columns, rows, { width, paint, measure, indent: 2 });

const evidenceLines = (explanation: Explanation, context: CliContext, measure: Measure): string[] => {
  if (explanation.evidence.length === 0) return ["  none"];
  const rows = explanation.evidence.map((entry): Cell[] => [
    {
      text: entry.outcome,
      ...(entry.outcome === "won" ? { paint: (text) => context.paint("bold", text) } : {}),
    },
    stateCell(entry.state, context.paint),
    { text: entry.source },
    { text: cleanLine(entry.event_type) },
    { text: formatAge(context.now() - Date.parse(entry.at)) },
    { text: cleanLine(entry.rule) },
  ]);
  const matched = explanation.evidence.flatMap((entry) =>
    entry.matched === null ? [] : [`  seen by ${entry.source}: ${cleanLine(entry.matched)}`],
  );
  return [...table(EVIDENCE, rows, context, measure), ...matched];
};

/** What the agent is doing, who said so, and when. */
const activityLines = ({ activity }: Explanation, { now }: CliContext): string[] => {
  if (activity.length === 0) return [];
  const width = Math.max(...activity.map(({ field }) => ACTIVITY_WORDS[field].length));
  const lines = activity.map(({ field, value, source, at }) => {
    const text = field === "turn_began_at" ? `${formatAge(now() - Date.parse(value))} ago` : cleanLine(value);
    return `  ${ACTIVITY_WORDS[field].padEnd(width)}  ${text}  (${source}, ${formatAge(now() - Date.parse(at))} ago)`;
  });
  return ["", "What it does", ...lines];
};

/** What is not committed where it works, and who else works there. */
const workspaceLines = ({ pane }: Explanation): string[] => {
  const { workspace } = pane;
  if (workspace === null) return [];
  const { changes, not_looked_at: reason } = workspace;
  const said = [
    changes === null ? "" : changes.files === 0 ? "everything is committed" : `${changes.files} changed`,
    changesText(pane),
    reason === null ? "" : `not looked at: ${cleanLine(reason)}`,
    sharesText(pane, { hasMachines: true }),
    ...conflictTexts(pane, { hasMachines: true }),
    ...pullRequestTexts(pane),
  ];
  return ["", "Where it works", ...said.filter((part) => part !== "").map((part) => `  ${part}`)];
};

/** The rows that matched, marked, with the rows around them; an ellipsis stands for a gap. */
const screenLines = ({ screen }: Explanation, { paint }: CliContext): string[] => {
  if (screen === null) return [];
  if (screen.state === null) return ["", "Screen now", "  nothing on it is recognised"];
  const width = String(screen.lines.at(-1)?.row ?? 0).length;
  const rows = screen.lines.flatMap(({ row, text, is_match }, index) => {
    const previous = screen.lines[index - 1]?.row ?? row - 1;
    const number = String(row).padStart(width);
    const line = `  ${is_match ? ">" : " "} ${number}  ${cleanLines(text)[0] ?? ""}`.trimEnd();
    return [...(row > previous + 1 ? ["    …"] : []), is_match ? paint("bold", line) : paint("dim", line)];
  });
  const shows = `  shows ${STATE_WORDS[screen.state]} (${cleanLine(screen.reason_code ?? "")}) by: ${cleanLine(screen.matched ?? "")}`;
  return ["", "Screen now", shows, ...rows];
};

const timelineLines = (explanation: Explanation, context: CliContext, measure: Measure): string[] => {
  if (explanation.timeline.length === 0) return ["  nothing yet"];
  const rows = explanation.timeline.map((entry): Cell[] => [
    { text: String(entry.state_version) },
    { text: formatAge(context.now() - Date.parse(entry.at)) },
    stateCell(entry.state, context.paint),
    { text: cleanLine(entry.reason_code) },
    { text: entry.duration_ms === null ? "" : formatAge(entry.duration_ms) },
  ]);
  const actions = explanation.timeline.flatMap(({ state_version, action_id }) =>
    action_id === null ? [] : [`  version ${state_version} followed action ${cleanLine(action_id)}`],
  );
  return [...table(TIMELINE, rows, context, measure), ...actions];
};

const headLines = ({ pane, rule }: Explanation, { paint, now }: CliContext): string[] => {
  const { identity, state } = pane;
  const lines = [
    `${paint("bold", cleanLine(pane.short_ref))}  ${identity.pane_ref}`,
    ...(identity.runtime_id === null ? [] : [`runtime:${identity.runtime_id}`]),
    `${cleanLine(pane.agent_name ?? pane.agent ?? "no agent")} in ${describeTarget(identity.target, identity.tmux_server)}/${cleanLine(identity.session_name)}, window ${describeWindow(pane)}`,
    ...(pane.inside === null
      ? []
      : [`${insideText(pane)}: nothing but its screen is known, so its state is never certain`]),
    "",
  ];
  if (state !== null) {
    const age = pane.since === null ? "" : ` for ${formatAge(now() - Date.parse(pane.since))}`;
    lines.push(
      `${paint(MARKS[state].colour, `${MARKS[state].sign} ${STATE_WORDS[state]}`)}${age}, ${pane.confidence ?? "unknown"} confidence: ${describePane(pane)}`,
    );
  }
  lines.push(`because ${cleanLine(rule)}`);
  if (pane.unread_since !== null)
    lines.push(
      `unread: it ended ${formatAge(now() - Date.parse(pane.unread_since))} ago, and nobody has looked`,
    );
  if (pane.request !== null) {
    lines.push("", "It asks:", ...promptLines(pane.request, now()));
    if (pane.prompt_fingerprint !== null) lines.push(`  prompt fingerprint: ${pane.prompt_fingerprint}`);
  }
  return lines;
};

const renderExplanation = (explanation: Explanation, context: CliContext, measure: Measure): string[] => [
  ...headLines(explanation, context),
  ...activityLines(explanation, context),
  ...workspaceLines(explanation),
  "",
  "Evidence",
  ...evidenceLines(explanation, context, measure),
  ...screenLines(explanation, context),
  "",
  "Timeline",
  ...timelineLines(explanation, context, measure),
];

export const runExplain = async (
  context: CliContext,
  ref: string,
  options: { json?: boolean },
): Promise<void> => {
  const explanation = await withRef(context, { ref, says: false }, async (client, settled) => {
    await refreshWorkTrees(client, { ref: settled });
    return client.call((api) => api.explain.query({ ref: settled }));
  });
  if (options.json === true) context.print(`${JSON.stringify(explanation, null, 2)}\n`);
  else {
    const measure = await measureFor(explanation);
    context.print(`${renderExplanation(explanation, context, measure).join("\n")}\n`);
  }
};
