// Starting an agent from the picker: which one, where, on which branch, with which task, or with what another one hands over. What the keys do to the form, what is
// asked of the daemon, and the form's lines. The daemon says what is not possible; what was typed stays.
import type { LimitList, PaneView } from "../../core/model/view.ts";
import type { DaemonClient } from "../command/context.ts";
import { agentChoices, agentToHandTo } from "../../ui/text/limitText.ts";
import { rowTitle } from "../../ui/text/rowText.ts";
import {
  agentToStart,
  folderToStartIn,
  readHandoff,
  startedText,
  startedPane,
  startInput,
  type StartedView,
  type StartForm,
} from "../../ui/text/sessionText.ts";
import type { Key } from "./terminal.ts";
import { ModeQuestions } from "./pickerSurface.ts";
import type { PickerArmedDeps } from "./pickerArmed.ts";
import { selectedPane, START_FIELDS, type StartField, type StartMode } from "./pickerState.ts";
import { withoutLast } from "./pickerActs.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { visibleOnTerminal } from "../../core/model/words.ts";
import { clip, hintLine, keyHint, span, STYLE, widthOf, wrapWhole, type Line } from "./line.ts";

/** Longer than the daemon waits for the agent and for its task. */
const WAIT_MS = 15_000;

/** Nobody hands over: nothing is read. */
const NO_LIMITS: Pick<LimitList, "items" | "generated_at"> = { items: [], generated_at: "" };

/** The one after `now` in the list, or before it. */
const stepIn = (list: readonly string[], now: string, step: 1 | -1): string =>
  list[(list.indexOf(now) + step + list.length) % list.length] ?? now;

/** `columns`: of the screen, on which what is handed over is read. */
export type PickerStartDeps = PickerArmedDeps & { readonly columns: () => number };

export class PickerStart {
  private readonly deps: PickerStartDeps;
  private readonly questions: ModeQuestions<StartMode>;

  constructor(deps: PickerStartDeps) {
    this.deps = deps;
    this.questions = new ModeQuestions({
      client: deps.client,
      current: () => {
        const { mode } = deps.state();
        return mode.kind === "start" ? mode : null;
      },
      put: (mode) => deps.change({ mode }),
    });
  }

  /** `from`: whose session is handed over; null: an agent is started. */
  open(from: PaneView | null = null): void {
    const state = this.deps.state();
    const pane = from ?? selectedPane(state);
    const machines = [...state.feed.targets.values()]
      .filter(({ enabled }) => enabled)
      .map(({ target }) => target);
    const target = pane?.identity.target ?? machines[0] ?? "";
    this.deps.change({
      mode: {
        kind: "start",
        agents: [],
        machines: from === null ? machines : [target],
        handOver: from === null ? null : { from, top: 0, readTo: 0 },
        field: "agent",
        form: {
          agent: "",
          target,
          folder: folderToStartIn([...state.feed.panes.values()], pane, target) || "~",
          branch: "",
          text: "",
        },
        isBusy: false,
        started: null,
        problem: null,
      },
    });
    void this.questions.ask(
      async (client) => ({
        startable: await client.call((api) => api.workspaces.startable.mutate({ target })),
        limits:
          from === null
            ? NO_LIMITS
            : await client
                .call((api) => api.history.limits.mutate({ target: [target] }))
                // It only helps to choose.
                .catch(() => NO_LIMITS),
        text: from === null ? null : await handoffOf(client, from),
      }),
      ({ startable, limits, text }, mode) => ({
        ...mode,
        agents: agentChoices(startable, limits.items, Date.parse(limits.generated_at)),
        form: {
          ...mode.form,
          agent:
            from === null
              ? agentToStart(startable)
              : agentToHandTo(startable, from, limits.items, Date.parse(limits.generated_at)),
          text: text ?? mode.form.text,
        },
      }),
    );
  }

  paste(text: string, mode: StartMode): void {
    this.type(mode, mode.field === "text" ? text : (text.split(/[\r\n]/)[0] ?? ""));
  }

