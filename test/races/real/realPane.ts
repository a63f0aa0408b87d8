// A real pane whose agent is played by the test: it draws its screen on the pane's terminal, reads its keys and answers to
// them as the model's agents do. Each program in it is an identity of its own; what reaches it is on record.
import {
  cursorOf,
  screenOf,
  type Delivery,
  type ModelPane,
  type Program,
  type Prompt,
} from "../model/tmuxModel.ts";
import type { TextFamily } from "../model/texts.ts";
import { answerKey, submitBox } from "../model/tmuxModel.ts";
import { Terminal } from "./terminal.ts";

const NAMES: Record<string, string> = {
  "\r": "Enter",
  "\u001b": "Escape",
  "\u001b[B": "Down",
  "\u001b[A": "Up",
};
// oxlint-disable-next-line no-control-regex -- keys are control characters
const KEY = /\u001b\[[AB]|\u001b|\r|^\d|[^\u001b\r]+/g;

/** `isSettled`: tmux was seen to know what the program was and asked, before this could be sent. */
export interface Arrival extends Delivery {
  isSettled: boolean;
}

export class RealPane implements ModelPane {
  readonly paneId: string;
  sessionName: string;
  first: Program;
  front: Program;
  isDead = false;
  inMode = false;
  isWorking = false;
  prompt: Prompt | null = null;
  queued: Prompt | null = null;
  above: readonly string[] = [];
  texts: TextFamily = "plain";
  asked = 0;
  box = "";
  /** What it would show is not drawn. */
  isHidden = false;
  readonly arrivals: Arrival[];
  private readonly terminal: Terminal;
  /** What tmux is known to show. */
  private isSettled = true;

  constructor(
    { paneId, sessionName, tty }: { paneId: string; sessionName: string; tty: string },
    programs: { first: Program; front: Program },
    arrivals: Arrival[],
  ) {
    this.paneId = paneId;
    this.sessionName = sessionName;
    this.first = programs.first;
    this.front = programs.front;
    this.arrivals = arrivals;
    this.terminal = new Terminal(tty);
  }

  /** Takes what has arrived, as the program that reads now. */
  read(): void {
    const text = this.terminal.drain().toString("utf8");
    if (text === "") return;
    for (const part of text.match(KEY) ?? []) this.take(part);
    this.draw();
  }

  private take(part: string): void {
    const key = NAMES[part] ?? (/^\d$/.test(part) ? part : null);
    const { front: receiver, prompt, isSettled } = this;
    const about = { at: 0, receiver, prompt, isSettled };
    this.arrivals.push({ kind: key === null ? "text" : "keys", what: key ?? part, ...about });
    if (prompt !== null && key !== null) Object.assign(this, answerKey(prompt, key));
    else if (prompt?.style === "text" || (prompt === null && key === null)) this.box += part;
    else if (key === "Escape") this.isWorking = false;
    else if (key === "Enter") Object.assign(this, submitBox(this));
    else if (prompt === null && key !== null) this.box += key;
  }

  draw(): void {
    if (this.isHidden) return;
    const { x, y } = cursorOf(this);
    this.terminal.write(`\u001b[2J\u001b[H${screenOf(this).join("\r\n")}\u001b[${y + 1};${x + 1}H`);
  }

  /** Changes at once and inside; what comes from now on may have been sent to what was before. */
  change(part: Partial<Pick<RealPane, "prompt" | "queued" | "above" | "front" | "isWorking" | "box">>): void {
    this.read();
    this.isSettled = false;
    Object.assign(this, part);
  }

  /** tmux was just seen to show the change: what was sent before that is taken first. */
  settle(): void {
    this.read();
    this.isSettled = true;
  }

  close(): void {
    this.terminal.close();
  }
}
