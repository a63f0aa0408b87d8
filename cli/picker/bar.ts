// The foot of the picker: what is being typed, a question before something is done, or the keys.
import { isLaterOffered } from "../../ui/actions/disabledReasons.ts";
import { LATER_WORDS, repliesToPrompt } from "../../ui/actions/paneActions.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { panePlace } from "../../ui/text/paneText.ts";
import type { PaneView } from "../../core/model/view.ts";
import { visibleOnTerminal } from "../../core/model/visibleText.ts";
import { clip, hintLine, keyHint, span, STYLE, widthOf, wrapWhole, type Line } from "./line.ts";
import { startBar } from "./startBar.ts";
import { selectedPane, type PickerState, type ReplyMode } from "./pickerState.ts";

const HINTS: readonly Line[] = [
  keyHint("↑↓", "move"),
  keyHint("⏎", "attach"),
  keyHint("n", "next waiting"),
  keyHint("r", "reply"),
  keyHint("/", "search"),
  keyHint("o", "output"),
  keyHint("?", "all keys"),
  keyHint("q", "quit"),
];

interface Bar {
  readonly lines: readonly Line[];
  /** Row within the bar, and column. */
  readonly cursor: { row: number; column: number } | null;
}

const noCursor = (lines: readonly Line[]): Bar => ({ lines, cursor: null });

const REPLY_ROWS = 5;

/** What the text is, and what the keys do. */
const replyHead = (pane: PaneView | null, { isSending, isLater }: ReplyMode): readonly [string, string] => {
  const keys = "Enter sends, Alt+Enter breaks the line, Esc leaves and keeps it";
  if (isSending) return [isLater ? "Reply when it is ready" : "Reply to the agent", "sending…"];
  if (pane !== null && repliesToPrompt(pane)) return ["Answer the question", keys];
  if (isLater)
    return ["Reply when it is ready", "Enter arms it, Tab sends it now instead, Esc leaves and keeps it"];
  return [
    "Reply to the agent",
    pane !== null && isLaterOffered(pane) ? `Tab: when it is ready; ${keys}` : keys,
  ];
};

const replyBar = (draft: string, pane: PaneView | null, mode: ReplyMode, width: number): Bar => {
  const [title, hint] = replyHead(pane, mode);
  const rows = wrapWhole(visibleOnTerminal(draft), width - 5);
  const shown = rows.slice(-REPLY_ROWS);
  const last = shown.at(-1) ?? "";
  return {
    lines: [
      clip([span(` ${title} `, STYLE.mark), span(`  ${hint}`, STYLE.dim)], width),
      ...(mode.isLater ? [clip([span(`   ${LATER_WORDS}`, STYLE.dim)], width)] : []),
      ...shown.map((row, index): Line => [span(index === 0 ? " › " : "   ", STYLE.key), span(row)]),
    ],
    cursor: mode.isSending
      ? null
      : { row: shown.length + (mode.isLater ? 1 : 0), column: Math.min(width - 1, 3 + widthOf(last)) },
  };
};

const dialogBar = (title: string, sentences: readonly string[], keys: readonly Line[], width: number): Bar =>
  noCursor([
    clip([span(` ${displayLine(title)} `, STYLE.mark)], width),
    ...sentences.flatMap((text) =>
      wrapWhole(displayLine(text), width - 3).map((row): Line => [span(`  ${row}`)]),
    ),
    hintLine(keys, width),
  ]);

/** The lines at the foot of the screen. */
export const barOf = (state: PickerState, width: number): Bar => {
  const { mode } = state;
  switch (mode.kind) {
    case "search":
      return {
        lines: [clip([span(" /", STYLE.key), span(displayLine(state.search))], width)],
        cursor: { row: 0, column: Math.min(width - 1, 2 + widthOf(displayLine(state.search))) },
      };
    case "reply":
      return replyBar(state.drafts.get(mode.key) ?? "", selectedPane(state), mode, width);
    case "start":
      return startBar(mode, width);
    case "question":
      return dialogBar(
        mode.question.title,
        mode.question.text.split("\n"),
        [keyHint("y", mode.question.confirmLabel), keyHint("any other key", "leaves it")],
        width,
      );
    case "kill":
      return dialogBar(
        `Kill ${mode.pane.agent_name ?? "the agent"}?`,
        [panePlace(mode.pane), mode.sentence ?? "Asking which process that is…"],
        [
          ...(mode.sentence === null ? [] : [keyHint("y", `send ${mode.signal}`)]),
          keyHint("Tab", "another signal"),
          keyHint("any other key", "leaves it"),
        ],
        width,
      );
    case "list":
    case "help":
    case "history":
    case "armed":
    case "rule":
    case "whole":
    case "output":
      return noCursor([hintLine(HINTS, width)]);
  }
};
