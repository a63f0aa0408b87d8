// `agtmux explain <ref>`: why a pane is in its state: the rule, the evidence that was weighed, and how it got there.
import type { Explanation } from "../../core/model/view.ts";
import { ACTIVITY_WORDS, formatAge, STATE_WORDS } from "../../core/model/words.ts";
import { changesText, sharesText } from "../../ui/text/workspaceText.ts";
import { lookAtWorkTrees } from "../askWorkspaces.ts";
import type { CliContext } from "../context.ts";
import { cleanLine, cleanLines } from "../render/clean.ts";
import { MARKS, stateCell } from "../render/mark.ts";
import { describePane, describeTarget, describeWindow } from "../render/paneFields.ts";
import { measureFor, type Measure } from "../render/measure.ts";
import { withRef } from "../settleRef.ts";
import { promptLines } from "../render/prompt.ts";
import { type Cell, type Column, renderTable } from "../render/table.ts";

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
    await lookAtWorkTrees(client, { ref: settled });
    return client.call((api) => api.explain.query({ ref: settled }));
  });
  if (options.json === true) context.print(`${JSON.stringify(explanation, null, 2)}\n`);
  else {
    const measure = await measureFor(explanation);
    context.print(`${renderExplanation(explanation, context, measure).join("\n")}\n`);
  }
};
