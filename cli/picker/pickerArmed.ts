// What is armed and what it did, in the picker: the list, one job with its runs, and holding, releasing and ending it; rules, and
// arming and disarming them. What the keys do, and what is asked of the daemon.
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import { arrangeJobs, type JobRow } from "../../ui/lists/jobs.ts";
import type { RuleView } from "../../core/model/ruleView.ts";
import { isArmed, jobTitle } from "../../ui/text/jobText.ts";
import { armingText, findRules, isArmable, isDisarmable } from "../../ui/text/ruleText.ts";
import { askAutomation } from "../askAutomation.ts";
import type { AnswerPressDeps } from "./answerPress.ts";
import type { Key } from "./keyReader.ts";
import { ModeQuestions } from "./modeQuestions.ts";
import type { PickerHistoryDeps } from "./pickerHistory.ts";
import type { ArmedMode, ListView, PickerState } from "./pickerState.ts";

const LOOK_AGAIN_MS = 3_000;
/** What failed stays so long before the list takes its place. */
const READ_FAILURE_MS = 10_000;
/** Who asks, for the audit. */
const SURFACE = "picker";

export interface PickerArmedDeps extends PickerHistoryDeps, Pick<AnswerPressDeps, "setTimer"> {
  /** Leads to a view of the list. */
  readonly show: (view: ListView, selectedKey: string | null) => void;
}

/** A line of the list: a job, or a rule. */
export type ArmedRow =
  | { readonly kind: "job"; readonly id: string; readonly row: JobRow }
  | { readonly kind: "rule"; readonly id: string; readonly rule: RuleView };

const jobRow = (row: JobRow): ArmedRow => ({ kind: "job", id: row.job.job_id, row });

/** Top to bottom: what is armed, the rules, what has ended. */
export const shownArmed = (mode: ArmedMode, { feed }: Pick<PickerState, "feed">): readonly ArmedRow[] => {
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
export const selectedArmed = (mode: ArmedMode, rows: readonly ArmedRow[]): number =>
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
    const page = this.deps.pageRows();
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      j: 1,
      ArrowUp: -1,
      k: -1,
      PageDown: page,
      PageUp: -page,
    };
    const step = steps[name];
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
        askAutomation(client, "ruleDisarm", "mutation", { name: rule.name, surface: SURFACE }),
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
              askAutomation(client, "ruleArm", "mutation", {
                name,
                hash,
                surface: SURFACE,
              }),
            ),
        },
      },
    });
  }

  private current(): ArmedMode | null {
    const { mode } = this.deps.state();
    return mode.kind === "armed" ? mode : null;
  }

  /** The list as it is now, and again after a while as long as somebody looks. */
  private async look(): Promise<void> {
    this.close();
    await this.questions.ask(
      (client) =>
        Promise.all([
          askAutomation(client, "jobs", "query", {}),
          askAutomation(client, "rules", "query", {}),
        ]),
      ([jobs, rules], mode) => ({ ...mode, jobs, rules }),
    );
    if (this.current() !== null) this.lookIn(LOOK_AGAIN_MS);
  }

  private lookIn(delayMs: number): void {
    this.close();
    this.cancelLook = this.deps.setTimer(delayMs, () => void this.look());
  }

  /** Makes a change, then looks; what failed is said until then. */
  private async change(call: (client: DaemonClient) => Promise<unknown>): Promise<void> {
    await this.questions.ask(call, (_answer, mode) => ({ ...mode, open: null }));
    const mode = this.current();
    if (mode === null) return;
    if (mode.problem === null) await this.look();
    else this.lookIn(READ_FAILURE_MS);
  }

  private async read({ job }: JobRow): Promise<void> {
    await this.questions.ask(
      (client) => askAutomation(client, "job", "query", { id: job.job_id }),
      (detail, mode) => ({ ...mode, selectedId: job.job_id, open: { kind: "job", detail } }),
    );
  }

  private pause({ jobs }: ArmedMode): void {
    if (jobs === null) return;
    const isPaused = jobs.paused_at === null;
    void this.change((client) => askAutomation(client, "pause", "mutation", { isPaused }));
  }

  private hold({ job }: JobRow): void {
    const input = { id: job.job_id, isHeld: job.state === "armed" };
    void this.change((client) => askAutomation(client, "jobHold", "mutation", input));
  }

  private askToCancel({ job }: JobRow, mode: ArmedMode): void {
    this.deps.change({
      mode: {
        kind: "question",
        back: { ...mode, open: null },
        question: {
          title: "Cancel what is armed?",
          text: `${jobTitle(job)}. It is not kept.`,
          confirmLabel: "cancel it",
          onConfirm: () =>
            void this.change((client) => askAutomation(client, "jobCancel", "mutation", { id: job.job_id })),
        },
      },
    });
  }

  private showAgent({ pane }: JobRow): void {
    if (pane !== null) this.deps.show({ kind: "agents" }, pane.identity.pane_ref);
  }
}
