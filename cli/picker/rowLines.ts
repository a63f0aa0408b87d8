// The rows of the list as lines: heads, agents, and the first two lines of the cards that need a person.
import type { PaneView } from "../../core/model/view.ts";
import type { Group } from "../../ui/lists/groups.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { cardBadge, rowAge, rowParts, rowTitle, totalsOf, type RowPart } from "../../ui/text/rowText.ts";
import { placeName } from "../../ui/text/paneText.ts";
import { MARKS } from "../render/mark.ts";
import { clip, span, spread, STYLE, type Line, type Style } from "./line.ts";

/** What the lines of every row need to know. */
export interface RowLook {
  readonly width: number;
  /** Epoch ms on the daemon's clock. */
  readonly now: number;
  /** There are several machines, so that their names tell something. */
  readonly hasMachines: boolean;
}

/** The selected row is marked by a sign, because colours may be missing. */
export const edge = (isSelected: boolean) => (isSelected ? span("▌", STYLE.cyan) : span(" "));

const ageOf = (pane: PaneView, now: number): Line => {
  const age = rowAge(pane, now);
  return age === "" ? [] : [span(age, STYLE.dim)];
};

const PART_STYLES: Readonly<Record<RowPart["kind"], Style>> = {
  agent: STYLE.dim,
  machine: STYLE.dim,
  place: STYLE.dim,
  branch: STYLE.cyan,
  changes: STYLE.dim,
  warning: STYLE.red,
  work: STYLE.plain,
  armed: STYLE.cyan,
};

const partsLine = (pane: PaneView, { hasMachines }: RowLook): Line =>
  rowParts(pane, { hasMachines }).flatMap(({ kind, text }, index) => [
    ...(index === 0 ? [] : [span(" · ", STYLE.dim)]),
    span(text, PART_STYLES[kind]),
  ]);

/** An agent that needs nobody, in two lines. */
export const agentLines = (pane: PaneView, isSelected: boolean, look: RowLook): Line[] => {
  const { sign, colour } = pane.state === null ? { sign: "-", colour: "dim" as const } : MARKS[pane.state];
  // What nobody has looked at since it ended stands out; what was seen steps back.
  const isNew = pane.unread_since !== null;
  const isSeen = pane.state === "completed" && !isNew;
  const title = span(rowTitle(pane).text, isSelected || isNew ? STYLE.bold : STYLE.plain);
  return [
    spread(
      [edge(isSelected), span(sign, isSeen ? STYLE.dim : STYLE[colour]), span(" "), title],
      ageOf(pane, look.now),
      look.width,
    ),
    clip([edge(isSelected), span("  "), ...partsLine(pane, look)], look.width),
  ];
};

/** The head of a card: why it is there and what the work is, then who and where. */
export const cardHead = (pane: PaneView, isSelected: boolean, look: RowLook): Line[] => {
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
export const cardLine = (line: Line, isSelected: boolean): Line => [edge(isSelected), ...line];

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
