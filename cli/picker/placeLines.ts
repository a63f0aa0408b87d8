// Sessions, windows and machines as lines of the picker.
import type { TargetView } from "../../core/model/view.ts";
import { formatAge } from "../../core/model/words.ts";
import type { StateCounts } from "../../ui/lists/groups.ts";
import type { SessionSummary, WindowSummary } from "../../ui/lists/sessions.ts";
import { displayLine, displaySentence } from "../../ui/text/displayText.ts";
import { targetWord } from "../../ui/text/healthText.ts";
import { machineKind, serverText, sessionPlaces, sessionSize } from "../../ui/text/placeText.ts";
import { totalsOf } from "../../ui/text/rowText.ts";
import { clip, span, spread, STYLE, wrapWhole, type Line, type Style } from "./line.ts";
import { edge, type RowLook } from "./rowLines.ts";

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
    rtt === null ? "" : `Answers in ${Math.round(rtt)} ms.`,
  ]
    .filter(Boolean)
    .join(" ");

/** A machine: its health and the reason, what to do, and its tmux servers. */
export const targetLines = (target: TargetView, isSelected: boolean, { width, now }: RowLook): Line[] => {
  const said = [
    ...(target.health_reason === null ? [] : [displayLine(target.health_reason)]),
    ...(target.remedy === null ? [] : [displaySentence(target.remedy)]),
  ];
  const quiet = [seenText(target, now), target.servers.map(serverText).join("; ")].filter(Boolean);
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
