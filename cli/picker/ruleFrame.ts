// A rule about what a pane asks, on the whole screen. Its text stands at the left edge, so that a terminal can copy it as it is.
import { displayLine, displaySentence, displayText } from "../../ui/text/displayText.ts";
import { panePlace } from "../../ui/text/paneText.ts";
import { addedText, DRAFT_VERDICTS, DRAFT_WORDS, noteText } from "../../ui/text/ruleText.ts";
import type { Frame, FrameInput } from "./frame.ts";
import { clip, filled, hintLine, keyHint, span, STYLE, wrapWhole, type Line, type Style } from "./line.ts";
import { ruleCardKey } from "./pickerRule.ts";
import type { RuleMode } from "./pickerState.ts";

const wrapped = (text: string, width: number, style: Style = STYLE.plain): Line[] =>
  wrapWhole(text, width - 2).map((row): Line => [span(` ${row}`, style)]);

const verdictLine = ({ verdict }: RuleMode): Line =>
  DRAFT_VERDICTS.flatMap((one) => [
    span(one === verdict ? " ❯ " : "   ", STYLE.key),
    span(DRAFT_WORDS[one], one === verdict ? STYLE.bold : STYLE.dim),
  ]);

const bodyLines = (mode: RuleMode, width: number): Line[] => {
  const { draft, problem, verdict, isAdded } = mode;
  const failed = problem === null ? [] : [[], ...wrapped(displaySentence(problem), width, STYLE.red)];
  if (draft === null) return [...(problem === null ? [[span(" Reading…", STYLE.dim)]] : []), ...failed];
  return [
    ...displayText(draft.text)
      .split("\n")
      .flatMap((line) => wrapWhole(line, width).map((row): Line => [span(row)])),
    [],
    ...draft.notes.flatMap((note) => wrapped(noteText(note), width, STYLE.yellow)),
    ...wrapped(isAdded ? `The rule is in the file. ${addedText(verdict)}` : addedText(verdict), width),
    ...failed,
  ];
};

const hints = ({ draft, isAdded, verdict }: RuleMode): Line[] =>
  isAdded
    ? [keyHint("any key", "back")]
    : [
        ...(draft === null ? [] : [keyHint("⏎", verdict === "leave" ? "add it" : "add it in shadow")]),
        keyHint("Tab", "another verdict"),
        keyHint("Esc", "leave"),
      ];

export const ruleFrame = (mode: RuleMode, { size, scrollTop }: FrameInput): Frame => {
  const { columns, rows } = size;
  const body = [verdictLine(mode), [], ...bodyLines(mode, columns)];
  const height = rows - 2;
  const isWhole = body.length <= height;
  return {
    lines: [
      [span(" A rule ", STYLE.mark), span(`  ${displayLine(panePlace(mode.pane))}`, STYLE.dim)],
      ...filled(isWhole ? body : [[span(" Make the terminal larger to read it.", STYLE.yellow)]], height),
      hintLine(hints(mode), columns),
    ].map((line) => clip(line, columns)),
    cards: isWhole ? [{ key: ruleCardKey(mode), look: `${columns}x${rows}`, isWhole }] : [],
    cursor: null,
    scrollTop,
    page: null,
  };
};
