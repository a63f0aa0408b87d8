// One picture of the picker: every line of the screen, where the cursor is, and which cards can be read on it. Pure; only rows that
// can be seen are drawn.
import { findWindow, rowTops, scrollToShow, type Row } from "../../ui/lists/rows.ts";
import { nearlyUsedText } from "../../ui/text/limitText.ts";
import { totalsOf } from "../../ui/text/rowText.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { clip, pad, span, spread, STYLE, type Line } from "./line.ts";
import type { ListView, PickerState } from "./pickerState.ts";
import {
  agentLines,
  groupLine,
  headingLine,
  sessionLines,
  targetLines,
  windowLine,
  cardLines,
  type CardLook,
} from "./rowLines.ts";
import type { DrawnCard } from "./answerGate.ts";
import type { OutputSource } from "../../core/model/action.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Frame {
  /** As many as the screen has rows. */
  readonly lines: readonly Line[];
  readonly cards: readonly DrawnCard[];
  /** From 0; null: hidden. */
  readonly cursor: { readonly row: number; readonly column: number } | null;
  /** First line of the list that is in view, for the next frame. */
  readonly scrollTop: number;
  /** In the mode `whole`: what is in view, for the next frame. */
  readonly page: { readonly top: number; readonly readTo: number } | null;
}

/** What a frame is made of beside the state. */
export interface FrameInput {
  readonly state: PickerState;
  readonly size: Size;
  readonly scrollTop: number;
  readonly look: Omit<CardLook, "width">;
  /** The last rows of what is followed, wrapped where a width is given. */
  readonly output: (count: number, up?: number, width?: number) => { lines: readonly Line[]; total: number };
  /** Which of both it is; null before it is known. */
  readonly outputSource: OutputSource | null;
  /** Of the pane that is followed. */
  readonly documentNames: string;
}

/** A part of the screen. */
export interface Area {
  readonly lines: readonly Line[];
  readonly cards: readonly DrawnCard[];
  readonly scrollTop: number;
}

/** Rows of the view that one card may take. */
const cardRoom = (viewHeight: number): number => Math.max(3, viewHeight - 1);

const heightOf = (row: Row, index: number, look: CardLook, viewHeight: number): number => {
  const gap = index === 0 ? 0 : 1;
  switch (row.kind) {
    case "pane":
      return row.pane.needs_action
        ? cardLines(row.pane, false, look, cardRoom(viewHeight)).lines.length + 1
        : 2;
    case "group":
      return 1 + gap;
    case "heading":
      return 1;
    case "session":
      return 2 + gap;
    case "window":
      return 1 + gap;
    case "target":
      return targetLines(row.target, false, look).length;
  }
};

interface Block {
  lines: readonly Line[];
  card: (Omit<DrawnCard, "look"> & { text: string }) | null;
}

const blockOf = (
  row: Row,
  {
    isSelected,
    isFirst,
    look,
    viewHeight,
  }: { isSelected: boolean; isFirst: boolean; look: CardLook; viewHeight: number },
): Block => {
  const gap: Line[] = isFirst ? [] : [[]];
  switch (row.kind) {
    case "pane": {
      if (!row.pane.needs_action) return { lines: agentLines(row, isSelected, look), card: null };
      const { lines, card } = cardLines(row.pane, isSelected, look, cardRoom(viewHeight));
      return { lines: [...lines, []], card };
    }
    case "group":
      return { lines: [...gap, groupLine(row.group, isSelected, look)], card: null };
    case "heading":
      return { lines: [headingLine(row.text, row.count, look.width)], card: null };
    case "session":
      return { lines: [...gap, ...sessionLines(row.session, isSelected, look)], card: null };
    case "window":
      return { lines: [...gap, windowLine(row.window, look)], card: null };
    case "target":
      return { lines: targetLines(row.target, isSelected, look), card: null };
  }
};

