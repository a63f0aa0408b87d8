// A rule about what the selected pane asks, in the picker: its keys, its calls and its screen. It is shown in words and as it would
// stand in the file, and put there. It is armed only after a question that shows all of it.
import type { PaneView } from "../../core/model/view.ts";
import type { RuleView } from "../../core/model/rule.ts";
import type { DaemonClient } from "../command/context.ts";
import {
  addedText,
  armingText,
  DRAFT_VERDICTS,
  DRAFT_WORDS,
  draftInput,
  draftSentence,
  isArmable,
  noteText,
  type DraftVerdict,
} from "../../ui/text/ruleText.ts";
import type { Key } from "./terminal.ts";
import { ModeQuestions } from "./pickerSurface.ts";
import type { PickerHistoryDeps } from "./pickerHistory.ts";
import type { RuleMode } from "./pickerState.ts";
import { displayLine, displaySentence, displayText } from "../../ui/text/displayText.ts";
import { panePlace } from "../../ui/text/rowText.ts";
import type { Frame, FrameInput } from "./frame.ts";
import { clip, filled, hintLine, keyHint, span, STYLE, wrapWhole, type Line, type Style } from "./line.ts";

const SURFACE = "picker";

/** Names what is shown: only a rule that was read is put into the file. */
const ruleCardKey = ({ draft, isJson }: RuleMode): string => `rule ${isJson} ${draft?.text ?? ""}`;

export class PickerRule {
  private readonly deps: ConstructorParameters<typeof PickerRule>[0];
  private readonly questions: ModeQuestions<RuleMode>;

  constructor(
    deps: PickerHistoryDeps & {
      readonly wasRead: (key: string) => boolean;
    },
  ) {
    this.deps = deps;
    this.questions = new ModeQuestions({
      client: deps.client,
      current: () => {
        const { mode } = deps.state();
        return mode.kind === "rule" ? mode : null;
      },
      put: (mode) => deps.change({ mode }),
    });
  }

  open(pane: PaneView): void {
    this.show({
      kind: "rule",
      pane,
      verdict: "approve",
      draft: null,
      added: null,
      isJson: false,
      problem: null,
    });
  }

  key({ name }: Key, mode: RuleMode, isBurst: boolean): void {
    if (name === "a" && !isBurst && mode.added !== null && isArmable(mode.added))
      return this.askToArm(mode.added);
    if (mode.added !== null || name === "Escape" || name === "q")
      return this.deps.change({ mode: { kind: "list" } });
    if (name === "j" && mode.draft !== null)
      return this.deps.change({ mode: { ...mode, isJson: !mode.isJson } });
    if (name === "Tab") {
      const next = DRAFT_VERDICTS[(DRAFT_VERDICTS.indexOf(mode.verdict) + 1) % DRAFT_VERDICTS.length];
      return this.show({ ...mode, verdict: next ?? "approve", draft: null, problem: null });
    }
    if (name === "Enter" && !isBurst && mode.draft !== null && this.deps.wasRead(ruleCardKey(mode)))
      void this.add(mode.draft.text);
  }

  private show(mode: RuleMode): void {
    this.deps.change({ mode });
    const input = draftInput(mode.pane, mode.verdict);
    void this.questions.ask(
      (client) => client.call((api) => api.automation.ruleDraft.query(input)),
      (draft, now) => ({ ...now, draft }),
    );
  }

  private async add(text: string): Promise<void> {
    await this.questions.ask(
      (client) => client.call((api) => api.automation.ruleAdd.mutate({ text, surface: SURFACE })),
      (added, now) => ({ ...now, added }),
    );
  }

  /** The rule as it was added is armed, or none. */
  private askToArm(rule: RuleView): void {
    const { name, hash } = rule;
    const arm = (client: DaemonClient) =>
      client.call((api) => api.automation.ruleArm.mutate({ name, hash, surface: SURFACE }));
    const { mode } = this.deps.state();
    this.deps.change({
      mode: {
        kind: "question",
        back: mode,
        question: {
          title: `Arm the rule ${name}?`,
          text: armingText(rule).join("\n"),
          confirmLabel: "arm it",
          onConfirm: () => void this.questions.ask(arm, (added, now) => ({ ...now, added })),
        },
      },
    });
  }
}

// The screen: the rule's text stands at the left edge, so that a terminal can copy it as it is.

const wrapped = (text: string, width: number, style: Style = STYLE.plain): Line[] =>
  wrapWhole(text, width - 2).map((row): Line => [span(` ${row}`, style)]);

const verdictLine = ({ verdict }: RuleMode): Line =>
  DRAFT_VERDICTS.flatMap((one) => [
    span(one === verdict ? " ❯ " : "   ", STYLE.key),
    span(DRAFT_WORDS[one], one === verdict ? STYLE.bold : STYLE.dim),
  ]);

const outcomeOf = (added: RuleView | null, verdict: DraftVerdict): string => {
  if (added === null) return addedText(verdict);
  return added.mode === "armed" ? "Rule armed. It answers from now on." : `Rule added. ${addedText(verdict)}`;
};

const bodyLines = (mode: RuleMode, width: number): Line[] => {
  const { draft, problem, verdict, added, isJson, pane } = mode;
  const failed = problem === null ? [] : [[], ...wrapped(displaySentence(problem), width, STYLE.red)];
  if (draft === null) return [...(problem === null ? [[span(" Reading…", STYLE.dim)]] : []), ...failed];
  const sentence = isJson ? null : draftSentence(draft, pane);
  const text =
    sentence === null
      ? displayText(draft.text)
          .split("\n")
          .flatMap((line) => wrapWhole(line, width).map((row): Line => [span(row)]))
      : wrapped(sentence.map(({ text: part }) => part).join(""), width, STYLE.bold);
  return [
    ...text,
    [],
    ...draft.notes.flatMap((note) => wrapped(noteText(note), width, STYLE.yellow)),
    ...wrapped(outcomeOf(added, verdict), width),
    ...failed,
  ];
};

const hints = ({ draft, added, isJson, verdict }: RuleMode): Line[] =>
  added !== null
    ? [...(isArmable(added) ? [keyHint("a", "arm it")] : []), keyHint("any other key", "back")]
    : [
        ...(draft === null ? [] : [keyHint("⏎", verdict === "leave" ? "add" : "add as dry run")]),
        keyHint("Tab", "another verdict"),
        ...(draft === null ? [] : [keyHint("j", isJson ? "in words" : "JSON")]),
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
