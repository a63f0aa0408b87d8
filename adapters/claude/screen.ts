// Reads the visible screen of Claude Code: views that take the keys, the layout for screen readers, the draft in the box and its
// editor's mode, the turn. Positive proof or nothing: a dialog (dialogs.ts), else an input box at the bottom, whose nearest line
// above and footer say whether the turn runs, ended, failed, was interrupted or never began; everything higher up is history.
// Source: recorded frames (2.1.329, 2.1.197).
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import {
  indentOf,
  isBlank,
  joined,
  shows,
  asks,
  styledRows,
  typedOf,
  movedDown,
  ofWholeScreen,
  visibleLines,
} from "../common/screenText.ts";
import {
  IN_MENU,
  COMPACTING,
  COMPLETED,
  EDIT_APPROVAL,
  FRESH,
  INTERRUPTED,
  QUESTION,
  RETRYING,
  THINKING,
  TOOL,
  TOOL_APPROVAL,
  BACKGROUND,
  SUBAGENT,
} from "../common/events.ts";
import {
  INDENT,
  isOwnLine,
  isRule,
  type InputBox,
  ownColumns,
  findInputBox,
  withoutEditor,
  lastBlock,
  withoutName,
} from "./layout.ts";
import { fails, countOf, progressOf, quoteOf, retryIn, withProgress } from "../common/progress.ts";
import { ERROR_LINE, errorStatusOfText } from "./normalize.ts";
import type { Confidence } from "../../core/model/state.ts";
import { isWaiting } from "../../core/model/state.ts";
import { readDialog } from "./dialogs.ts";

// Views: pickers, settings, lists, the transcript, the view of all sessions. In a view keys are commands and the agent's work is
// not visible. It is known by its place: below a bar or rule across the pane all rows are indented by two columns, without a box
// for prompts. Source: every command of the menu of 2.1.329 that opens one, in both renderers.

/** Above a view that is drawn over the conversation, and otherwise only above a plan's dialog. */
const BAR = /^▔{12,}$/;
/** The edge below the reply field in the view of all sessions, or, in the inline renderer, a command that answers below itself. */
const OTHER_EDGE = /^╰─{12,}╯$|^❯ \/\S/;

/** The row of a view's keys may be wrapped. */
const ROWS_OF_KEYS = 3;
const KEYS = /(?:^|\s)(?:esc|enter|ctrl[+-]\S+|[^\s\w]\S*|\w) to \w/i;
/** Below another box: what Enter does in the view of all sessions, or the search in the inline renderer, before the mode. */
const OTHER_BOX = /^ {2}enter to \w|^ {2}[a-z ]+: .*(?:⏸|⏵⏵) \S/;
/** Among a view's keys; the list of keys below the box for prompts names none that closes it. */
const CLOSES = /\s\? to close(?: {2}|$)/;

const titleOf = (rows: readonly string[]): string => joined(rows.slice(0, 1)).slice(0, 80);

/** The view at the bottom of the screen, or null. Call only where neither a dialog nor the box for prompts is there. */
const readView = (lines: readonly string[]): Reading | null => {
  const top = lines.findLastIndex((line) => !isBlank(line) && indentOf(line) < INDENT);
  const edge = lines[top] ?? "";
  const rows = lines.slice(top + 1).filter((line) => !isBlank(line));
  if (rows.length === 0) return null;
  if (BAR.test(edge)) return shows(IN_MENU, "high", titleOf(rows));
  const keys = rows.slice(-ROWS_OF_KEYS);
  const isView = (isRule(edge) || OTHER_EDGE.test(edge)) && !keys.some(isOwnLine) && KEYS.test(joined(keys));
  return isView ? shows(IN_MENU, "high", titleOf(rows)) : null;
};

/** The name in a row of the list of agents, without task and times at the right edge. */
const nameOf = (row: string): string => row.replace(/^[❯ ]*[│├└ ]*/, "").split(/ {2,}/, 1)[0] ?? "";

