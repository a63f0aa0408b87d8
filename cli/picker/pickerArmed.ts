// What is armed and what it did, in the picker: what the keys do, what is asked of the daemon, and the screen. Jobs are listed,
// shown with their runs, held, released and cancelled; rules are shown, armed and disarmed.
import type { DaemonClient } from "../command/context.ts";
import {
  arrangeJobs,
  type JobRow,
  isArmed,
  jobTitle,
  jobObstacle,
  jobPlace,
  jobStatus,
  pauseText,
} from "../../ui/text/jobText.ts";
import type { RuleView } from "../../core/model/rule.ts";
import {
  armingText,
  findRules,
  isArmable,
  isDisarmable,
  ruleLast,
  rulePlace,
  ruleProblems,
  ruleStatus,
  ruleTitle,
} from "../../ui/text/ruleText.ts";
import type { AnswerPressDeps } from "./answerGate.ts";
import type { Key } from "./terminal.ts";
import { ModeQuestions } from "./pickerSurface.ts";
import type { PickerHistoryDeps } from "./pickerHistory.ts";
import { listStep, type ArmedMode, type ListView, type PickerState } from "./pickerState.ts";
import type { JobDetail } from "../../core/model/job.ts";
import { formatAge } from "../../core/model/words.ts";
import { findWindow, rowTops, scrollToShow } from "../../ui/lists/rows.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import type { Frame, FrameInput } from "./frame.ts";
import { clip, filled, hintLine, keyHint, span, spread, STYLE, wrapWhole, type Line } from "./line.ts";

const LOOK_AGAIN_MS = 3_000;
/** How long a failure is shown before the list replaces it. */
const READ_FAILURE_MS = 10_000;
/** Who asks, for the audit. */
const SURFACE = "picker";

export interface PickerArmedDeps extends PickerHistoryDeps, Pick<AnswerPressDeps, "setTimer"> {
  /** Goes to a view of the list. */
  readonly show: (view: ListView, selectedKey: string | null) => void;
}

/** A line of the list: a job, or a rule. */
type ArmedRow =
  | { readonly kind: "job"; readonly id: string; readonly row: JobRow }
  | { readonly kind: "rule"; readonly id: string; readonly rule: RuleView };

const jobRow = (row: JobRow): ArmedRow => ({ kind: "job", id: row.job.job_id, row });

/** Top to bottom: what is armed, the rules, what has ended. */
const shownArmed = (mode: ArmedMode, { feed }: Pick<PickerState, "feed">): readonly ArmedRow[] => {
  const filter = { text: "", runtimeId: mode.runtimeId };
  const { armed, ended } = arrangeJobs(mode.jobs?.items ?? [], feed.panes.values(), filter);
  const rules = findRules(mode.rules?.items ?? [], filter).map((rule): ArmedRow => ({
    kind: "rule",
    id: `rule ${rule.name}`,
    rule,
  }));
  return [...armed.map(jobRow), ...rules, ...ended.map(jobRow)];
};

/** The first while none was chosen, or the chosen one is not there any more. */
const selectedArmed = (mode: ArmedMode, rows: readonly ArmedRow[]): number =>
  Math.max(
    0,
    rows.findIndex(({ id }) => id === mode.selectedId),
  );

export class PickerArmed {
  private readonly deps: PickerArmedDeps;
  private readonly questions: ModeQuestions<ArmedMode>;
  private cancelLook: (() => void) | null = null;

  constructor(deps: PickerArmedDeps) {
    this.deps = deps;
    this.questions = new ModeQuestions({
      client: deps.client,
      current: () => this.current(),
      put: (mode) => deps.change({ mode }),
    });
  }

  /** `runtimeId`: only what is armed for this agent; null: all. */
  open(runtimeId: string | null): void {
    this.deps.change({
      mode: {
        kind: "armed",
        jobs: null,
        rules: null,
        runtimeId,
        selectedId: null,
        open: null,
        problem: null,
      },
    });
    void this.look();
  }

  close(): void {
    this.cancelLook?.();
    this.cancelLook = null;
  }

  /** A key while this is shown. */
  key({ name }: Key, mode: ArmedMode): void {
    const rows = shownArmed(mode, this.deps.state());
    const at = selectedArmed(mode, rows);
    const row = rows[at];
    const step = listStep(name, this.deps.pageRows());
    if (name === "P") return this.pause(mode);
    if (name === "Escape" || name === "q" || name === "ArrowLeft")
      return this.deps.change({ mode: mode.open === null ? { kind: "list" } : { ...mode, open: null } });
    if (row === undefined) return;
    if (step !== undefined && mode.open === null) {
      const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
      return this.deps.change({ mode: { ...mode, selectedId: next?.id ?? null } });
    }
    if (row.kind === "rule") this.ruleKey(name, row, mode);
    else this.jobKey(name, row.row, mode);
  }