/** The list in `height` lines, with the selected row in view. */
export const listArea = (
  { rows, selectedKey }: PickerState,
  look: CardLook,
  { height, scrollTop: before }: { height: number; scrollTop: number },
): Area => {
  const tops = rowTops(rows.map((row, index) => heightOf(row, index, look, height)));
  const selected = rows.findIndex(({ key }) => key === selectedKey);
  const end = Math.max(0, (tops.at(-1) ?? 0) - height);
  // The head above the first row belongs to it.
  const wanted = selected <= 1 ? 0 : scrollToShow(tops, selected, before, height);
  const scrollTop = Math.min(wanted, end);
  const { first, last } = findWindow(tops, scrollTop, height, 0);
  const lines: Line[] = [];
  const cards: DrawnCard[] = [];
  for (let index = first; index <= last; index += 1) {
    const row = rows[index];
    if (row === undefined) continue;
    const isSelected = row.key === selectedKey;
    const block = blockOf(row, { isSelected, isFirst: index === 0, look, viewHeight: height });
    const top = (tops[index] ?? 0) - scrollTop;
    for (const [offset, line] of block.lines.entries())
      if (top + offset >= 0 && top + offset < height) lines[top + offset] = line;
    const { card } = block;
    // The last line of a block is the gap to the next.
    const isInView = top >= 0 && top + block.lines.length - 1 <= height;
    if (card !== null)
      cards.push({
        key: card.key,
        isWhole: card.isWhole && isInView,
        look: JSON.stringify([top, look.width, isSelected, isInView, card.isWhole, card.text]),
      });
  }
  return { lines: Array.from({ length: height }, (_, index) => lines[index] ?? []), cards, scrollTop };
};

const connectionLine = ({ feed: { connection } }: PickerState): Line => {
  switch (connection.kind) {
    case "live":
      return [];
    case "loading":
      return [span("connecting…", STYLE.dim)];
    case "lost":
      return [span("the daemon is gone; waiting for it", STYLE.yellow)];
  }
};

/** Which view it is, where that is not the usual one. */
const viewName = (view: ListView): string => {
  switch (view.kind) {
    case "agents":
      return "";
    case "sessions":
      return view.isMerged ? "Sessions, by name" : "Sessions";
    case "windows":
      return `Session ${displayLine(view.name)}`;
    case "targets":
      return "Machines";
  }
};

/** Totals in words, and on the right what is wrong or searched for. */
export const headLine = (state: PickerState, width: number, now: number): Line => {
  const totals = state.counts === null ? [] : totalsOf(state.counts);
  const words = totals.flatMap(({ key, text }, index) => [
    ...(index === 0 ? [] : [span(" · ", STYLE.dim)]),
    span(text, key === "needs" ? STYLE.bold : STYLE.dim),
  ]);
  // The totals are those of what the search found, which the list says.
  const agents = state.counts === null || state.search !== "" ? "" : "Nobody waits, works or is done";
  const name = viewName(state.view);
  const left: Line = [
    ...(name === "" ? [] : [span(` ${name} `, STYLE.mark)]),
    span(" "),
    ...(words.length === 0 ? [span(agents, STYLE.dim)] : words),
  ];
  const lost = connectionLine(state);
  const [problem] = state.problems;
  const searched =
    state.search === "" || state.mode.kind === "search"
      ? []
      : [span(`/${displayLine(state.search)} `, STYLE.cyan)];
  const limits = nearlyUsedText(state.feed.targets.values(), now);
  const quiet = searched.length > 0 || limits === "" ? searched : [span(`${limits} `, STYLE.dim)];
  const right =
    lost.length > 0 ? lost : problem === undefined ? quiet : [span(displayLine(problem), STYLE.red)];
  return spread(left, clip(right, Math.floor(width / 2)), width);
};

/** Two areas beside each other, with a line between them. */
export const sideBySide = (
  left: readonly Line[],
  right: readonly Line[],
  leftWidth: number,
  width: number,
): Line[] =>
  left.map((line, index) => [
    ...pad(clip(line, leftWidth), leftWidth),
    { text: "│ ", style: STYLE.dim, column: leftWidth },
    ...clip(right[index] ?? [], width - leftWidth - 2),
  ]);
