// The rows of the list as lines: agents, cards (in the list and on the whole screen), sessions, windows and machines.
import type { PaneView, TargetView } from "../../core/model/view.ts";
import type { Row } from "../../ui/lists/rows.ts";
import type { Group, StateCounts } from "../../ui/lists/groups.ts";
import { displayLine, displaySentence } from "../../ui/text/displayText.ts";
import {
  cardBadge,
  isUnread,
  rowAge,
  rowParts,
  rowTitle,
  totalsOf,
  type RowPart,
  placeName,
  targetWord,
} from "../../ui/text/rowText.ts";
import { MARKS } from "../render/mark.ts";
import {
  clip,
  span,
  spread,
  STYLE,
  type Line,
  type Style,
  flow,
  plainOf,
  wrapLine,
  wrapWhole,
} from "./line.ts";
import { awakeText, newerReleaseText, visibleOnTerminal, formatAge } from "../../core/model/words.ts";
import { limitLine } from "../../ui/text/limitText.ts";
import { expiryText, type RequestPart } from "../../ui/text/requestText.ts";
import { cardView, type CardView } from "../../ui/actions/cardView.ts";
import type { ActionContext } from "../../ui/actions/disabledReasons.ts";
import { cardKey } from "./pickerState.ts";
import {
  type SessionSummary,
  type WindowSummary,
  machineKind,
  serverText,
  sessionPlaces,
  sessionSize,
} from "../../ui/lists/sessions.ts";

/** What the lines of every row need to know. */
interface RowLook {
  readonly width: number;
  /** Epoch ms on the daemon's clock. */
  readonly now: number;
  /** There are several machines, so their names are shown. */
  readonly hasMachines: boolean;
}

/** The selected row is marked by a sign, because colours may be missing. */
const edge = (isSelected: boolean) => (isSelected ? span("▌", STYLE.cyan) : span(" "));

const ageOf = (pane: PaneView, now: number): Line => {
  const age = rowAge(pane, now);
  return age === "" ? [] : [span(age, STYLE.dim)];
};

const PART_STYLES: Readonly<Record<RowPart["kind"], Style>> = {
  agent: STYLE.dim,
  account: STYLE.dim,
  machine: STYLE.dim,
  session: STYLE.dim,
  place: STYLE.dim,
  branch: STYLE.cyan,
  changes: STYLE.dim,
  shared: STYLE.dim,
  conflict: STYLE.dim,
  pull_request: STYLE.dim,
  muted: STYLE.dim,
  work: STYLE.plain,
  armed: STYLE.cyan,
};

const partsLine = (pane: PaneView, { hasMachines }: RowLook, hasSession = false): Line =>
  rowParts(pane, { hasMachines, hasSession }).flatMap(({ kind, text }, index) => [
    ...(index === 0 ? [] : [span(" · ", STYLE.dim)]),
    span(text, PART_STYLES[kind]),
  ]);

/** An agent that needs nobody, in two lines. */
export const agentLines = (
  { pane, place }: Extract<Row, { kind: "pane" }>,
  isSelected: boolean,
  look: RowLook,
): Line[] => {
  const { sign, colour } = pane.state === null ? { sign: "-", colour: "dim" as const } : MARKS[pane.state];
  // What nobody has looked at since it ended stands out; what was seen steps back.
  const isNew = isUnread(pane);
  const isSeen = pane.state === "completed" && !isNew;
  const title = span(rowTitle(pane).text, isSelected || isNew ? STYLE.bold : STYLE.plain);
  return [
    spread(
      [edge(isSelected), span(sign, isSeen ? STYLE.dim : STYLE[colour]), span(" "), title],
      ageOf(pane, look.now),
      look.width,
    ),
    clip([edge(isSelected), span("  "), ...partsLine(pane, look, place === "alone")], look.width),
  ];
};

/** The head of a card: why it is there and what the work is, then who and where. */
const cardHead = (pane: PaneView, isSelected: boolean, look: RowLook): Line[] => {
  const badge = cardBadge(pane);
  const { sign } = MARKS[pane.state ?? "unknown"];
  const title = span(rowTitle(pane).text, STYLE.bold);
  const why: Line = badge === null ? [] : [span(`${sign} ${badge.text}`, STYLE[badge.tone]), span("  ")];
  return [
    spread([edge(isSelected), ...why, title], ageOf(pane, look.now), look.width),
    clip([edge(isSelected), ...partsLine(pane, look)], look.width),
  ];
};

/** A line of a card below its head. */
const cardLine = (line: Line, isSelected: boolean): Line => [edge(isSelected), ...line];

export const headingLine = (text: string, count: number, width: number): Line =>
  spread(
    [span(" "), span(text, STYLE.bold)],
    count > 1 ? [span("longest wait first", STYLE.dim)] : [],
    width,
  );