  /** A key while the form is shown. `isBurst`: it came together with others, as in a paste. */
  key({ name, isText }: Key, mode: StartMode, isBurst: boolean): void {
    if (mode.isBusy) {
      if (name === "Escape") this.deps.change({ mode: { kind: "list" } });
      return;
    }
    if (mode.started !== null || name === "Escape") return this.deps.change({ mode: { kind: "list" } });
    if (mode.handOver !== null && (name === "PageDown" || name === "PageUp"))
      return this.page(mode, name === "PageDown" ? 1 : -1);
    if (name === "Tab" || name === "ArrowDown") return this.go(mode, 1);
    if (name === "ArrowUp" || name === "Shift-Tab") return this.go(mode, -1);
    if (name === "ArrowLeft" || name === "ArrowRight")
      return this.choose(mode, name === "ArrowLeft" ? -1 : 1);
    if (name === "NewLine" || (name === "Enter" && isBurst))
      return this.type(mode, mode.field === "text" ? "\n" : "");
    if (name === "Enter") return this.start(mode);
    if (name === "Backspace") return this.edit(mode, withoutLast);
    if (name === "Ctrl-U") return this.edit(mode, () => "");
    if (isText) this.type(mode, name);
  }

  private put(mode: StartMode): void {
    this.deps.change({ mode: { ...mode, problem: null } });
  }

  private go(mode: StartMode, step: 1 | -1): void {
    const fields = shownFields(mode);
    const at = fields.indexOf(mode.field);
    this.put({ ...mode, field: fields[(at + step + fields.length) % fields.length] ?? "agent" });
  }

  private choose(mode: StartMode, step: 1 | -1): void {
    const { form, field } = mode;
    if (field === "agent")
      this.put({
        ...mode,
        form: {
          ...form,
          agent: stepIn(
            mode.agents.map(({ value }) => value),
            form.agent,
            step,
          ),
        },
      });
    else if (field === "target")
      this.put({ ...mode, form: { ...form, target: stepIn(mode.machines, form.target, step) } });
  }

  private type(mode: StartMode, text: string): void {
    this.edit(mode, (before) => before + text);
  }

  private edit(mode: StartMode, change: (before: string) => string): void {
    const { field, form } = mode;
    // They are chosen from a list.
    if (field === "agent" || field === "target" || (field === "text" && mode.handOver !== null)) return;
    this.put({ ...mode, form: { ...form, [field]: change(form[field]) } satisfies StartForm });
  }

  /** What is handed over is read, not written, here. */
  private page(mode: StartMode, step: 1 | -1): void {
    const { handOver } = mode;
    if (handOver === null) return;
    const last = Math.max(0, textRows(mode, this.deps.columns()).length - HANDOFF_ROWS);
    const top = Math.max(0, Math.min(last, handOver.top + step * (HANDOFF_ROWS - 1)));
    const readTo = Math.max(handOver.readTo, top + HANDOFF_ROWS);
    this.put({ ...mode, handOver: { ...handOver, top, readTo } });
  }

  /** Null: all of what is handed over was on the screen. */
  private unread(mode: StartMode): string | null {
    const { handOver, form } = mode;
    if (handOver === null) return null;
    if (form.text.trim() === "") return "Its session has not been read yet.";
    const isRead = textRows(mode, this.deps.columns()).length <= Math.max(HANDOFF_ROWS, handOver.readTo);
    return isRead ? null : "Read it to the end first: press PgDn.";
  }

  private start(mode: StartMode): void {
    const unread = this.unread(mode);
    if (unread !== null) return this.deps.change({ mode: { ...mode, problem: unread } });
    const input = startInput(mode.form);
    if (input === null) {
      const problem = mode.form.agent === "" ? "Choose an agent." : "A folder is missing.";
      return this.deps.change({ mode: { ...mode, problem } });
    }
    this.put({ ...mode, isBusy: true });
    void this.questions
      .ask(
        (client) =>
          client.call((api) => api.workspaces.start.mutate({ ...input, waitMs: WAIT_MS, surface: "picker" })),
        (started, now) => ({ ...now, started }),
      )
      .then(() => {
        const { mode: now } = this.deps.state();
        if (now.kind !== "start") return;
        this.deps.change({ mode: { ...now, isBusy: false } });
        if (now.started !== null && now.started.asks !== null) this.showCard(now.started);
      });
  }

  /** What it asks is answered on its card in the list, as all else. Where its row is not there yet, the result says so. */
  private showCard(started: StartedView): void {
    const pane = startedPane(started, this.deps.state().feed.panes);
    if (pane === null) return;
    this.deps.show({ kind: "agents" }, pane.identity.pane_ref);
    const detail =
      started.prompt === "waiting" ? "Started. Answer it; then its task is sent." : "Started. It asks first.";
    const status = { kind: "done", action: "setting", outcome: "delivered", detail, notes: [] } as const;
    this.deps.change({ status: { name: rowTitle(pane).text, status } });
  }
}

