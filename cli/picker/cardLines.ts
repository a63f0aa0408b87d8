// A card as lines: what an agent asks, to the letter, with the keys that answer it. What is in it is the view model's to say. A text
// that does not fit is folded; then nothing that allows it is offered, and the person opens it on the whole screen first.
import type { PaneView } from "../../core/model/view.ts";
import { visibleOnTerminal } from "../../core/model/visibleText.ts";
import { formatAge } from "../../core/model/words.ts";
import { cardView, type CardPart, type CardView } from "../../ui/actions/cardView.ts";
import type { ActionContext } from "../../ui/actions/disabledReasons.ts";
import { clip, flow, plainOf, span, STYLE, wrapWhole, type Line, type Style } from "./line.ts";
import { cardKey } from "./pickerState.ts";
import { cardHead, cardLine, type RowLook } from "./rowLines.ts";

/** What a card needs beside the row. */
export interface CardLook extends RowLook {
  /** What is known for the actions on a pane whose request is shown in full, or is not. */
  readonly contextOf: (pane: PaneView, isShownWhole: boolean) => ActionContext;
}

/** How many rows of a text a card shows at most; a longer one is folded to `FOLDED_ROWS`. */
const MAX_ROWS = 16;
const FOLDED_ROWS = 6;
const INDENT = "  ";

const toneOf = (kind: CardPart["kind"], line: string): Style => {
  switch (kind) {
    case "change":
      return line.startsWith("+") ? STYLE.green : line.startsWith("-") ? STYLE.red : STYLE.dim;
    case "path":
      return STYLE.bold;
    case "remark":
      return STYLE.dim;
    case "command":
    case "prose":
      return STYLE.plain;
  }
};

const partRows = ({ kind, text }: CardPart, width: number): Line[] =>
  visibleOnTerminal(text)
    .split("\n")
    .flatMap((line) => {
      // The sign of a line of a diff colours all of its rows.
      const style = toneOf(kind, line);
      return wrapWhole(line, width).map((row) => [span(INDENT), span(row, style)]);
    });

interface Measured {
  width: number;
  heading: string;
  rows: readonly Line[];
}
const known = new WeakMap<NonNullable<PaneView["request"]>, Measured>();

/** Everything that is asked but the options, as rows that fit the width. */
const requestRows = ({ request }: PaneView, { heading, parts }: CardView, width: number): readonly Line[] => {
  if (request === null) return [];
  const before = known.get(request);
  if (before?.width === width && before.heading === heading) return before.rows;
  const room = Math.max(1, width - INDENT.length - 1);
  const rows = [
    ...(heading === "" ? [] : wrapWhole(heading, room).map((row) => [span(INDENT), span(row, STYLE.dim)])),
    ...parts.flatMap((part) => partRows(part, room)),
  ];
  known.set(request, { width, heading, rows });
  return rows;
};

/** The options, each with the digit that chooses it where one does. */
const optionRows = ({ options }: CardView, width: number): Line[] =>
  options.flatMap(({ number, label, description, reason }) => {
    const digit = number <= 9 && reason === null ? STYLE.key : STYLE.dim;
    const room = Math.max(1, width - 6);
    return [
      ...wrapWhole(label, room).map((row, at): Line => [
        span(at === 0 ? `  ${number} ` : "    ", digit),
        span(row),
      ]),
      ...(description === ""
        ? []
        : wrapWhole(description, room).map((row): Line => [span(`    ${row}`, STYLE.dim)])),
    ];
  });

const KEY_SIGNS: Readonly<Record<string, string>> = { Enter: "⏎" };

/** The keys that do something to this card now. */
const keyRows = ({ answers, summary, lineCount }: CardView, width: number, isFolded: boolean): Line[] => {
  const pieces: Line[] = [
    ...(isFolded ? [[span("w", STYLE.key), span(` Show all ${lineCount} lines`)]] : []),
    ...answers.map(({ key, name }): Line => [span(KEY_SIGNS[key] ?? key, STYLE.key), span(` ${name}`)]),
    ...(isFolded && summary !== "" ? [[span(summary, STYLE.dim)]] : []),
  ];
  return flow(pieces, width - 3).map((row) => [span(INDENT), ...row]);
};

const noteRows = ({ request }: PaneView, { note }: CardView, now: number, width: number): Line[] => {
  const rows =
    note === "" ? [] : wrapWhole(note, width - 3).map((row) => [span(`${INDENT}${row}`, STYLE.yellow)]);
  const expiresAt = request?.expires_at ?? null;
  if (expiresAt === null) return rows;
  const left = formatAge(Math.max(0, Date.parse(expiresAt) - now));
  return [...rows, [span(`${INDENT}It goes on without an answer in ${left}.`, STYLE.dim)]];
};

/** The parts of a card as lines; `of` tells what it offers when all of it is shown, or is not. */
const partsOf = (pane: PaneView, look: CardLook) => {
  const width = look.width - 1;
  const of = (isShownWhole: boolean): CardView => cardView(pane, look.contextOf(pane, isShownWhole));
  const view = of(true);
  const text = requestRows(pane, view, width);
  const options = optionRows(view, width);
  return {
    head: (isSelected: boolean) => cardHead(pane, isSelected, look),
    text,
    options,
    notes: noteRows(pane, view, look.now, width),
    keys: (isShownWhole: boolean, isFolded: boolean) => keyRows(of(isShownWhole), width, isFolded),
    /** What has to be read. */
    content: [...text, ...options].map(plainOf).join("\n"),
  };
};

export interface Card {
  readonly lines: readonly Line[];
  readonly card: { key: string; isWhole: boolean; text: string } | null;
}

/** At most `room` lines. */
export const cardLines = (pane: PaneView, isSelected: boolean, look: CardLook, room: number): Card => {
  const parts = partsOf(pane, look);
  const { text, options, notes, content } = parts;
  const head = parts.head(isSelected);
  const rest = [...options, ...notes, ...parts.keys(true, false)];
  const isWhole = text.length <= MAX_ROWS && head.length + text.length + rest.length <= room;
  const keys = parts.keys(isWhole, !isWhole);
  const folded = Math.max(1, Math.min(FOLDED_ROWS, room - head.length - keys.length - 1));
  const shown = isWhole
    ? [...text, ...rest]
    : [...text.slice(0, folded), [span(`${INDENT}…`, STYLE.dim)], ...keys];
  return {
    lines: [...head, ...shown.map((line) => clip(cardLine(line, isSelected), look.width))].slice(0, room),
    card: pane.request === null ? null : { key: cardKey(pane), isWhole, text: content },
  };
};

/** The same for the whole screen: `rows` are to be read page by page. */
export const wholeCard = (pane: PaneView, look: CardLook) => {
  const { head, text, options, notes, keys, content } = partsOf(pane, look);
  return {
    head: head(true),
    rows: [...text, ...options, ...notes].map((row) => cardLine(row, false)),
    /** Before its end was read, nothing that allows it is offered. */
    keys: (isRead: boolean) => keys(isRead, false),
    card: { key: cardKey(pane), text: content },
  };
};
