// A model of what actions touch: tmux servers with panes, and the programs in them. Every method is one atomic step, as a
// command is for the real server. What keys, pastes and signals reached is on record, with what was there at that moment.
import type { PromptRequest } from "../../../core/model/request.ts";
import { VISIBLE_ROWS, type TextFamily } from "./texts.ts";

/** A process. `runtimeId` null: a shell or another program that is no agent. */
export interface Program {
  pid: number;
  startedAt: number;
  command: string;
  runtimeId: string | null;
}

/** How a dialog is answered: by digits, by moving a selection and Enter, or by a text in its field. */
export const DIALOG_STYLES = ["digits", "arrows", "text"] as const;
export type DialogStyle = (typeof DIALOG_STYLES)[number];

/** One asking. Two askings of the same thing differ by the id alone. */
export interface Prompt {
  id: string;
  style: DialogStyle;
  /** All of it, as an event would tell it. */
  request: PromptRequest;
  /** Index of the option under the selection. */
  selected: number;
}

/** What arrived where: who read it, and what that program asked at that moment. */
export interface Delivery {
  kind: "text" | "keys" | "signal";
  what: string;
  at: number;
  receiver: Program;
  prompt: Prompt | null;
  /** What stood in the input box before it. */
  box?: string;
}

export interface ModelPane {
  paneId: string;
  sessionName: string;
  /** The program that tmux started: the agent itself or the shell in which it was started. */
  first: Program;
  /** The program that reads from the terminal. */
  front: Program;
  isDead: boolean;
  inMode: boolean;
  isWorking: boolean;
  /** The one whose dialog is drawn. */
  prompt: Prompt | null;
  /** Another open request of the same turn, whose dialog is not drawn. */
  queued: Prompt | null;
  /** Rows above the dialog. */
  above: readonly string[];
  texts: TextFamily;
  /** Which of these texts it asked about last: those that are hard to tell from it have the next numbers. */
  asked: number;
  box: string;
}

const SHELL_PROMPT = "$ ";
/** Rows of a dialog that look the same for every asking. */
export const DIALOG_FOOTER = "Esc to cancel";
export const WORKING_ROW = "* working (esc to interrupt)";
export const IDLE_FOOTER = "? for shortcuts";

const dialogRows = ({ style, selected, request }: Prompt, box: string): string[] => {
  const rows = request.options.map(({ label }, index) => {
    const number = style === "digits" ? `${index + 1}. ` : "";
    return `${index === selected ? "❯" : " "} ${number}${label}`;
  });
  const body = (request.body ?? "").split("\n");
  const seen = body.length > VISIBLE_ROWS ? body.slice(-VISIBLE_ROWS) : body;
  return [
    ...(body.length > VISIBLE_ROWS ? [] : [request.title]),
    ...seen.map((row) => `  ${row}`.trimEnd()),
    ...rows,
    ...(style === "text" ? [`> ${box}`] : []),
    DIALOG_FOOTER,
  ];
};

/** The rows of a dialog as they are drawn. */
export const rowsOf = (prompt: Prompt): string[] => dialogRows(prompt, "");

export const screenOf = ({ front, prompt, isWorking, box, above }: ModelPane): string[] => {
  if (front.runtimeId === null) return [`${SHELL_PROMPT}${box}`];
  if (prompt !== null) return [...above, ...dialogRows(prompt, box)];
  return [`agent ${front.command}`, isWorking ? WORKING_ROW : "", `> ${box}`, "────", IDLE_FOOTER];
};

/** Where the cursor stands: after the box, or below a dialog. */
export const cursorOf = (pane: ModelPane): { x: number; y: number } => {
  const rows = screenOf(pane);
  const box = rows.findLastIndex((row) => row.startsWith("> "));
  const y = pane.front.runtimeId === null ? 0 : box >= 0 ? box : rows.length - 1;
  // No row has a sign of more than one unit or column.
  return { x: (rows[y] ?? "").length, y };
};

