// Reads opencode's screen: a draft, the turn, panels that take the keys, and the session's name in the title; dialogs are in
// dialogs.ts. Positive proof or nothing: a dialog is the block that ends the screen, else the footer of the input box shows a
// turn in progress, and the line of the last answer above the box how one ended. History higher up never counts, and the title
// holds no state. Source: frames recorded with 1.18.33.
import type { PromptRequest } from "../../core/model/request.ts";
import type { Screen, Reading } from "../../core/ports/agentAdapter.ts";
import {
  isBlank,
  type StyledCell,
  styledRows,
  typedOf,
  joined,
  ofWholeScreen,
  shows,
  visibleLines,
} from "../common/screenText.ts";
import { findInputBox, withoutSideBar, blocksOf, type InputBox, isBarred, withoutBar } from "./layout.ts";
import { failureOfText, fails, quoteOf, retryIn, withProgress } from "../common/progress.ts";
import { readKeyHints } from "../common/selector.ts";
import { COMPLETED, FRESH, IN_MENU, INTERRUPTED, RETRYING, THINKING, TOOL } from "../common/events.ts";
import { readDialog } from "./dialogs.ts";
import { PERMISSION_OPTIONS } from "./normalize.ts";

// A draft: the rows between the box's upper margin and the row that names agent and model. Source: drafts recorded with 1.18.33.

const HINT = /^Ask anything(?:…|\.\.\.) ".*"$/;
/** Between agent and model, in the colour of what is not typed. In a shell's box it is not there. */
const SEPARATOR = "·";

const textOf = (cells: readonly StyledCell[]): string => cells.map(({ char }) => char).join("");
const wordsOf = (cells: readonly StyledCell[]): StyledCell[] => cells.filter(({ char }) => char !== " ");

/** Bar and margin. */
const withoutBarCells = (row: readonly StyledCell[]): readonly StyledCell[] =>
  row.slice(row.findIndex(({ char }) => char === "┃") + 1);

const isHint = (row: readonly StyledCell[], colour: string): boolean =>
  HINT.test(textOf(row).trim()) && wordsOf(row).every((cell) => cell.colour === colour);

/** "": it is empty; null: there is no box, it is not for prompts, or the screen was read without colours. */
export const readDraft = (screen: Screen): string | null => {
  const rows = styledRows(screen);
  const column = withoutSideBar(
    screen.lines.map((line) => line.trimEnd()),
    screen.width,
  );
  const box = findInputBox(column.lines);
  if (rows === null || box === null) return null;
  const inside = rows.slice(box.start, box.end).map((row) => withoutBarCells(row.slice(0, column.width)));
  const modelAt = inside.findLastIndex((row) => !isBlank(textOf(row)));
  const separator = inside[modelAt]?.find(({ char }) => char === SEPARATOR);
  if (separator === undefined) return null;
  const typed = inside.slice(0, modelAt);
  const shown = typed.filter((row) => !isBlank(textOf(row)));
  if (shown.length === 1 && HINT.test(textOf(shown[0] ?? []).trim()))
    return isHint(shown[0] ?? [], separator.colour) && separator.colour !== ""
      ? ""
      : textOf(shown[0] ?? []).trim();
  return typedOf(typed, 2);
};

// The turn: the footer of the box, and the line of the last answer.