const handoffOf = (client: DaemonClient, from: PaneView): Promise<string> =>
  readHandoff(from, {
    refresh: () => client.call((api) => api.history.refresh.mutate()),
    handoff: (ref) => client.call((api) => api.history.handoff.query({ ref })),
  });

/** Machines are asked for only where there are several. */
const shownFields = ({ machines }: StartMode): readonly StartField[] =>
  START_FIELDS.filter((field) => field !== "target" || machines.length > 1);

// The form, at the foot of the screen.

const LABELS: Readonly<Record<StartField, string>> = {
  agent: "Agent",
  target: "Machine",
  folder: "Folder",
  branch: "Branch",
  text: "Task",
};
const HINTS: Readonly<Record<StartField, string>> = {
  agent: "← → to change",
  target: "← → to change",
  folder: "",
  branch: "optional: a new worktree on it",
  text: "optional; Alt+Enter: new line",
};
const LABEL_WIDTH = 11;
const TASK_ROWS = 4;
const HANDOFF_ROWS = 8;

const fieldRows = (text: string, width: number): string[] =>
  wrapWhole(visibleOnTerminal(text), Math.max(10, width - LABEL_WIDTH - 4));

/** With what it says of its limits, where something is handed over. */
const agentLabel = ({ agents, form }: StartMode): string =>
  `${form.agent}${agents.find(({ value }) => value === form.agent)?.room ?? ""}`;

const textRows = ({ form }: StartMode, width: number): string[] => fieldRows(form.text, width);

interface Bar {
  readonly lines: readonly Line[];
  readonly cursor: { row: number; column: number } | null;
}

export const startBar = (mode: StartMode, width: number): Bar => {
  const { handOver } = mode;
  const asks = handOver === null ? " Start an agent " : ` Hand over “${rowTitle(handOver.from).text}” `;
  const title = mode.started === null ? asks : " Started ";
  const head: Line = [
    span(title, STYLE.mark),
    span(mode.isBusy ? "  starting…" : "", STYLE.dim),
    ...(mode.problem === null ? [] : [span(`  ${displayLine(mode.problem)}`, STYLE.red)]),
  ];
  if (mode.started !== null)
    return {
      lines: [
        clip(head, width),
        ...startedText(mode.started).flatMap((text) =>
          wrapWhole(text, width - 3).map((row): Line => [span(`  ${row}`)]),
        ),
        hintLine([keyHint("any key", "back")], width),
      ],
      cursor: null,
    };
  const lines: Line[] = [clip(head, width)];
  let cursor: Bar["cursor"] = null;
  for (const field of shownFields(mode)) {
    const isHere = field === mode.field;
    const value = field === "agent" ? agentLabel(mode) : mode.form[field];
    const all = fieldRows(value, width);
    const isRead = field === "text" && handOver !== null;
    const rows = isRead ? all.slice(handOver.top, handOver.top + HANDOFF_ROWS) : all.slice(-TASK_ROWS);
    const hint = isRead ? "" : value === "" || field === "agent" || field === "target" ? HINTS[field] : "";
    for (const [index, row] of rows.entries())
      lines.push(
        clip(
          [
            span(isHere && index === 0 ? " ❯ " : "   ", STYLE.key),
            span((index === 0 ? LABELS[field] : "").padEnd(LABEL_WIDTH - 2), isHere ? STYLE.bold : STYLE.dim),
            span(row),
            span(hint === "" ? "" : `  ${hint}`, STYLE.dim),
          ],
          width,
        ),
      );
    if (isHere && !mode.isBusy)
      cursor = {
        row: lines.length - 1,
        column: Math.min(width - 1, 1 + LABEL_WIDTH + widthOf(rows.at(-1) ?? "")),
      };
  }
  lines.push(
    hintLine(
      [
        keyHint("Tab ↑↓", "fields"),
        ...(handOver === null ? [] : [keyHint("PgDn PgUp", "read all")]),
        keyHint("⏎", "start"),
        keyHint("Esc", "leave"),
      ],
      width,
    ),
  );
  return { lines, cursor };
};