/** A sub-agent's conversation is shown instead of the agent's own, or the list of agents takes the keys. */
const isOfOther = (agents: readonly string[]): boolean =>
  agents.length > 0 && (!/^ {2}●/.test(agents[0] ?? "") || agents.some((row) => row.startsWith("❯")));

/** In the footer of a sub-agent's conversation: it is at work, and no dialog is open. */
const AT_WORK = /\besc to (?:stop|int)/;

const showsOtherAtWork = ({ footer, agents }: InputBox): boolean => isOfOther(agents) && AT_WORK.test(footer);

/** The sign of a box whose text goes to another agent, begins another session or searches; null for the box for prompts. */
const signOfOtherBox = ({ below, footer, agents }: InputBox): string | null => {
  if (isOfOther(agents)) return nameOf(agents.find((row) => row.includes("●")) ?? "");
  const rows = below.slice(1).filter((line) => !isBlank(line));
  const isOther = OTHER_BOX.test(rows.at(-1) ?? "") || rows.some((row) => CLOSES.test(row));
  return footer === "" && isOther ? titleOf(rows.slice(-1)) : null;
};

// Layout for screen readers (`--ax-screen-reader`): plain rows from the left edge, each block begins with a word for its kind, no
// box and no signs. At the bottom stand the mode and the prompt, or a dialog answered by number and Enter. Source: 2.1.329.

