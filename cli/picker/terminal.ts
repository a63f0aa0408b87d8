// The terminal that the picker owns while it runs: the reader of its keys, the alternate screen, and lines that are written only
// when they changed. It gives the terminal back as it was, however the picker ends.
import { setTimer } from "../command/context.ts";
import { toTerminal } from "./line.ts";
import type { Frame, Size } from "./frame.ts";

// Keys: names are those of a browser's `event.key`, so that one table of shortcuts serves both. Sequences may be split over reads;
// what is pasted never becomes keys; what is not known becomes nothing at all.

export interface Key {
  /** A character, or the name of a key: `Enter`, `ArrowUp`, `Escape`. */
  readonly name: string;
  /** A character that a person could type into a text. */
  readonly isText: boolean;
}

export type KeyInput = { kind: "key"; key: Key } | { kind: "paste"; text: string };

const PASTE_BEGIN = "\u001B[200~";
const PASTE_END = "\u001B[201~";
/** Longest paste that is kept, in characters. */
const MAX_PASTE = 200_000;
/** Longest sequence that a terminal sends; a longer one is no sequence. */
const MAX_SEQUENCE = 4_096;

// oxlint-disable-next-line no-control-regex -- keys are control characters
const CSI = /^\u001B\[([0-?]*)[ -/]*([@-~])/;
// oxlint-disable-next-line no-control-regex -- see above
const STRING = /^\u001B[\]P^_X][^\u0007\u001B]*(?:\u0007|\u001B\\)/;
/** A sequence whose end has not been read. */
// oxlint-disable-next-line no-control-regex -- see above
const UNFINISHED = /^\u001B(?:\[[0-?]*[ -/]*|O|[\]P^_X][^\u0007\u001B]*\u001B?)?$/;

const FINALS: Readonly<Record<string, string>> = {
  A: "ArrowUp",
  B: "ArrowDown",
  C: "ArrowRight",
  D: "ArrowLeft",
  F: "End",
  H: "Home",
  M: "Enter",
  Q: "F2",
};

const NUMBERED: Readonly<Record<string, string>> = {
  1: "Home",
  3: "Delete",
  4: "End",
  5: "PageUp",
  6: "PageDown",
  7: "Home",
  8: "End",
  12: "F2",
  // Shift+Enter, as xterm and kitty send it when asked to.
  "27;2;13": "NewLine",
};

const CONTROLS: Readonly<Record<string, string>> = {
  "\r": "Enter",
  "\n": "NewLine",
  "\t": "Tab",
  "\b": "Backspace",
  "\u007F": "Backspace",
  "\u0003": "Ctrl-C",
  "\u0004": "Ctrl-D",
  "\u0015": "Ctrl-U",
  "\u0017": "Ctrl-W",
  "\u000C": "Ctrl-L",
};

const named = (name: string | undefined): KeyInput[] =>
  name === undefined ? [] : [{ kind: "key", key: { name, isText: false } }];

const sequenceKey = (parameters: string, final: string): KeyInput[] => {
  if (final === "~") return named(NUMBERED[parameters]);
  if (final === "u") return named(parameters === "13;2" ? "NewLine" : undefined);
  // With a modifier it is another key, which means nothing here.
  return parameters === "" || parameters === "1" ? named(FINALS[final]) : [];
};

export class KeyReader {
  private pending = "";
  private pasted: string | null = null;
  /** The Escape key was reported alone; if the rest of a sequence comes after all, it is no text. */
  private mayGoOn = false;

  /** Whether the beginning of a sequence is waiting: call `settle` when nothing followed for a while. */
  get isWaiting(): boolean {
    return this.pending !== "" && this.pasted === null;
  }