const WORKING = /^\s{1,4}[■⬝]{4,}(\s|$)/;
const RETRY = /\[retrying in \S+ attempt #\d+\]|\[retrying/;
const ATTEMPT = /\[retrying in \S+ attempt #(\d+)\]/;
const FAILURE = /^\s{1,4}[■⬝]+ (\S.*?) \[retrying/;
const INTERRUPTIBLE = /\besc (again to )?interrupt\b/;
const IDLE_FOOTER = /\bctrl\+p commands\s*$/;
/** `▣  Build · Model`, then how long it took or how it ended; a side bar may follow far to the right. */
const ANSWER = /^\s{3,6}▣\s{1,3}(\S.*?)(?:\s{4,}.*)?$/;
const TOOK = / · (\d+h ?)?(\d+m ?)?\d+(\.\d+)?m?s$/;
const ANSWER_INTERRUPTED = / · interrupted$/;
/** How a tool's block begins, in contrast to an error's, which is plain text. */
const TOOL_SIGN = /^[#$→←✱⚙%◇~[\u2800-\u28ff]/u;

/** In panes wider than this an edit shows the old file beside the new one. */
const SPLIT_ABOVE = 120;

const textRowsOf = (block: readonly string[]): string[] =>
  block.map((line) => withoutBar(line).trim()).filter((line) => line !== "");

const isToolRunning = (above: readonly string[]): boolean => {
  const blocks = blocksOf(above).filter(({ lines }) => !ANSWER.test(lines[0] ?? ""));
  return (blocks.at(-1)?.lines ?? []).some((line) => /^[\u2800-\u28ff] /.test(withoutBar(line).trim()));
};

/** The attempt, and the failure's own words before it. */
const retryParts = (footer: string): (string | null)[] => [
  retryIn(footer, ATTEMPT),
  quoteOf(FAILURE.exec(footer)?.[1]),
];

const readRunning = ({ above, footer }: InputBox): Reading | null => {
  if (!WORKING.test(footer)) return null;
  const confidence = INTERRUPTIBLE.test(footer) ? "high" : "medium";
  if (RETRY.test(footer))
    return withProgress(shows(RETRYING, confidence, footer.trim()), ...retryParts(footer));
  return shows(isToolRunning(above) ? TOOL : THINKING, confidence, footer.trim());
};

/**
 * An answer that ended without its time and without being interrupted failed: its error stands directly above in a block
 * of plain text, below the block of the prompt that it answers.
 */
const readFailure = (blocks: ReturnType<typeof blocksOf>): Reading | null => {
  const previous = blocks.findLastIndex(({ lines }) => ANSWER.test(lines[0] ?? ""));
  const turn = blocks.slice(previous + 1);
  const last = turn.at(-1);
  if (last === undefined || !last.isBarred || turn.filter((block) => block.isBarred).length < 2) return null;
  const text = textRowsOf(last.lines);
  if (text.length === 0 || TOOL_SIGN.test(text[0] ?? "")) return null;
  const message = joined(text);
  return fails(failureOfText(message), message);
};

const readEnd = ({ above, footer }: InputBox): Reading | null => {
  if (!IDLE_FOOTER.test(footer) || WORKING.test(footer)) return null;
  const blocks = blocksOf(above);
  const last = blocks.at(-1);
  const answer = ANSWER.exec(last?.lines.at(-1) ?? "")?.[1]?.trimEnd();
  if (last === undefined || last.isBarred || answer === undefined) return null;
  const matched = `▣ ${answer}`;
  if (TOOK.test(answer)) return shows(COMPLETED, "high", matched);
  if (ANSWER_INTERRUPTED.test(answer)) return shows(INTERRUPTED, "high", matched);
  const failure = readFailure(blocks.slice(0, -1));
  if (failure !== null) return failure;
  const before = blocks.at(-2);
  // A barred block may be an error that was not understood.
  if (before?.isBarred === true) return null;
  // A tool that was refused: the turn is over at its call, and nothing else says so.
  const call = before?.lines[0]?.trim() ?? "";
  return TOOL_SIGN.test(call)
    ? shows(INTERRUPTED, "medium", `${call} / ${matched}`)
    : shows(FRESH, "medium", footer.trim());
};

const readStart = ({ above, inside, footer }: InputBox): Reading | null => {
  const isStart = /\btab agents\s+ctrl\+p commands\s*$/.test(footer);
  if (!isStart || above.some(isBarred) || !inside.some((line) => /^\s+Ask anything(?:…|\.\.\.)/.test(line)))
    return null;
  return shows(FRESH, "high", `Ask anything… / ${footer.trim()}`);
};

/** The upper edge of a panel that lies over the conversation: its title, and what closes it far to the right. */
const PANEL = /\s{6,}(\S.{0,60}?\s{8,}esc(?:\/enter)?)(?:\s{2,}|$)/;
/** A row of the menu that stands on the box, with a bar at both sides, and a draft that opens one. */
const MENU = /^ \S.*\s┃$|^ {2}(?:\/|(?:\S.*\s)?@\S*$)/;

/** Keys go into a panel, or the box is a shell's. */
const readPanel = (lines: readonly string[], box: InputBox | null): Reading | null => {
  const panel = lines.findLast((line) => PANEL.test(line));
  if (panel !== undefined) return shows(IN_MENU, "high", PANEL.exec(panel)?.[1] ?? panel.trim());
  return box !== null && readKeyHints(box.footer).leaves ? shows(IN_MENU, "high", box.footer.trim()) : null;
};

/** Null where the surroundings of the box prove nothing. */
const readTurn = (box: InputBox): Reading | null => readRunning(box) ?? readStart(box) ?? readEnd(box);

/**
 * State and request that the bottom of the screen positively shows, or null; a view that takes the keys is `IN_MENU`. `options`: of
 * its permissions.
 */
export const createOpencodeScreenReader =
  (options: PromptRequest["options"]) =>
  (screen: Screen): Reading | null => {
    const { lines, width } = withoutSideBar(visibleLines(screen), screen.width);
    const pane = { width, height: screen.height, isSplit: screen.width > SPLIT_ABOVE };
    const dialog = readDialog(lines, { pane, styledLines: screen.styledLines, options });
    if (dialog !== null) return ofWholeScreen(screen, dialog);
    const box = findInputBox(lines);
    const panel = readPanel(lines, box);
    if (panel !== null || box === null) return panel;
    const turn = readTurn(box);
    const menu = box.inside.find((line) => MENU.test(line));
    return menu !== undefined && turn?.status.state !== "running"
      ? shows(IN_MENU, "high", menu.trim())
      : turn;
  };

export const readOpencodeScreen = createOpencodeScreenReader(PERMISSION_OPTIONS);

const UNNAMED = /^(?:New|Child) session - \d{4}-\d\d-\d\dT/;

/** `text`: what the title says of the session, in opencode or a fork of it. */
export const sessionTitleIn = (text: string | undefined): string | null =>
  text === undefined || UNNAMED.test(text) ? null : text;

/**
 * opencode's own name for its session, in the title of its pane (recorded with 1.18.33). Null while it has none: then the moment of
 * its beginning stands there, or the program's name.
 */
export const titleOfOpencodeSession = (title: string): string | null =>
  sessionTitleIn(/^OC \| (\S.*)$/.exec(title.trim())?.[1]);
