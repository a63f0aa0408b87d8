// Makes variations of each recorded frame that the same agent might show: other widths, other words, less history, and text
// that only looks like a dialog: old dialogs scrolled up, or dialogs quoted by the person or the agent. The label stays the
// frame's own. Nothing here knows an agent; it knows what the recordings show to be random (spinners, verbs, times).
import type { Recording } from "../../adapters/testkit/recordings.ts";
import { isWaitingState, NO_AGENT, type Frame } from "./corpus.ts";
import { screenRows, reflow, reflowLine, withLines } from "./reflow.ts";

export const WIDTHS = [60, 80, 100, 160, 200, 250] as const;
/** Heights of the panes from whose top the history has gone. */
const SCROLLED_HEIGHTS = [28, 20] as const;
/** Rows of a present screen that stay visible below an old dialog. */
const BOTTOM_ROWS = 22;
/** Rows of an input box with its footer: all that stays when the dialog was the last thing drawn above it. */
const INPUT_ROWS = 7;

export const VARIATION_KINDS = ["width", "reworded", "scrolled", "old dialog", "quoted"] as const;
export type VariationKind = (typeof VARIATION_KINDS)[number];

export interface Variation {
  /** `width 60`, `reworded`, `scrolled to 20 rows`, `below old <frame>`, `<frame> quoted by …`. */
  name: string;
  kind: VariationKind;
  screen: Recording;
  isDialogWhole: boolean;
  /** The proof of the frame's state may be cut away; then it is enough that no wait is shown. */
  isTruthCut: boolean;
}

const isBlank = (line: string): boolean => line.trim() === "";
const isWaitingFrame = ({ label }: Frame): boolean => isWaitingState(label.state);

// --- where a dialog is ---------------------------------------------------------------------------------------------------

const DIALOG_EDGE = /^\s?(?:[╭┌].*[╮┐]|─{20,}|━{20,})\s*$/u;
const MAX_DIALOG_ROWS = 34;

/**
 * The block at the bottom that asks. It begins at the highest rule or box top that no gap of two blank lines separates from the
 * last line; without such an edge, it begins after that gap.
 */
export const dialogBlock = (lines: readonly string[]): string[] => {
  let start = lines.length;
  let edge = -1;
  for (let index = lines.length - 1; index >= Math.max(0, lines.length - MAX_DIALOG_ROWS); index -= 1) {
    if (isBlank(lines[index] ?? "") && isBlank(lines[index - 1] ?? "")) break;
    start = index;
    if (DIALOG_EDGE.test(lines[index] ?? "")) edge = index;
  }
  const block = lines.slice(edge >= 0 ? edge : start);
  while (block.length > 0 && isBlank(block[0] ?? "x")) block.shift();
  // A gap inside the dialog would leave only its foot; the question is above the gap.
  return block.filter((line) => !isBlank(line)).length >= 6 ? block : lines.slice(-MAX_DIALOG_ROWS / 2);
};

const holdsAll = (screen: Recording, block: readonly string[]): boolean => {
  const text = screenRows(screen);
  const wanted = block.filter((line) => !isBlank(line));
  return wanted.every((line) => text.includes(line));
};

// --- widths, words, history ----------------------------------------------------------------------------------------------

const atWidth = (frame: Frame, width: number): Variation => {
  const { recording } = frame;
  const screen = reflow(recording, width);
  const block = { ...recording, text: dialogBlock(screenRows(recording)).join("\n"), height: 1_000 };
  return {
    name: `width ${width}`,
    kind: "width",
    screen,
    isDialogWhole: holdsAll(screen, screenRows(reflow(block, width))),
    isTruthCut: false,
  };
};

const otherOf = (alphabet: string, glyph: string): string => {
  const glyphs = Array.from(alphabet);
  return glyphs[(glyphs.indexOf(glyph) + 3) % glyphs.length] ?? glyph;
};

const BRAILLE = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const STARS = "·✢✳✶✻✽";

/** What differs between two runs of the same situation: spinner glyphs, their verbs, bars, durations, times of day. */
const REWORDINGS: readonly [RegExp, (match: string, ...groups: string[]) => string][] = [
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/gu, (glyph) => otherOf(BRAILLE, glyph)],
  [/^([·✢✳✶✻✽]) (\p{Lu}\p{L}+)…/u, (_match, glyph = "") => `${otherOf(STARS, glyph)} Pondering…`],
  [/^✻ \p{Lu}\p{L}+ for \d+s/u, () => "✻ Simmered for 4m 12s"],
  [/[■⬝]{4,}/gu, (bar) => Array.from(bar).toReversed().join("")],
  [/\b\d{1,2}:\d{2} ([AP]M)\b/g, () => "11:47 PM"],
  [/\b\d{2}:\d{2}\b(?! [AP]M)/g, () => "23:58"],
  [/\((\d+)s(?=[ )•·])/g, () => "(2m 41s"],
  [/· (\d+\.\d)s$/g, () => "· 12.4s"],
  [/\b(\d+) B\b/g, () => "873 B"],
];

export const reword = (text: string): string =>
  text
    .split("\n")
    .map((line) => REWORDINGS.reduce((changed, [pattern, to]) => changed.replace(pattern, to), line))
    .join("\n");