const FLAT_MODE = /^(?:(?:manual|auto|plan) mode|accept edits|bypass permissions|don't ask) on(?: .*)?$/;
/** Rows between mode and prompt: the effort, and what an empty prompt offers. */
const MAX_HINTS = 2;
const PROMPT = /^\$(?:[ \u00a0]|$)/;
/** Most rows of a draft. */
const MAX_ROWS = 20;
const FLAT_INDENT = 2;

/** Each block begins with who speaks. */
const BLOCK = /^(?:you|claude|tool|tool error|error): /;
const FLAT_FINISHED = /^\S+ for (\d+[dhms] ?)+( · .*)?$/;
const FLAT_INTERRUPTION = /^Interrupted · What should Claude do instead\?$/;
const FLAT_DECLINED = /^(?:Declined to answer Claude's questions:|Rejected \w+ to )/;

interface Prompt {
  /** Index of the row with the prompt's sign. */
  at: number;
  mode: string;
  above: readonly string[];
}

/** Null where no prompt of this layout is at the bottom. */
const findPrompt = (screen: readonly string[]): Prompt | null => {
  const lines = screen.slice(0, screen.findLastIndex((line) => !isBlank(line)) + 1);
  const at = lines.findLastIndex((line) => PROMPT.test(line));
  if (at < 1 || lines.length - at > MAX_ROWS) return null;
  const modeAt = lines.slice(0, at).findLastIndex((line) => FLAT_MODE.test(line));
  const hints = lines.slice(modeAt + 1, at);
  if (modeAt < 0 || hints.length > MAX_HINTS || hints.some((line) => BLOCK.test(line))) return null;
  const above = lines.slice(0, modeAt).filter((line) => !isBlank(line));
  return { at, mode: lines[modeAt] ?? "", above };
};

const readPrompt = ({ mode, above }: Prompt): Reading | null => {
  const last = above.at(-1) ?? "";
  const block = above.slice(
    Math.max(
      0,
      above.findLastIndex((line) => BLOCK.test(line)),
    ),
  );
  const [head = "", ...rest] = block;
  if (/\besc to int/.test(mode)) {
    if (/\bRetrying in \d/.test(joined(block))) return shows(RETRYING, "high", joined(block));
    if (/compacting/i.test(last)) return shows(COMPACTING, "high", last);
    return shows(rest.includes("Running…") ? TOOL : THINKING, "high", mode);
  }
  if (FLAT_FINISHED.test(last)) return shows(COMPLETED, "high", last);
  if (FLAT_INTERRUPTION.test(last)) return shows(INTERRUPTED, "high", last);
  const declined = rest.find((line) => FLAT_DECLINED.test(line));
  if (declined !== undefined) return shows(INTERRUPTED, "high", declined);
  const text = /^(?:error|claude): (.*)$/.exec(joined(block))?.[1] ?? "";
  if (ERROR_LINE.test(text)) return fails(errorStatusOfText(text), text);
  // A prompt with nothing below it was just accepted; a command of the agent's own has its answer below it.
  if (head.startsWith("you: ") && rest.length === 0) return null;
  const hasTurn = BLOCK.test(head);
  // The first row of what ended there has scrolled out.
  if (!hasTurn && above.length > 0 && !above.some((line) => /^Claude Code v\d/.test(line))) return null;
  return shows(FRESH, hasTurn ? "medium" : "high", mode);
};

const ASKS = /^Select with numbers \[1-\d+\]\. Then Enter to submit or Escape to cancel:(?: \d*)?$/;
const OPTION = /^(\d{1,2})\. (\S.*)$/;
const PERMISSION = /^Permission Required: (\S.*)$/;
const ASKED = /^Question: (\S.*)$/;
const EDIT = /^Do you want to (create|make|overwrite|edit|write|update|delete|insert)\b/;

/** The options get no keys: a number alone chooses nothing, and answering it from elsewhere was not tried. */
const readQuestion = (lines: readonly string[]): Reading | null => {
  const rows = lines.filter((line) => !isBlank(line));
  const end = rows.findLastIndex((line) => ASKS.test(line));
  if (end < 0 || rows.length - end > 2) return null;
  const first = rows.slice(0, end).findLastIndex((line) => line.startsWith("1. "));
  const start = rows.slice(0, first).findLastIndex((line) => PERMISSION.test(line) || ASKED.test(line));
  const title = rows[start] ?? "";
  if (first < 0 || start < 0 || rows.slice(start + 1, first).some((line) => BLOCK.test(line))) return null;
  const options = rows.slice(first, end).flatMap((line) => {
    const label = OPTION.exec(line)?.[2];
    return label === undefined ? [] : [{ label, keys: null }];
  });
  const text = rows.slice(start + 1, first);
  const permission = PERMISSION.exec(title)?.[1];
  const asked = permission === undefined ? joined(text).replace(/^> /, "") : (text.at(-1) ?? "");
  const status = permission === undefined ? QUESTION : EDIT.test(asked) ? EDIT_APPROVAL : TOOL_APPROVAL;
  const kind = status === QUESTION ? "question" : status === EDIT_APPROVAL ? "edit" : "tool";
  return asks(status, "high", `${title} / ${asked}`, {
    kind,
    title: status === TOOL_APPROVAL ? (permission ?? asked) : asked,
    body: status === QUESTION ? null : text.slice(0, -1).join("\n"),
    options,
    isWhole: false,
  });
};

/** What the bottom of the screen shows in this layout, or null. */
const readFlat = (lines: readonly string[]): Reading | null => {
  const prompt = findPrompt(lines);
  return prompt === null ? readQuestion(lines) : readPrompt(prompt);
};

/** What stands after the prompt's sign; null without a prompt. */
const readFlatDraft = (screen: Screen): string | null => {
  const rows = styledRows(screen);
  const prompt = findPrompt(screen.lines.map((line) => line.trimEnd()));
  return rows === null || prompt === null ? null : typedOf(rows.slice(prompt.at), FLAT_INDENT);
};

// Draft: what somebody typed into the input box, and the mode of its editor.

/** Text after another sign is no prompt: `!` runs it in a shell. */
const SIGN_OF_PROMPTS = /^[❯>]$/;

/**
 * What somebody typed into the box; the hint in an empty one is drawn dim. "": the box is empty; null: there is none, it is not for
 * prompts, or its drawn cells are not those of the agent's part. Source: drafts recorded with 2.1.329.
 */
export const readDraft = (screen: Screen): string | null => {
  const rows = styledRows(screen);
  const { screen: own, columns } = ownColumns(screen);
  const lines = own.lines.map((line) => line.trimEnd());
  const box = findInputBox(lines, own.width);
  if (box === null) return readFlatDraft(screen);
  if (rows === null || !SIGN_OF_PROMPTS.test(box.text.slice(0, 1)) || signOfOtherBox(box) !== null)
    return null;
  const inBox = rows.slice(box.start, box.end);
  if (columns === null) return typedOf(inBox, INDENT);
  const cells = inBox.map((row) => row.slice(columns.from, columns.to));
  const isSame = cells.every(
    (row, index) =>
      row
        .map(({ char }) => char)
        .join("")
        .trimEnd() === lines[box.start + index],
  );
  return isSame ? typedOf(cells, INDENT) : null;
};

const INPUT_MODE = /^-- ([A-Z][A-Z -]*) -- /;

/**
 * The mode of the box's editor, by the agent's own line, which with vim's keys switched on names each mode but the normal one.
 * Recorded with 2.1.329.
 */
export const readInputMode = (screen: Screen): "text" | "commands" | "none" | null => {
  const { screen: own } = ownColumns(screen);
  const box = findInputBox(
    own.lines.map((line) => line.trimEnd()),
    own.width,
  );
  if (box === null || box.footer === "") return null;
  const mode = INPUT_MODE.exec(box.footer)?.[1];
  if (mode === undefined) return "none";
  return mode === "INSERT" ? "text" : "commands";
};

// Turn: its progress, and whether it runs, ended or never began.

const ATTEMPT = /\bRetrying in \d.{0,40}\(attempt (\d+)\/(\d+)\)/;
const BACKGROUND_WORK = /^✻ Waiting for (\d+ background \w+)/;
/** A random verb is one word; a task of the agent's list has several. */
const NAMED_TASK = /^[·✢✳✶✻✽∗*] (\S+ \S.{0,80}?)…/;
const FOOTER_MODE = /\b(accept edits|auto mode|plan mode|bypass permissions|don't ask) on\b/;
const QUEUED_HINT = /^\s+Queued · /;

/** Lines from the running line on: queued prompts and task lists stand below it. */
const belowSpinner = (above: readonly string[]): readonly string[] => {
  const at = above.findLastIndex((line) => /^[·✢✳✶✻✽∗*] \S/.test(line));
  return at < 0 ? [] : above.slice(at);
};

/** Null where there is nothing to say. */
const readProgress = ({ above, footer }: InputBox, isRunning: boolean): string | null => {
  const mode = FOOTER_MODE.exec(footer)?.[1] ?? null;
  if (!isRunning) return progressOf(mode);
  const lines = belowSpinner(above);
  const task = NAMED_TASK.exec(lines[0] ?? "")?.[1];
  const isQueued = lines.some((line) => QUEUED_HINT.test(line));
  return progressOf(
    retryIn(joined(lines), ATTEMPT),
    BACKGROUND_WORK.exec(lines[0] ?? "")?.[1] ?? null,
    quoteOf(task === undefined || /compacting/i.test(task) ? null : task),
    isQueued ? countOf(lines.filter((line) => line.startsWith("❯ ")).length, "queued prompt") : null,
    mode,
  );
};

const INTERRUPTIBLE = /\besc to int/i;
const IDLE_FOOTER =
  /\? for shortcuts|← for agents|\/tasks to see|shift\+tab to cycle|(manual|auto|plan) mode on\b|accept edits on\b|bypass permissions on\b|don't ask on\b/;
/** A random glyph and a verb with an ellipsis; the finished line has no ellipsis. */
const SPINNER = /^[·✢✳✶✻✽∗*] \S.{0,80}?…/;
/** Up to 2.1.197 this line also stands below a failure, and names no time of day. */
const FINISHED_WITHOUT_TIME = /^✻ \S+ for [\dhms ]+$/;
const FINISHED_TURN = /^✻ \S+ for (\d+[dhms] ?)+( · .*)?$/;
const WAITING_FOR_BACKGROUND = /^✻ Waiting for \d+ background \w+/;
const INTERRUPTED_TURN = /^\s*⎿\s+Interrupted · What should Claude do instead\?/;
/** The person declined a question, or rejected an edit or a plan (which is then drawn in a box): each ends the turn. */
const DECLINED_TURN = /^● Declined to answer Claude's questions:/;
const REJECTED_EDIT = /^\s+⎿\s+Rejected \w+ to \S/;
const REJECTED_PLAN = /^\s+⎿\s+(Rejected|User rejected) Claude's plan:$/;
const BRAILLE_TITLE = /^[\u2800-\u28ff] /;

/** Index of the running line above the box, among the nearest lines: tips, queued prompts and task lists may follow it. */
const findSpinner = (above: readonly string[]): number => {
  const last = above.findLastIndex((line) => indentOf(line) === 0 && !line.startsWith("❯"));
  const line = above[last];
  return line !== undefined && SPINNER.test(line) && above.length - last <= 16 ? last : -1;
};

/** A tool's block that is still open: its command is echoed, its result is not. */
const isToolOpen = (above: readonly string[]): boolean => {
  const start = above.findLastIndex((line) => !/^\s+⎿/.test(line) && indentOf(line) <= 2);
  const block = above.slice(Math.max(start, 0));
  const [head = "", ...rest] = block;
  return (
    rest.some((line) => /^\s+⎿\s+(Running…|Waiting…|\$ )/.test(line)) &&
    !rest.some((line) => /^\s+⎿\s+Interrupted/.test(line)) &&
    !/^\s*(Ran|Did not run) \d/.test(head)
  );
};

const readRunning = (box: InputBox): Reading | null => {
  const spinnerAt = findSpinner(box.above);
  const footerSays = INTERRUPTIBLE.test(box.footer);
  if (!footerSays && spinnerAt < 0) return null;
  const spinner = spinnerAt < 0 ? "" : (box.above[spinnerAt] ?? "");
  const matched = spinner === "" ? box.footer : spinner;
  const confidence: Confidence = footerSays ? "high" : "medium";
  const nearby = joined(box.above.slice(spinnerAt < 0 ? -2 : spinnerAt));
  if (/\bRetrying in \d/.test(nearby)) return shows(RETRYING, confidence, nearby);
  if (/compacting/i.test(spinner)) return shows(COMPACTING, confidence, matched);
  return shows(
    isToolOpen(box.above.slice(0, spinnerAt < 0 ? undefined : spinnerAt)) ? TOOL : THINKING,
    confidence,
    matched,
  );
};

const readFailure = (block: readonly string[]): Reading | null => {
  const text = block[0]?.startsWith("● ") === true ? joined(block).slice(2) : "";
  return ERROR_LINE.test(text) ? fails(errorStatusOfText(text), text) : null;
};

/** How the turn ended, by the block directly above the box. */
const readEnd = (box: InputBox): Reading | null => {
  const block = lastBlock(box.above);
  const [head = ""] = block;
  const last = box.above.at(-1) ?? "";
  if (FINISHED_TURN.test(head) && block.length === 1) {
    const failure = FINISHED_WITHOUT_TIME.test(head) ? readFailure(lastBlock(box.above.slice(0, -1))) : null;
    return failure ?? shows(COMPLETED, "high", head);
  }
  if (INTERRUPTED_TURN.test(last)) return shows(INTERRUPTED, "high", last.trim());
  const plan = block.findLast((line) => REJECTED_PLAN.test(line));
  if (plan !== undefined && /^\s+╰─+╯$/.test(last)) return shows(INTERRUPTED, "high", plan.trim());
  const edit = block[1] ?? "";
  if (head.startsWith("● ") && REJECTED_EDIT.test(edit)) return shows(INTERRUPTED, "high", edit.trim());
  if (DECLINED_TURN.test(head)) return shows(INTERRUPTED, "high", head);
  return readFailure(block);
};

/** The agent begins each block with a sign; a row that begins with a letter is an editor's line above its window. */
const OWN_SIGN = /^[^\x20-\x7e]|^[*>!] /;
/** The answer to a command of the agent's own. */
const ANSWER = /^\s+⎿\s+\S/;

const readIdle = (box: InputBox): Reading | null => {
  if (!IDLE_FOOTER.test(box.footer)) return null;
  const [head = "", ...rest] = lastBlock(box.above);
  // The first line of what ended there is not visible: a low pane, or an editor draws over it.
  if (head !== "" && !OWN_SIGN.test(head)) return null;
  // A prompt with nothing below it was just accepted: the running line is about to be drawn.
  if (/^[❯!]/.test(head) && (!rest.some((line) => ANSWER.test(line)) || isToolOpen(box.above))) return null;
  const hasTurn = box.above.some((line) => /^[❯●] /.test(line));
  return shows(FRESH, hasTurn ? "medium" : "high", box.footer);
};

const readState = (box: InputBox, title: string): Reading | null => {
  const head = lastBlock(box.above)[0] ?? "";
  if (WAITING_FOR_BACKGROUND.test(head)) return shows(BACKGROUND, "high", head, true);
  const running = readRunning(box);
  if (running !== null) return running;
  if (BRAILLE_TITLE.test(title)) return null;
  return readEnd(box) ?? readIdle(box);
};

/** Null where the surroundings prove nothing, or contradict a title that says that the agent works (2.1.197 animates it). */
const readTurn = (box: InputBox, title: string): Reading | null => {
  const reading = readState(box, title);
  return reading === null
    ? null
    : withProgress(reading, readProgress(box, reading.status.state === "running"));
};

const readBox = (box: InputBox, title: string): Reading | null => {
  const sign = signOfOtherBox(box);
  if (sign === null) return readTurn(box, title);
  return shows(showsOtherAtWork(box) ? SUBAGENT : IN_MENU, "high", sign);
};

/** State and request that the bottom of the screen positively shows, or null. */
export const readClaudeScreen = (screen: Screen): Reading | null => {
  const { screen: own } = ownColumns(screen);
  const lines = visibleLines(own);
  if (lines.length === 0) return null;
  const box = findInputBox(lines, own.width);
  if (box === null) {
    const rows = withoutName(withoutEditor(lines, own.isAlternate));
    return ofWholeScreen(screen, readDialog(rows, own.width) ?? readView(rows) ?? readFlat(rows));
  }
  // The inline renderer (2.1.197) may leave an old box above a dialog, whose rule then looks like the box's lower one.
  const below = movedDown(readDialog(box.below, own.width), lines.length - box.below.length);
  return ofWholeScreen(screen, below) ?? readBox(box, own.title);
};

// Own screen: the agent hides the cursor and puts it where a person would have it, into the box or on the chosen option, in both
// renderers and in each recording (2.1.329, 2.1.197). A text that is printed, and a pager, leave it elsewhere, and show it.

const CHOSEN = /^ {0,4}❯/;

export const isOwnScreen = (screen: Screen): boolean => {
  const { screen: own, columns } = ownColumns(screen);
  const { cursor } = screen;
  if (cursor === undefined || cursor.isVisible) return false;
  const lines = visibleLines(own);
  const row = lines[cursor.y] ?? "";
  const x = cursor.x - (columns?.from ?? 0);
  if (isWaiting(readClaudeScreen(screen)?.status.state ?? "unknown"))
    return CHOSEN.test(row) && x >= row.indexOf("❯") && x <= row.length;
  const box = findInputBox(lines, own.width);
  const isAcross = box !== null && lines[box.end]?.length === own.width;
  return isAcross && cursor.y >= box.start && cursor.y < box.end && x >= INDENT;
};
