// What is armed on the whole screen: the jobs, or one of them with what it did. Texts are those of agents and of persons, so what
// nobody would see becomes a mark.
import { formatAge } from "../../core/model/words.ts";
import { findWindow, rowTops, scrollToShow } from "../../ui/lists/rowWindow.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import type { JobRow } from "../../ui/lists/jobs.ts";
import { isArmed, jobObstacle, jobPlace, jobStatus, jobTitle, pauseText } from "../../ui/text/jobText.ts";
import type { Frame, FrameInput } from "./frame.ts";
import { clip, filled, hintLine, keyHint, span, spread, STYLE, wrapWhole, type Line } from "./line.ts";
import { selectedJob, shownJobs } from "./pickerArmed.ts";
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

const listLines = (mode: ArmedMode, input: FrameInput, look: Look, height: number): Line[] => {
  if (mode.jobs === null) return mode.problem === null ? [[], [span("   Looking…", STYLE.dim)]] : [];
  const rows = shownJobs(mode, input.state);
  if (rows.length === 0)
    return [
      [],
      ...wrapWhole(
        "Nothing is armed. Reply to an agent that works and press Tab, or see 'agtmux help tell'.",
        look.width - 4,
      ).map((row): Line => [span(`   ${row}`, STYLE.dim)]),
    ];
  const selected = selectedJob(mode, rows);
  const firstEnded = rows.findIndex(({ job }) => !isArmed(job));
  const blocks = rows.map((row, index): Line[] => [
    ...(index === firstEnded ? [[], [span(" Ended", STYLE.bold)]] : []),
    ...jobLines(row, index === selected, look),
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
const detailLines = (mode: ArmedMode, input: FrameInput, look: Look): Line[] => {
  const { open } = mode;
  const row = shownJobs(mode, input.state).find(({ job }) => job.job_id === open?.job.job_id);
  if (open === null || row === undefined) return [];
  const told = open.told.map(({ at, outcome }): Line => [
    span(`   ${formatAge(look.now - Date.parse(at))} ago  `, STYLE.dim),
    span(displayLine(outcome)),
  ]);
  return [
    ...jobLines(row, true, look),
    [span(`   ${displayLine(open.job.job_id)} · ${displayLine(open.job.surface)}`, STYLE.dim)],
    [],
    [span(" What it did", STYLE.bold)],
    ...(told.length === 0 ? [[span("   It has done nothing yet.", STYLE.dim)]] : told),
  ];
};

const HINTS: readonly Line[] = [
  keyHint("↑↓", "move"),
  keyHint("⏎", "what it did"),
  keyHint("p", "hold, release"),
  keyHint("x", "cancel"),
  keyHint("P", "pause all, resume"),
  keyHint("g", "its agent"),
  keyHint("Esc", "back"),
];

/** `now` in the look: epoch ms by the daemon's clock. */
export const armedFrame = (mode: ArmedMode, input: FrameInput): Frame => {
  const { columns, rows } = input.size;
  const look = { ...input.look, width: columns };
  const height = rows - 2;
  const lines = mode.open === null ? listLines(mode, input, look, height) : detailLines(mode, input, look);
  const pause = pauseText(mode.jobs?.paused_at ?? null, look.now);
  const right =
    mode.problem === null
      ? span(`${pause} `, STYLE.yellow)
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