  /** What these characters mean, in order. */
  read(text: string): KeyInput[] {
    this.pending += text;
    if (this.mayGoOn) {
      this.mayGoOn = false;
      if (/^[[O]/.test(this.pending)) this.pending = `\u001B${this.pending}`;
    }
    const found: KeyInput[] = [];
    while (this.pending !== "") {
      const next = this.pasted === null ? this.readOne() : this.readPaste();
      if (next === null) break;
      found.push(...next);
    }
    return found;
  }

  /** Nothing followed: a lone ESC was the Escape key. A sequence without its end goes on being read. */
  settle(): KeyInput[] {
    if (this.pending !== "\u001B") return [];
    this.pending = "";
    this.mayGoOn = true;
    return named("Escape");
  }

  private take(length: number): void {
    this.pending = this.pending.slice(length);
  }

  private readPaste(): KeyInput[] | null {
    const end = this.pending.indexOf(PASTE_END);
    const sofar = this.pasted ?? "";
    if (end === -1) {
      // The end itself may be split.
      const keep = PASTE_END.length - 1;
      const whole = Math.max(0, this.pending.length - keep);
      this.pasted = (sofar + this.pending.slice(0, whole)).slice(0, MAX_PASTE);
      this.take(whole);
      return null;
    }
    const text = (sofar + this.pending.slice(0, end)).slice(0, MAX_PASTE);
    this.take(end + PASTE_END.length);
    this.pasted = null;
    return [{ kind: "paste", text }];
  }

  private readOne(): KeyInput[] | null {
    const { pending } = this;
    if (!pending.startsWith("\u001B")) {
      const [character = ""] = pending;
      this.take(character.length);
      // oxlint-disable-next-line no-control-regex -- see above
      if (!/[\u0000-\u001F\u007F-\u009F]/.test(character))
        return [{ kind: "key", key: { name: character, isText: true } }];
      return named(CONTROLS[character]);
    }
    if (pending.startsWith(PASTE_BEGIN)) {
      this.take(PASTE_BEGIN.length);
      this.pasted = "";
      return [];
    }
    return this.readSequence();
  }

  private readSequence(): KeyInput[] | null {
    const { pending } = this;
    if (UNFINISHED.test(pending) && pending.length < MAX_SEQUENCE) return null;
    const string = STRING.exec(pending);
    const csi = CSI.exec(pending);
    if (string !== null || csi !== null) {
      this.take((string ?? csi)?.[0].length ?? 1);
      return csi === null ? [] : sequenceKey(csi[1] ?? "", csi[2] ?? "");
    }
    // ESC and a character: the Alt key, or two keys that came together. Neither may act.
    const isApplication = pending[1] === "O";
    const last = pending[isApplication ? 2 : 1] ?? "";
    this.take((isApplication ? 2 : 1) + last.length);
    if (isApplication) return named(FINALS[last]);
    return named(last === "\r" || last === "\n" ? "NewLine" : undefined);
  }
}

/** Alternate screen, no cursor, no wrapping at the edge, pastes marked as such. */
const ENTER = "\u001B[?1049h\u001B[?25l\u001B[?7l\u001B[?2004h\u001B[2J";
const LEAVE = "\u001B[?2004l\u001B[?7h\u001B[?25h\u001B[?1049l";
/** A terminal that knows these shows all of a frame at once; others ignore them. */
const BEGIN = "\u001B[?2026h";
const END = "\u001B[?2026l";

/** A lone ESC is the Escape key when nothing follows it for so long; over SSH the rest of a sequence may come later. */
const ESCAPE_MS = 60;

const DEFAULT_SIZE: Size = { columns: 80, rows: 24 };

export class Terminal {
  private readonly deps: ConstructorParameters<typeof Terminal>[0];
  private readonly reader = new KeyReader();
  private drawn: string[] = [];
  private cursor = "";
  private isOpen = false;
  private cancelEscape: (() => void) | null = null;

  constructor(deps: {
    readonly stdin: NodeJS.ReadStream;
    readonly stdout: NodeJS.WriteStream;
    readonly hasColour: boolean;
    /** Everything that one read brought. */
    readonly onInput: (inputs: readonly KeyInput[]) => void;
    readonly onResize: () => void;
    /** The terminal is gone. */
    readonly onEnd: () => void;
  }) {
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
