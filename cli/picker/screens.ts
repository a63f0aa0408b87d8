// What the whole screen shows in each mode: the list with its preview and its foot, one request in full, the output of a pane, the
// keys. The modes for history, jobs, rules and changes draw theirs in their own files.
import { isLaterOffered } from "../../ui/actions/disabledReasons.ts";
import { LATER_WORDS, repliesToPrompt } from "../../ui/actions/paneActions.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { conflictTexts, panePlace, pullRequestTexts, rowTitle, sharesText } from "../../ui/text/rowText.ts";
import type { PaneView } from "../../core/model/view.ts";
import { visibleOnTerminal } from "../../core/model/words.ts";
import {
  clip,
  hintLine,
  keyHint,
  span,
  STYLE,
  widthOf,
  wrapWhole,
  type Line,
  filled,
  lineWidth,
  pad,
} from "./line.ts";
import { startBar } from "./pickerStart.ts";
import { selectedPane, type PickerState, type ReplyMode, type TextMode, type Mode } from "./pickerState.ts";
import { outcomeText } from "../../ui/actions/actionStatus.ts";
import { IN_CHANGES, SHORTCUTS } from "../../ui/actions/keyboard.ts";
import { wholeCard } from "./rowLines.ts";
import {
  sideBySide,
  headLine,
  listArea,
  type Area,
  type Frame,
  type FrameInput,
  type Size,
} from "./frame.ts";
import { armedFrame } from "./pickerArmed.ts";
import { changesFrame } from "./pickerChanges.ts";
import { historyFrame } from "./pickerHistory.ts";
import { ruleFrame } from "./pickerRule.ts";

// Foot: what is being typed, a question before something is done, or the keys.

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
  const keys = "Enter: send · Alt+Enter: new line · Esc: close, keep the draft";
  if (isSending) return [isLater ? "Reply when it is ready" : "Reply to the agent", "sending…"];
  if (pane !== null && repliesToPrompt(pane)) return ["Answer the question", keys];
  if (isLater)
    return ["Reply when it is ready", "Enter: schedule · Tab: send now · Esc: close, keep the draft"];
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