const reworded = ({ recording }: Frame): Variation => {
  const text = reword(recording.text);
  const title = reword(recording.title);
  return {
    name: "reworded",
    kind: "reworded",
    screen: { ...recording, text, ansi: text, title },
    isDialogWhole: true,
    isTruthCut: false,
  };
};

const scrolled = ({ recording }: Frame, height: number): Variation => {
  const screen = withLines({ ...recording, height }, screenRows(recording));
  return {
    name: `scrolled to ${height} rows`,
    kind: "scrolled",
    screen,
    isDialogWhole: holdsAll(screen, dialogBlock(screenRows(recording))),
    isTruthCut: false,
  };
};

// --- dialogs that are none -----------------------------------------------------------------------------------------------

/** The present screen without its empty middle, as it looks once there is history to fill it. */
const compacted = (lines: readonly string[]): string[] =>
  lines.filter(
    (line, index) => !(isBlank(line) && isBlank(lines[index - 1] ?? "x") && isBlank(lines[index - 2] ?? "x")),
  );

const belowOld = (frame: Frame, old: Frame): Variation[] => {
  const lines = compacted(screenRows(frame.recording));
  const dialog = dialogBlock(screenRows(old.recording));
  const under = (rows: number): Recording =>
    withLines(frame.recording, [...dialog, "", ...lines.slice(-rows)]);
  const screen = under(BOTTOM_ROWS);
  const common = { kind: "old dialog" as const, isDialogWhole: true };
  if (isWaitingFrame(frame)) {
    const isDialogWhole = holdsAll(screen, dialogBlock(lines));
    return [{ ...common, name: `below old ${old.name}`, screen, isDialogWhole, isTruthCut: false }];
  }
  return [
    { ...common, name: `below old ${old.name}`, screen, isTruthCut: false },
    { ...common, name: `input below old ${old.name}`, screen: under(INPUT_ROWS), isTruthCut: true },
  ];
};

const PROSE = /^(\s*(?:[┃│] {0,2})?)((?:[•●✦] )?)(\p{L}[\p{L}\d ,.'!]{6,})(\s+[┃│])?$/u;
/** A prompt sign, or a bar alone, marks the person's own words. */
const PROMPT = /^(\s*(?:[┃│] {1,2}(?=\p{L}))?)((?:[❯›>] )?)(?<=[❯›>┃│] {1,2})(\p{L}.{2,})$/u;
/** None of the lowest drawn rows counts as conversation: they are input boxes, footers and the running line. */
const FOOT_ROWS = 6;

interface Place {
  index: number;
  /** What further lines of the same speaker begin with. */
  prefix: string;
}

/** The lowest line of conversation that `pattern` knows, or null. */
const findPlace = (lines: readonly string[], pattern: RegExp): Place | null => {
  for (let index = lines.length - 1 - FOOT_ROWS; index >= 0; index -= 1) {
    const match = pattern.exec(lines[index] ?? "");
    if (match !== null) return { index, prefix: `${match[1] ?? ""}${" ".repeat(match[2]?.length ?? 0)}` };
  }
  return null;
};

const SPEAKERS = [
  ["agent", PROSE],
  ["person", PROMPT],
] as const;

const quoted = (frame: Frame, dialogOf: Frame): Variation[] => {
  const lines = compacted(screenRows(frame.recording));
  const dialog = dialogBlock(screenRows(dialogOf.recording));
  return SPEAKERS.flatMap(([speaker, pattern]) => {
    const place = findPlace(lines, pattern);
    if (place === null) return [];
    const prefix = place.prefix.trim() === "" && place.prefix.length < 2 ? "  " : place.prefix;
    const { width } = frame.recording;
    // The text as it would be pasted from a narrower pane.
    const quote = dialog
      .flatMap((line) => reflowLine(line, dialogOf.recording.width, width - prefix.length))
      .map((line) => `${prefix}${line}`);
    const all = [...lines.slice(0, place.index + 1), ...quote, ...lines.slice(place.index + 1)];
    return [
      {
        name: `${dialogOf.name} quoted by the ${speaker}`,
        kind: "quoted" as const,
        screen: withLines(frame.recording, all),
        isDialogWhole: true,
        isTruthCut: false,
      },
    ];
  });
};

/** What is varied. A frame of another width is one that the agent itself drew: it is played as it is. */
const VARIED_WIDTH = 120;
const isVaried = ({ label, recording }: Frame): boolean =>
  label.state !== NO_AGENT && recording.width === VARIED_WIDTH;

/** All variations of a frame; `frames` are the recordings of the same agent, from which the dialogs come. */
export const variationsOf = (frame: Frame, frames: readonly Frame[]): Variation[] => {
  if (!isVaried(frame)) return [];
  const own = [
    ...WIDTHS.map((width) => atWidth(frame, width)),
    reworded(frame),
    ...SCROLLED_HEIGHTS.map((height) => scrolled(frame, height)),
  ];
  const dialogs = frames.filter(
    (other) => other !== frame && other.agent === frame.agent && isWaitingFrame(other) && isVaried(other),
  );
  const old = dialogs.flatMap((other) => belowOld(frame, other));
  if (isWaitingFrame(frame)) return [...own, ...old];
  return [...own, ...old, ...dialogs.flatMap((other) => quoted(frame, other))];
};