export const groupLine = (group: Group, isSelected: boolean, look: RowLook): Line => {
  const { target, server, session, counts, problem } = group;
  const place = look.hasMachines || server !== "default" ? `${placeName({ target, server })} / ` : "";
  const roll = totalsOf(counts)
    .filter(({ key }) => key !== "needs")
    .map(({ text }) => text)
    .join(" · ");
  return spread(
    [edge(isSelected), span(place, STYLE.dim), span(displayLine(session), STYLE.bold)],
    problem === null ? [span(roll, STYLE.dim)] : [span(displayLine(problem), STYLE.red)],
    look.width,
  );
};

// Cards: what an agent asks, to the letter, with the keys that answer it; the view model decides what is in it. A text that does
// not fit is folded; then nothing that allows it is offered, and the person opens it on the whole screen first.

/** What a card needs beside the row. */
export interface CardLook extends RowLook {
  /** What is known for the actions on a pane whose request is shown in full, or is not. */
  readonly contextOf: (pane: PaneView, isShownWhole: boolean) => ActionContext;
}

/** How many rows of a text a card shows at most; a longer one is folded to `FOLDED_ROWS`. */
const MAX_ROWS = 16;
const FOLDED_ROWS = 6;
const INDENT = "  ";

const toneOf = (kind: RequestPart["kind"], line: string): Style => {
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

const partRows = ({ kind, text }: RequestPart, width: number): Line[] =>
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
const optionRows = ({ options }: CardView, width: number, showsTicks = true): Line[] =>
  options.flatMap(({ number, label: words, description, reason, isTicked }) => {
    const label = isTicked === null ? words : `[${isTicked && showsTicks ? "x" : " "}] ${words}`;
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
  const expiry = request === null ? "" : expiryText(request, now);
  return [
    ...(note === ""
      ? []
      : wrapLine([span(note, STYLE.yellow)], width - 3).map((row) => [span(INDENT), ...row])),
    ...(expiry === "" ? [] : [[span(`${INDENT}${expiry}`, STYLE.dim)]]),
  ];
};

/** The parts of a card as lines; which keys it offers depends on whether all of it is shown. */
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
    content: [...text, ...optionRows(view, width, false)].map(plainOf).join("\n"),
  };
};

interface Card {
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

// Sessions, windows and machines.

const rollUp = (counts: StateCounts): Line =>
  totalsOf(counts).flatMap(({ key, text }, index) => [
    ...(index === 0 ? [] : [span(" · ", STYLE.dim)]),
    span(text, key === "needs" ? STYLE.bold : STYLE.dim),
  ]);

export const sessionLines = (session: SessionSummary, isSelected: boolean, { width }: RowLook): Line[] => [
  spread([edge(isSelected), span(displayLine(session.name), STYLE.bold)], rollUp(session.counts), width),
  spread(
    [edge(isSelected), span(sessionPlaces(session), STYLE.dim)],
    [span(sessionSize(session), STYLE.dim)],
    width,
  ),
];

export const windowLine = ({ index, name, place, counts }: WindowSummary, { width }: RowLook): Line =>
  spread(
    [
      span(" "),
      ...(place === null ? [] : [span(`${displayLine(place)} `, STYLE.dim)]),
      span(`${index} ${displayLine(name)}`, STYLE.bold),
    ],
    rollUp(counts),
    width,
  );

const HEALTH_STYLES: Readonly<Record<TargetView["health"], Style>> = {
  ok: STYLE.green,
  degraded: STYLE.yellow,
  down: STYLE.red,
};

const seenText = ({ last_seen_at: seen, kind, rtt_ms: rtt }: TargetView, now: number): string =>
  [
    seen === null
      ? kind === "local"
        ? ""
        : "Never reached."
      : `Last seen ${formatAge(now - Date.parse(seen))} ago.`,
    rtt === null ? "" : `Responds in ${Math.round(rtt)} ms.`,
  ]
    .filter(Boolean)
    .join(" ");

/** A machine: its health and the reason, what to do, and its tmux servers. */
export const targetLines = (target: TargetView, isSelected: boolean, { width, now }: RowLook): Line[] => {
  const said = [
    ...(target.health_reason === null ? [] : [displayLine(target.health_reason)]),
    ...(target.remedy === null ? [] : [displaySentence(target.remedy)]),
    ...(target.awake === null ? [] : [displaySentence(awakeText(target.awake))]),
    ...(target.newer_release === null ? [] : [displaySentence(newerReleaseText(target.newer_release))]),
  ];
  const limits = target.limits.map((one) => limitLine(one, now));
  const quiet = [...limits, seenText(target, now), target.servers.map(serverText).join("; ")].filter(Boolean);
  const lines = (texts: readonly string[], style: Style): Line[] =>
    texts.flatMap((text) =>
      wrapWhole(text, Math.max(1, width - 4)).map((row): Line => [edge(isSelected), span(`  ${row}`, style)]),
    );
  return [
    spread(
      [
        edge(isSelected),
        span(displayLine(target.target), STYLE.bold),
        span(`  ${machineKind(target)}`, STYLE.dim),
      ],
      [span(targetWord(target), target.enabled ? HEALTH_STYLES[target.health] : STYLE.dim)],
      width,
    ),
    ...lines(said, STYLE.plain),
    ...lines(quiet, STYLE.dim),
    [],
  ].map((line) => clip(line, width));
};
