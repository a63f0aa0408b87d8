// What is armed on the whole screen: the jobs and the rules, or one of them with what it did. Texts are those of agents and of persons, so what
// nobody would see becomes a mark.
import type { JobDetail } from "../../core/model/job.ts";
import type { RuleView } from "../../core/model/ruleView.ts";
import { formatAge } from "../../core/model/words.ts";
import { findWindow, rowTops, scrollToShow } from "../../ui/lists/rowWindow.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import type { JobRow } from "../../ui/lists/jobs.ts";
import { isArmed, jobObstacle, jobPlace, jobStatus, jobTitle, pauseText } from "../../ui/text/jobText.ts";
import {
  armingText,
  ruleLast,
  rulePlace,
  ruleProblems,
  ruleStatus,
  ruleTitle,
} from "../../ui/text/ruleText.ts";
import type { Frame, FrameInput } from "./frame.ts";
import { clip, filled, hintLine, keyHint, span, spread, STYLE, wrapWhole, type Line } from "./line.ts";
import { selectedArmed, shownArmed, type ArmedRow } from "./pickerArmed.ts";
import type { ArmedMode } from "./pickerState.ts";

interface Look {
  readonly width: number;
  readonly now: number;
  readonly hasMachines: boolean;
}

const jobLines = ({ job, pane }: JobRow, isSelected: boolean, look: Look): Line[] => {
  const { width, now } = look;
  const style = isSelected ? STYLE.bold : isArmed(job) ? STYLE.plain : STYLE.dim;
  const status = span(`${jobStatus(job, now)} `, job.state === "held" ? STYLE.yellow : STYLE.dim);
  const obstacle = jobObstacle(job);
  return [
    spread([span(isSelected ? " ❯ " : "   ", STYLE.key), span(jobTitle(job), style)], [status], width),
    clip([span(`   ${jobPlace(job, pane, look)}`, STYLE.dim)], width),
    ...(obstacle === "" ? [] : [clip([span(`   ${obstacle}`, STYLE.yellow)], width)]),
  ];
};

const ruleLines = (rule: RuleView, isSelected: boolean, { width, now }: Look): Line[] => {
  const status = span(`${ruleStatus(rule)} `, rule.mode === "blocked" ? STYLE.yellow : STYLE.dim);
  const did = ruleLast(rule, now);
  return [
    spread(
      [
        span(isSelected ? " ❯ " : "   ", STYLE.key),
        span(ruleTitle(rule), isSelected ? STYLE.bold : STYLE.plain),
      ],
      [status],
      width,
    ),
    clip([span(`   ${rulePlace(rule)}${did === "" ? "" : ` · ${did}`}`, STYLE.dim)], width),
  ];
};

const rowLines = (row: ArmedRow, isSelected: boolean, look: Look): Line[] =>
  row.kind === "job" ? jobLines(row.row, isSelected, look) : ruleLines(row.rule, isSelected, look);

type Part = "armed" | "rules" | "ended";
const partOf = (row: ArmedRow): Part =>
  row.kind === "rule" ? "rules" : isArmed(row.row.job) ? "armed" : "ended";
const HEADINGS: Readonly<Record<Part, string | null>> = { armed: null, rules: " Rules", ended: " Ended" };

/** Above the first row of each part but the first. */
const headingOf = (rows: readonly ArmedRow[], index: number): Line[] => {
  const row = rows[index];
  const before = rows[index - 1];
  if (row === undefined || (before !== undefined && partOf(before) === partOf(row))) return [];
  const heading = HEADINGS[partOf(row)];
  return heading === null ? [] : [...(index === 0 ? [] : [[]]), [span(heading, STYLE.bold)]];
};

