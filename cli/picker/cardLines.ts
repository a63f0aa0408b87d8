// A card: what an agent asks, to the letter, with the keys that answer it. A text that does not fit is folded; then nothing that
// allows it is offered, and the person opens it on the whole screen first.
import type { RequestView } from "../../core/model/request.ts";
import { requestHeading } from "../../core/model/requestWords.ts";
import type { PaneView } from "../../core/model/view.ts";
import { formatAge } from "../../core/model/words.ts";
import { listedOptions } from "../../ui/actions/cardView.ts";
import { optionReasons, type ActionContext } from "../../ui/actions/disabledReasons.ts";
import { actionOf, type PaneActionId } from "../../ui/actions/paneActions.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { visibleOnTerminal } from "../../core/model/visibleText.ts";
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

const toned = (row: string, isDiff: boolean): Style => {
  if (!isDiff) return STYLE.plain;
  return row.startsWith("+") ? STYLE.green : row.startsWith("-") ? STYLE.red : STYLE.dim;
};

const textRows = (text: string, width: number, isDiff: boolean): Line[] =>
  visibleOnTerminal(text)
    .split("\n")
    .flatMap((line) => {
      // The sign of a line of a diff colours all of its rows.
      const style = toned(line, isDiff);
      return wrapWhole(line, width).map((row) => [span(INDENT), span(row, style)]);
    });

interface Measured {
  width: number;
  rows: readonly Line[];
}
const known = new WeakMap<RequestView, Measured>();

/** Everything that is asked but the options, as rows that fit the width. */
export const requestRows = (request: RequestView, width: number): readonly Line[] => {
  const before = known.get(request);
  if (before?.width === width) return before.rows;
  const room = Math.max(1, width - INDENT.length - 1);
  const heading = requestHeading(request);
  const { body, content = null } = request;
  const rows = [
    ...(heading === "" ? [] : wrapWhole(heading, room).map((row) => [span(INDENT), span(row, STYLE.dim)])),
    ...(body === null ? [] : textRows(body, room, false)),
    ...(content === null ? [] : textRows(content, room, true)),
  ];
  known.set(request, { width, rows });
  return rows;
};

/** The options, each with the digit that chooses it where one does. */
const optionRows = (pane: PaneView, context: ActionContext, width: number): Line[] => {
  const reasons = optionReasons(pane, context);
  return listedOptions(pane.request ?? { options: [] }).flatMap(({ number, option }) => {
    const { label, description } = option;
    const digit = number <= 9 && reasons[number - 1] === null ? STYLE.key : STYLE.dim;
    const rows = wrapWhole(displayLine(label), Math.max(1, width - 6));
    const said = displayLine(description ?? "");
    return [
      ...rows.map((row, at): Line => [span(at === 0 ? `  ${number} ` : "    ", digit), span(row)]),
      ...(said === ""
        ? []
        : wrapWhole(said, Math.max(1, width - 6)).map((row): Line => [span(`    ${row}`, STYLE.dim)])),
    ];
  });
};

const WORDS: readonly (readonly [PaneActionId, string])[] = [
  ["approve", "approve"],
  ["deny", "deny"],
  ["dismiss", "dismiss"],
];

/** The keys that do something to this card now. */
const keyRow = (
  pane: PaneView,
  context: ActionContext,
  { folded, width }: { folded: number; width: number },
): Line[] => {
  const pieces: Line[] = [
    ...(folded > 0 ? [[span("w", STYLE.key), span(` show all ${folded} lines`)]] : []),
    ...WORDS.filter(([id]) => actionOf(id).disabledReason(pane, context) === null).map(([id, word]) => [
      span(actionOf(id).key, STYLE.key),
      span(` ${word}`),
    ]),
    ...(pane.request !== null && actionOf("reply").disabledReason(pane, context) === null
      ? [[span("r", STYLE.key), span(" type an answer")]]
      : []),
    [span("⏎", STYLE.key), span(" attach")],
  ];
  return flow(pieces, width - 3).map((row) => [span(INDENT), ...row]);
};

const notes = ({ request }: PaneView, now: number): Line[] => {
  const texts: Line[] = [];
  if (request === null) return texts;
  const { is_whole: isWhole, expires_at: expiresAt } = request;
  if (!isWhole) texts.push([span("  not shown whole: a part of it could not be read", STYLE.yellow)]);
  if (expiresAt !== null) {
    const left = formatAge(Math.max(0, Date.parse(expiresAt) - now));
    texts.push([span(`  it goes on without an answer in ${left}`, STYLE.dim)]);
  }
  return texts;
};

export interface Card {
  readonly lines: readonly Line[];
  readonly card: { key: string; isWhole: boolean; text: string } | null;
}

/** At most `room` lines. */
export const cardLines = (pane: PaneView, isSelected: boolean, look: CardLook, room: number): Card => {
  const { request } = pane;
  const head = cardHead(pane, isSelected, look);
  const inner = look.width - 1;
  const all = request === null ? [] : requestRows(request, inner);
  const options = optionRows(pane, look.contextOf(pane, true), inner);
  const remarks = notes(pane, look.now);
  const whole = keyRow(pane, look.contextOf(pane, true), { folded: 0, width: inner });
  const isWhole =
    all.length <= MAX_ROWS &&
    head.length + all.length + options.length + remarks.length + whole.length <= room;
  const context = look.contextOf(pane, isWhole);
  const keys = isWhole ? whole : keyRow(pane, context, { folded: all.length, width: inner });
  const shown = isWhole
    ? [...all, ...options, ...remarks, ...keys]
    : [
        ...all.slice(0, Math.max(1, Math.min(FOLDED_ROWS, room - head.length - keys.length - 1))),
        [span(`${INDENT}…`, STYLE.dim)],
        ...keys,
      ];
  return {
    lines: [...head, ...shown.map((line) => clip(cardLine(line, isSelected), look.width))].slice(0, room),
    card:
      request === null
        ? null
        : { key: cardKey(pane), isWhole, text: [...all, ...options].map(plainOf).join("\n") },
  };
};

/** The same for the whole screen: `rows` are to be read page by page. */
export const wholeCard = (pane: PaneView, look: CardLook) => {
  const { request } = pane;
  const width = look.width - 1;
  const context = look.contextOf(pane, true);
  const all = request === null ? [] : requestRows(request, width);
  const options = optionRows(pane, context, width);
  const rows = [...all, ...options, ...notes(pane, look.now)];
  return {
    head: cardHead(pane, true, look),
    rows: rows.map((row) => cardLine(row, false)),
    /** Before its end was read, nothing that allows it is offered. */
    keys: (isRead: boolean) => keyRow(pane, look.contextOf(pane, isRead), { folded: 0, width }),
    card: { key: cardKey(pane), text: [...all, ...options].map(plainOf).join("\n") },
  };
};
