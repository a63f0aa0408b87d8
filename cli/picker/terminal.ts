// The terminal that the picker owns while it runs: the alternate screen, raw keys, and lines that are written only when they changed.
// It gives the terminal back as it was, however the picker ends.
import { setTimer } from "../context.ts";
import { KeyReader, type KeyInput } from "./keyReader.ts";
import { toTerminal } from "./line.ts";
import type { Frame, Size } from "./frame.ts";

/** Alternate screen, no cursor, no wrapping at the edge, pastes marked as such. */
const ENTER = "\u001B[?1049h\u001B[?25l\u001B[?7l\u001B[?2004h\u001B[2J";
const LEAVE = "\u001B[?2004l\u001B[?7h\u001B[?25h\u001B[?1049l";
/** A terminal that knows these shows all of a frame at once; others ignore them. */
const BEGIN = "\u001B[?2026h";
const END = "\u001B[?2026l";

/** A lone ESC is the Escape key when nothing follows it for so long; over SSH the rest of a sequence may come later. */
const ESCAPE_MS = 60;

export interface TerminalDeps {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly hasColour: boolean;
  /** Everything that one read brought. */
  readonly onInput: (inputs: readonly KeyInput[]) => void;
  readonly onResize: () => void;
  /** The terminal is gone. */
  readonly onEnd: () => void;
}

const DEFAULT_SIZE: Size = { columns: 80, rows: 24 };

export class Terminal {
  private readonly deps: TerminalDeps;
  private readonly reader = new KeyReader();
  private drawn: string[] = [];
  private cursor = "";
  private isOpen = false;
  private cancelEscape: (() => void) | null = null;

  constructor(deps: TerminalDeps) {
    this.deps = deps;
  }

  get size(): Size {
    const { columns, rows } = this.deps.stdout;
    return { columns: columns || DEFAULT_SIZE.columns, rows: rows || DEFAULT_SIZE.rows };
  }

  open(): void {
    const { stdin, stdout } = this.deps;
    this.isOpen = true;
    stdin.setRawMode(true);
    stdin.setEncoding("utf8");
    stdin.on("data", this.onData);
    stdin.once("end", this.deps.onEnd);
    stdout.on("resize", this.onResize);
    process.once("exit", this.leave);
    stdout.write(ENTER);
  }

  /** Writes what changed since the last frame; `onShown` is called once the terminal has taken it. */
  paint({ lines, cursor }: Frame, onShown: () => void): void {
    const { stdout, hasColour } = this.deps;
    if (!this.isOpen) return;
    let text = "";
    for (const [index, line] of lines.entries()) {
      const now = toTerminal(line, hasColour);
      if (this.drawn[index] === now) continue;
      this.drawn[index] = now;
      text += `\u001B[${index + 1};1H\u001B[2K${now}`;
    }
    const place =
      cursor === null ? "\u001B[?25l" : `\u001B[${cursor.row + 1};${cursor.column + 1}H\u001B[?25h`;
    if (text === "" && place === this.cursor) {
      onShown();
      return;
    }
    this.cursor = place;
    stdout.write(`${BEGIN}${text}${place}${END}`, onShown);
  }

  /** Draws everything again with the next frame. */
  forget(): void {
    this.drawn = [];
    if (this.isOpen) this.deps.stdout.write("\u001B[0m\u001B[2J");
  }

  close(): void {
    const { stdin, stdout } = this.deps;
    this.cancelEscape?.();
    stdin.off("data", this.onData);
    stdin.off("end", this.deps.onEnd);
    stdout.off("resize", this.onResize);
    process.off("exit", this.leave);
    this.leave();
    stdin.pause();
  }

  private readonly leave = (): void => {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.deps.stdout.write(LEAVE);
    this.deps.stdin.setRawMode(false);
  };

  private readonly onResize = (): void => {
    this.forget();
    this.deps.onResize();
  };

  private readonly onData = (data: string): void => {
    this.cancelEscape?.();
    this.cancelEscape = null;
    this.deps.onInput(this.reader.read(data));
    if (this.reader.isWaiting && this.isOpen)
      this.cancelEscape = setTimer(ESCAPE_MS, () => {
        const inputs = this.reader.settle();
        if (inputs.length > 0) this.deps.onInput(inputs);
      });
  };
}