  private jobKey(name: string, row: JobRow, mode: ArmedMode): void {
    if (name === "Enter" && mode.open === null) return void this.read(row);
    if (name === "g") return this.showAgent(row);
    if (name === "p" && isArmed(row.job)) return this.hold(row);
    if (name === "x" && isArmed(row.job)) this.askToCancel(row, mode);
  }

  private ruleKey(name: string, { rule, id }: Extract<ArmedRow, { kind: "rule" }>, mode: ArmedMode): void {
    if (name === "Enter" && mode.open === null)
      this.deps.change({ mode: { ...mode, selectedId: id, open: { kind: "rule", name: rule.name } } });
    else if (name === "a" && isArmable(rule)) this.askToArm(rule, mode);
    else if (name === "x" && isDisarmable(rule))
      void this.change((client) =>
        client.call((api) => api.automation.ruleDisarm.mutate({ name: rule.name, surface: SURFACE })),
      );
  }

  /** The rule as it was shown is armed, or none. */
  private askToArm(rule: RuleView, mode: ArmedMode): void {
    const { name, hash } = rule;
    this.deps.change({
      mode: {
        kind: "question",
        back: { ...mode, open: null },
        question: {
          title: `Arm the rule ${name}?`,
          text: armingText(rule).join("\n"),
          confirmLabel: "arm it",
          onConfirm: () =>
            void this.change((client) =>
              client.call((api) =>
                api.automation.ruleArm.mutate({
                  name,
                  hash,
                  surface: SURFACE,
                }),
              ),
            ),
        },
      },
    });
  }

  private current(): ArmedMode | null {
    const { mode } = this.deps.state();
    return mode.kind === "armed" ? mode : null;
  }

  /** Asks for the list now, and again after a while as long as it is shown. */
  private async look(): Promise<void> {
    this.close();
    await this.questions.ask(
      (client) =>
        Promise.all([
          client.call((api) => api.automation.jobs.query({})),
          client.call((api) => api.automation.rules.query({})),
        ]),
      ([jobs, rules], mode) => ({ ...mode, jobs, rules }),
    );
    if (this.current() !== null) this.lookIn(LOOK_AGAIN_MS);
  }

  private lookIn(delayMs: number): void {
    this.close();
    this.cancelLook = this.deps.setTimer(delayMs, () => void this.look());
  }

  /** Makes a change, then asks for the list; a failure is shown until then. */
  private async change(call: (client: DaemonClient) => Promise<unknown>): Promise<void> {
    await this.questions.ask(call, (_answer, mode) => ({ ...mode, open: null }));
    const mode = this.current();
    if (mode === null) return;
    if (mode.problem === null) await this.look();
    else this.lookIn(READ_FAILURE_MS);
  }

  private async read({ job }: JobRow): Promise<void> {
    await this.questions.ask(
      (client) => client.call((api) => api.automation.job.query({ id: job.job_id })),
      (detail, mode) => ({ ...mode, selectedId: job.job_id, open: { kind: "job", detail } }),
    );
  }

  private pause({ jobs }: ArmedMode): void {
    if (jobs === null) return;
    const isPaused = jobs.paused_at === null;
    void this.change((client) => client.call((api) => api.automation.pause.mutate({ isPaused })));
  }

  private hold({ job }: JobRow): void {
    const input = { id: job.job_id, isHeld: job.state === "armed" };
    void this.change((client) => client.call((api) => api.automation.jobHold.mutate(input)));
  }

  private askToCancel({ job }: JobRow, mode: ArmedMode): void {
    this.deps.change({
      mode: {
        kind: "question",
        back: { ...mode, open: null },
        question: {
          title: "Cancel this job?",
          text: `${jobTitle(job)}. This can't be undone.`,
          confirmLabel: "cancel it",
          onConfirm: () =>
            void this.change((client) =>
              client.call((api) => api.automation.jobCancel.mutate({ id: job.job_id })),
            ),
        },
      },
    });
  }

  private showAgent({ pane }: JobRow): void {
    if (pane !== null) this.deps.show({ kind: "agents" }, pane.identity.pane_ref);
  }
}

// The screen: texts come from agents and persons, so what nobody would see becomes a mark.

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
        "No automation yet. Reply to an agent that works and press Tab, or see 'agtmux help tell'.",
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
    ...(told.length === 0 ? [[span("   Nothing yet.", STYLE.dim)]] : told),
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
    span(" Automation ", STYLE.mark),
    span(mode.jobs === null ? "" : `  ${armed === 0 ? "nothing" : armed} scheduled`, STYLE.dim),
  ];
  return {
    lines: [
      spread(head, clip([right], columns - 28), columns),
      ...filled(lines, height),
      hintLine(HINTS, columns),
    ].map((line) => clip(line, columns)),
    cards: [],
    cursor: null,
    scrollTop: input.scrollTop,
    page: null,
  };
};