/** What a key changes in a pane that asks. */
export const answerKey = (prompt: Prompt, key: string): Partial<ModelPane> => {
  const moves: Record<string, number> = { Down: 1, Up: -1 };
  const move = moves[key];
  if (move !== undefined) {
    const last = prompt.request.options.length - 1;
    return { prompt: { ...prompt, selected: Math.min(Math.max(prompt.selected + move, 0), last) } };
  }
  const isAnswer = key === "Escape" || key === "Enter" || (prompt.style === "digits" && /^\d$/.test(key));
  return isAnswer ? { prompt: null, box: "", isWorking: key !== "Escape" } : {};
};

/** What Enter changes in a pane that asks nothing. */
export const submitBox = ({ box, front, isWorking }: ModelPane): Partial<ModelPane> =>
  box === "" ? {} : { box: "", isWorking: front.runtimeId !== null || isWorking };

export class TmuxModel {
  readonly deliveries: Delivery[] = [];
  readonly buffers = new Map<string, string>();
  panes = new Map<string, ModelPane>();
  isRunning = true;
  /** Living processes by pid. */
  readonly processes = new Map<number, Program>();
  /** How many atomic steps there were: the time of the record. */
  steps = 0;
  private nextPid = 1_000;
  private nextId = 1;

  spawn(command: string, isAgent: boolean, pid = (this.nextPid += 1)): Program {
    const runtimeId = isAgent ? `rt_${(this.nextId += 1)}` : null;
    const program = {
      pid,
      startedAt: 1_000_000 + this.nextPid * 20 + (this.nextId += 1),
      command,
      runtimeId,
    };
    this.processes.set(pid, program);
    return program;
  }

  open(paneId: string, sessionName: string, first: Program, front: Program = first): ModelPane {
    const start = { isDead: false, inMode: false, isWorking: false, prompt: null, queued: null, box: "" };
    const look = { above: [], texts: "plain", asked: 0 } as const;
    const pane: ModelPane = { paneId, sessionName, first, front, ...start, ...look };
    this.panes.set(paneId, pane);
    return pane;
  }

  end(program: Program): void {
    if (this.processes.get(program.pid) === program) this.processes.delete(program.pid);
  }

  /** Text without a key: what `paste-buffer` does. */
  type(pane: ModelPane, text: string): void {
    this.note("text", text, pane.front, pane);
    if (pane.prompt === null || pane.prompt.style === "text") pane.box += text;
  }

  press(pane: ModelPane, keys: readonly string[]): void {
    for (const key of keys) {
      this.note("keys", key, pane.front, pane);
      this.obey(pane, key);
    }
  }

  signal(pid: number, startedAt: number, name: string): boolean {
    const program = this.processes.get(pid);
    if (program === undefined || program.startedAt !== startedAt) return false;
    this.note("signal", name, program, { prompt: null, box: "" });
    this.end(program);
    for (const pane of this.panes.values())
      if (pane.front === program) {
        if (pane.first === program) pane.isDead = true;
        else pane.front = pane.first;
      }
    return true;
  }

  /** Keys of somebody at the terminal. */
  typedByPerson(pane: ModelPane, text: string): void {
    if (pane.prompt === null) pane.box += text;
  }

  submittedByPerson(pane: ModelPane): void {
    if (pane.prompt === null) Object.assign(pane, submitBox(pane));
  }

  private note(
    kind: Delivery["kind"],
    what: string,
    receiver: Program,
    { prompt, box }: Pick<ModelPane, "prompt" | "box">,
  ): void {
    this.deliveries.push({ kind, what, at: this.steps, receiver, prompt, box });
  }

  /** What agents do with a key: it answers a prompt or moves its selection, stops a turn, or submits the box. */
  private obey(pane: ModelPane, key: string): void {
    const { prompt } = pane;
    if (prompt !== null) Object.assign(pane, answerKey(prompt, key));
    else if (key === "Escape") pane.isWorking = false;
    else if (key === "Enter") Object.assign(pane, submitBox(pane));
    else if (key.length === 1) pane.box += key;
  }
}
