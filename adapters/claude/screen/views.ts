// Views of the agent's own: pickers, settings, lists, the transcript, the view of all sessions. In each of them keys are commands and
// what the agent does is out of sight. They are told by their place: a bar, or a rule, across the pane, all rows below it are indented
// by two columns, and no box for prompts is among them. Source: every command of the menu of 2.1.329 that opens one, in both of its
// renderers.
import type { Reading } from "../../../core/ports/agentAdapter.ts";
import { indentOf, isBlank, joined, shows } from "../../common/screenText.ts";
import { IN_MENU } from "../../common/signals.ts";
import { INDENT, isOwnLine, isRule, type InputBox } from "./layout.ts";

/** Above a view that is drawn over the conversation; above nothing else but the dialog of a plan. */
const BAR = /^▔{12,}$/;
/** Below the field for a reply in the view of all sessions; and, in the inline renderer, a command that answers below itself. */
const OTHER_EDGE = /^╰─{12,}╯$|^❯ \/\S/;

/** The keys of a view may be wrapped. */
const ROWS_OF_KEYS = 3;
const KEYS = /(?:^|\s)(?:esc|enter|ctrl[+-]\S+|[^\s\w]\S*|\w) to \w/i;
/**
 * Below a box that is none for prompts: what Enter does in the view of all sessions, and what is searched for in the inline renderer,
 * before the mode.
 */
const OTHER_BOX = /^ {2}enter to \w|^ {2}[a-z ]+: .*(?:⏸|⏵⏵) \S/;
/** Among the keys of a view; the list of keys below the box for prompts has none that closes it. */
const CLOSES = /\s\? to close(?: {2}|$)/;

const titleOf = (rows: readonly string[]): string => joined(rows.slice(0, 1)).slice(0, 80);

/** The view at the bottom of the screen, or null. Call only where neither a dialog nor the box for prompts is there. */
export const readView = (lines: readonly string[]): Reading | null => {
  const top = lines.findLastIndex((line) => !isBlank(line) && indentOf(line) < INDENT);
  const edge = lines[top] ?? "";
  const rows = lines.slice(top + 1).filter((line) => !isBlank(line));
  if (rows.length === 0) return null;
  if (BAR.test(edge)) return shows(IN_MENU, "high", titleOf(rows));
  const keys = rows.slice(-ROWS_OF_KEYS);
  const isView = (isRule(edge) || OTHER_EDGE.test(edge)) && !keys.some(isOwnLine) && KEYS.test(joined(keys));
  return isView ? shows(IN_MENU, "high", titleOf(rows)) : null;
};

/** Without its task and its times at the right edge. */
const nameOf = (row: string): string => row.replace(/^[❯ ]*[│├└ ]*/, "").split(/ {2,}/, 1)[0] ?? "";

/** The conversation of one that works for the agent is shown, whose own is out of sight; or the list of them has the keys. */
const isOfOther = (agents: readonly string[]): boolean =>
  agents.length > 0 && (!/^ {2}●/.test(agents[0] ?? "") || agents.some((row) => row.startsWith("❯")));

/** Of the agent that works for it and whose conversation is shown: it is at work, and no dialog is open. */
const AT_WORK = /\besc to (?:stop|int)/;

export const showsOtherAtWork = ({ footer, agents }: InputBox): boolean =>
  isOfOther(agents) && AT_WORK.test(footer);

/** What is typed into such a box goes to another agent, begins another session, or searches: its sign; null for the box for prompts. */
export const signOfOtherBox = ({ below, footer, agents }: InputBox): string | null => {
  if (isOfOther(agents)) return nameOf(agents.find((row) => row.includes("●")) ?? "");
  const rows = below.slice(1).filter((line) => !isBlank(line));
  const isOther = OTHER_BOX.test(rows.at(-1) ?? "") || rows.some((row) => CLOSES.test(row));
  return footer === "" && isOther ? titleOf(rows.slice(-1)) : null;
};