const listLines = (mode: ArmedMode, input: FrameInput, look: Look, height: number): Line[] => {
  if (mode.jobs === null) return mode.problem === null ? [[], [span("   Looking…", STYLE.dim)]] : [];
  const rows = shownArmed(mode, input.state);
  if (rows.length === 0)
    return [
      [],
      ...wrapWhole(
        "Nothing is armed. Reply to an agent that works and press Tab, or see 'agtmux help tell'.",
        look.width - 4,
      ).map((row): Line => [span(`   ${row}`, STYLE.dim)]),
    ];
  const selected = selectedArmed(mode, rows);
  const blocks = rows.map((row, index): Line[] => [
    ...headingOf(rows, index),
    ...rowLines(row, index === selected, look),
  ]);
  const tops = rowTops(blocks.map((lines) => lines.length));
  const top = scrollToShow(tops, selected, 0, height);
  const { first, last } = findWindow(tops, top, height, 0);
  return blocks
    .slice(first, last + 1)
    .flat()
    .slice(top - (tops[first] ?? 0));
};

/** One job with what it told or sent, newest first. */
const jobDetail = (detail: JobDetail, rows: readonly ArmedRow[], look: Look): Line[] => {
  const found = rows.find(({ id }) => id === detail.job.job_id);
  if (found?.kind !== "job") return [];
  const told = detail.told.map(({ at, outcome }): Line => [
    span(`   ${formatAge(look.now - Date.parse(at))} ago  `, STYLE.dim),
    span(displayLine(outcome)),
  ]);
  return [
    ...jobLines(found.row, true, look),
    [span(`   ${displayLine(detail.job.job_id)} · ${displayLine(detail.job.surface)}`, STYLE.dim)],
    [],
    [span(" What it did", STYLE.bold)],
    ...(told.length === 0 ? [[span("   It has done nothing yet.", STYLE.dim)]] : told),
  ];
};

/** One rule, all of it. */
const ruleDetail = (name: string, rows: readonly ArmedRow[], look: Look): Line[] => {
  const found = rows.find(({ id }) => id === `rule ${name}`);
  if (found?.kind !== "rule") return [];
  return [
    ...ruleLines(found.rule, true, look),
    [],
    ...[...armingText(found.rule), ruleLast(found.rule, look.now)].flatMap((text) =>
      wrapWhole(text, look.width - 4).map((row): Line => [span(`   ${row}`)]),
    ),
  ];
};

const detailLines = ({ open }: ArmedMode, rows: readonly ArmedRow[], look: Look): Line[] => {
  switch (open?.kind) {
    case "job":
      return jobDetail(open.detail, rows, look);
    case "rule":
      return ruleDetail(open.name, rows, look);
    case undefined:
      return [];
  }
};

const HINTS: readonly Line[] = [
  keyHint("↑↓", "move"),
  keyHint("⏎", "what it did"),
  keyHint("p", "hold, release"),
  keyHint("x", "cancel, disarm"),
  keyHint("a", "arm a rule"),
  keyHint("P", "pause all, resume"),
  keyHint("g", "its agent"),
  keyHint("Esc", "back"),
];

/** `now` in the look: epoch ms by the daemon's clock. */
export const armedFrame = (mode: ArmedMode, input: FrameInput): Frame => {
  const { columns, rows } = input.size;
  const look = { ...input.look, width: columns };
  const height = rows - 2;
  const lines =
    mode.open === null
      ? listLines(mode, input, look, height)
      : detailLines(mode, shownArmed(mode, input.state), look);
  const [wrong] = mode.rules === null ? [] : ruleProblems(mode.rules);
  const pause = pauseText(mode.jobs?.paused_at ?? null, look.now);
  const right =
    mode.problem === null
      ? span(`${pause === "" ? (wrong ?? "") : pause} `, STYLE.yellow)
      : span(`${displayLine(mode.problem)} `, STYLE.red);
  const armed = mode.jobs?.items.filter(isArmed).length ?? 0;
  const head: Line = [
    span(" Armed ", STYLE.mark),
    span(mode.jobs === null ? "" : `  ${armed === 0 ? "nothing" : armed}`, STYLE.dim),
  ];
  return {
    lines: [
      spread(head, clip([right], columns - 14), columns),
      ...filled(lines, height),
      hintLine(HINTS, columns),
    ].map((line) => clip(line, columns)),
    cards: [],
    cursor: null,
    scrollTop: input.scrollTop,
    page: null,
  };
};