const textBar = ({ question, text, isExtraOn }: TextMode, width: number): Bar => {
  const { extra, hint, confirmLabel } = question;
  const shown = wrapWhole(visibleOnTerminal(text), width - 5).slice(-REPLY_ROWS);
  return {
    lines: [
      clip([span(` ${displayLine(question.title)} `, STYLE.mark)], width),
      clip([span(`   ${hint}`, STYLE.dim)], width),
      ...shown.map((row, index): Line => [span(index === 0 ? " › " : "   ", STYLE.key), span(row)]),
      ...(extra === undefined ? [] : [clip([span(`   [${isExtraOn ? "x" : " "}] ${extra}`)], width)]),
      hintLine(
        [
          keyHint("⏎", confirmLabel.toLowerCase()),
          ...(extra === undefined ? [] : [keyHint("Tab", isExtraOn ? "untick" : "tick")]),
          keyHint("Esc", "cancel"),
        ],
        width,
      ),
    ],
    cursor: { row: shown.length + 1, column: Math.min(width - 1, 3 + widthOf(shown.at(-1) ?? "")) },
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

const barOf = (state: PickerState, width: number): Bar => {
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
    case "text":
      return textBar(mode, width);
    case "question":
      return dialogBar(
        mode.question.title,
        mode.question.text.split("\n"),
        [keyHint("y", mode.question.confirmLabel), keyHint("any other key", "cancel")],
        width,
      );
    case "kill":
      return dialogBar(
        `Kill “${rowTitle(mode.pane).text}”?`,
        [panePlace(mode.pane), mode.sentence ?? "Finding the process…"],
        [
          ...(mode.sentence === null ? [] : [keyHint("y", `send ${mode.signal}`)]),
          keyHint("Tab", "another signal"),
          keyHint("any other key", "cancel"),
        ],
        width,
      );
    case "list":
    case "help":
    case "history":
    case "armed":
    case "rule":
    case "changes":
    case "whole":
    case "output":
      return noCursor([hintLine(HINTS, width)]);
  }
};

/** From this width on the selected pane's screen is shown beside the list. */
const PREVIEW_FROM = 110;
const LIST_MIN = 56;
const LIST_MAX = 96;
const SMALLEST: Size = { columns: 30, rows: 8 };

/** Columns of the list; all of them where there is no preview. */
export const listWidth = (columns: number): number =>
  columns < PREVIEW_FROM ? columns : Math.min(LIST_MAX, Math.max(LIST_MIN, Math.floor(columns * 0.45)));

const statusLine = ({ status }: PickerState, width: number): Line => {
  if (status === null) return [];
  const { head, detail } = outcomeText(status.status);
  const tone = { sending: STYLE.dim, done: STYLE.green, refused: STYLE.yellow, lost: STYLE.red }[
    status.status.kind
  ];
  return clip(
    [span(" "), span(displayLine(status.name), STYLE.bold), span("  "), span(head, tone), span(` ${detail}`)],
    width,
  );
};

/** What a list without rows says. */
const emptyLines = ({ feed, search, view }: PickerState): Line[] => {
  if (!feed.hasSnapshot) return [];
  const none = view.kind === "windows" ? "Its last agent has ended. Esc goes back." : "No agents in tmux.";
  const text = search === "" ? none : "Nothing found.";
  return [[], [span(`   ${text}`, STYLE.dim)]];
};

/** Beside the list: where the selected agent is, and the end of its output. */
const preview = (
  pane: PaneView,
  { look, output, documentNames }: FrameInput,
  { width, height }: { width: number; height: number },
): Line[] => {
  const notes = [sharesText(pane, look), ...conflictTexts(pane, look), ...pullRequestTexts(pane)].filter(
    (text) => text !== "",
  );
  const head: Line[] = [
    [
      span(panePlace(pane), STYLE.dim),
      ...(documentNames === "" ? [] : [span("  D ", STYLE.key), span(documentNames, STYLE.dim)]),
    ],
    ...notes.map((text) => [span(text, STYLE.dim)]),
  ];
  return [...head, ...output(height - head.length).lines].map((line) => clip(line, width));
};

const listFrame = (input: FrameInput): Frame => {
  const { state, size, scrollTop, look } = input;
  const { columns, rows } = size;
  const width = listWidth(columns);
  const whole = barOf(state, columns);
  // A question that cannot be read is not answered either.
  const isCut = whole.lines.length + 3 > rows;
  const bar = isCut ? { ...whole, lines: whole.lines.slice(-(rows - 3)) } : whole;
  const height = Math.max(1, rows - 2 - bar.lines.length);
  const area: Area = listArea(state, { ...look, width }, { height, scrollTop });
  const list = state.rows.length === 0 ? filled(emptyLines(state), height) : area.lines;
  const pane = selectedPane(state);
  const middle =
    width === columns
      ? list
      : sideBySide(
          list,
          pane === null ? [] : preview(pane, input, { width: columns - width - 2, height }),
          width,
          columns,
        );
  const { mode } = state;
  const dialogKey = dialogKeyOf(mode);
  return {
    lines: [headLine(state, columns, look.now), ...middle, statusLine(state, columns), ...bar.lines],
    cards: [
      ...area.cards,
      ...(dialogKey === null || isCut ? [] : [{ key: dialogKey, look: `${columns}x${rows}`, isWhole: true }]),
    ],
    cursor: bar.cursor === null ? null : { row: height + 2 + bar.cursor.row, column: bar.cursor.column },
    scrollTop: area.scrollTop,
    page: null,
  };
};

/** A question has to be read before it is answered, like a card. */
export const dialogKeyOf = (mode: Mode): string | null => {
  if (mode.kind === "question") return `question ${mode.question.title} ${mode.question.text}`;
  return mode.kind === "kill" ? `kill ${mode.pane.identity.pane_ref} ${mode.signal} ${mode.sentence}` : null;
};

/** Keys of the popover that mean nothing here, or are others. */
const NOT_HERE: ReadonlySet<string> = new Set([",", "Shift Enter", "→ ←  or  Space"]);
const OWN_KEYS: readonly (readonly [string, string])[] = [
  ["D", "Let the agent answer in its document"],
  ["→  or  w", "All of the request; Space: next page"],
  ["Alt Enter", "New line in a reply"],
  ["t", "In the output: the screen, or the agent's own log"],
  ["Tab", "In sessions: merge same-named sessions"],
  ["Tab", "In a reply: send it when the agent is ready"],
  ["r", "In history: resume a session"],
  ["Ctrl-L", "Draw everything again"],
  ["q", "End"],
];

const helpFrame = ({ size: { columns, rows }, scrollTop }: FrameInput): Frame => {
  const own = { title: "Here", entries: OWN_KEYS };
  const shown = SHORTCUTS.filter(({ title }) => title !== IN_CHANGES);
  const lines = [...shown, own].flatMap(({ title, entries }): Line[] => [
    [span(` ${title}`, STYLE.bold)],
    ...entries
      .filter(([keys]) => !NOT_HERE.has(keys))
      .map(([keys, words]): Line => [...pad([span(`   ${keys}`, STYLE.key)], 22), span(words)]),
    [],
  ]);
  return {
    lines: [...filled(lines, rows - 1), hintLine([keyHint("any key", "back")], columns)].map((line) =>
      clip(line, columns),
    ),
    cards: [],
    cursor: null,
    scrollTop,
    page: null,
  };
};

/** How many rows of a request or an output fit on the whole screen. */
export const pageRows = ({ rows }: Size): number => Math.max(1, rows - 4);

const wholeFrame = (input: FrameInput, mode: Extract<Mode, { kind: "whole" }>): Frame | null => {
  const { state, size, look, scrollTop } = input;
  const { columns } = size;
  const pane = selectedPane(state);
  if (pane === null || pane.identity.pane_ref !== mode.key) return null;
  const { head, rows, keys, card } = wholeCard(pane, { ...look, width: columns });
  const keyRows = keys(true).length;
  const height = Math.max(1, pageRows(size) + 1 - keyRows);
  const top = Math.max(0, Math.min(mode.top, rows.length - height));
  const readTo = top <= mode.readTo ? Math.max(mode.readTo, top + height) : mode.readTo;
  const isRead = readTo >= rows.length;
  const more = rows.length - top - height;
  const place =
    rows.length <= height
      ? ""
      : more > 0
        ? `${more} more lines below · Space pages`
        : isRead
          ? "read to the end"
          : "";
  return {
    lines: [
      ...head,
      ...filled(rows.slice(top, top + height), height),
      clip([span(` ${place}`, STYLE.yellow), ...statusLine(state, columns)], columns),
      ...filled(keys(isRead), keyRows),
    ].map((line) => clip(line, columns)),
    cards: [
      {
        key: card.key,
        isWhole: isRead,
        look: JSON.stringify(["whole", top, columns, height, isRead, card.text]),
      },
    ],
    cursor: null,
    scrollTop,
    page: { top, readTo },
  };
};

const outputFrame = (input: FrameInput, mode: Extract<Mode, { kind: "output" }>): Frame => {
  const { state, size, scrollTop, look } = input;
  const { columns, rows } = size;
  const pane = selectedPane(state);
  const height = rows - 2;
  const { lines } = input.output(height, mode.up, columns);
  const source = input.outputSource ?? (mode.source === "screen" ? "screen" : "transcript");
  const hints = [
    keyHint("↑↓ PgUp PgDn", "scroll"),
    keyHint("t", source === "screen" ? "transcript" : "screen"),
    keyHint("Esc", "back"),
  ];
  return {
    lines: [
      clip(
        [
          span(` ${source === "screen" ? "Screen" : "Transcript"} `, STYLE.mark),
          ...(pane === null
            ? []
            : [
                panePlace(pane),
                sharesText(pane, look),
                ...conflictTexts(pane, look),
                ...pullRequestTexts(pane),
              ]
                .filter((text) => text !== "")
                .map((text) => span(`  ${text}`, STYLE.dim))),
        ],
        columns,
      ),
      ...filled(lines, height),
      hintLine(hints, columns),
    ].map((line) => clip(line, columns)),
    cards: [],
    cursor: null,
    scrollTop,
    page: null,
  };
};

/** Of the modes that take the whole screen; null where the list is shown. */
const specialFrame = (input: FrameInput, mode: Mode): Frame | null => {
  switch (mode.kind) {
    case "help":
      return helpFrame(input);
    case "whole":
      return wholeFrame(input, mode);
    case "output":
      return outputFrame(input, mode);
    case "history":
      return historyFrame(mode, input.size, input.look.now, input.scrollTop);
    case "armed":
      return armedFrame(mode, input);
    case "rule":
      return ruleFrame(mode, input);
    case "changes":
      return changesFrame(mode, input);
    case "list":
    case "search":
    case "reply":
    case "start":
    case "text":
    case "question":
    case "kill":
      return null;
  }
};

/** The frame of now. Never more lines than the screen has, none of them wider. */
export const frameOf = (input: FrameInput): Frame => {
  const { state, size } = input;
  const { mode } = state;
  if (size.columns < SMALLEST.columns || size.rows < SMALLEST.rows)
    return {
      lines: filled([clip([span("Make the terminal larger.")], size.columns)], size.rows),
      cards: [],
      cursor: null,
      scrollTop: input.scrollTop,
      page: null,
    };
  const special = specialFrame(input, mode);
  const frame = special ?? listFrame(input);
  return {
    ...frame,
    lines: filled(frame.lines, size.rows).map((line) =>
      lineWidth(line) > size.columns ? clip(line, size.columns) : line,
    ),
  };
};
