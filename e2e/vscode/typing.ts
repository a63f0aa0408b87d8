// Somebody who types into a document in a real editor while answers come, and what must hold afterwards: every key in its place, every
// answer there once and in order.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright";
import { locateDocument } from "../../features/documents/files/documentPaths.ts";
import { writeResponse } from "../../features/documents/flow/writeResponse.ts";
import { mergeByLines } from "../../features/documents/git.ts";

const DOC = `<!-- agent:status -->
typed:
<!-- /agent:status -->

<!-- agent:exchange mode=append -->
Which way shall we go?
<!-- /agent:exchange -->
`;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** A line that is typed is no longer than a line is. */
const LINE = 60;

/** How long one answer took. `busy`: so often the editor did not take it in time, and it was handed over again. */
export interface Put {
  readonly wholeMs: number;
  readonly ackMs: number;
  readonly busy: number;
}

export interface Typed {
  readonly puts: readonly Put[];
  /** Keys that were typed, and answers that came, in this part. */
  readonly keys: number;
  readonly faults: readonly string[];
}

/** Makes the project that the editor is opened on. */
export const makeProject = (project: string): void => {
  mkdirSync(join(project, ".agent-doc"), { recursive: true });
  writeFileSync(join(project, "plan.md"), DOC);
};

const isBusyError = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "E_DOCUMENT_BUSY";

export class Typing {
  private readonly page: Page;
  private readonly project: string;
  private typed = "";
  private answers = 0;

  constructor(page: Page, project: string) {
    this.page = page;
    this.project = project;
  }

  /** The answers of an editor that has just started take longer: VS Code's own extensions start. */
  async warmUp(): Promise<void> {
    for (let made = 0; made < 5; made += 1) {
      await this.putAnswer(100);
      await delay(500);
    }
  }

  /** At most so many answers, and none is begun after `limitMs`; `tries` of each while the editor is busy. */
  async type(
    count: number,
    keysPerSecond: number,
    { tries, limitMs }: { tries: number; limitMs: number },
  ): Promise<Typed> {
    const deadline = performance.now() + limitMs;
    // Only the first time: afterwards the cursor has to be where it was.
    if (this.typed === "") await this.goToTyped();
    const ended = new AbortController();
    const from = this.typed.length;
    const typing = keysPerSecond === 0 ? Promise.resolve() : this.pressKeys(keysPerSecond, ended.signal);
    const puts: Put[] = [];
    try {
      while (puts.length < count && performance.now() < deadline) puts.push(await this.putAnswer(tries));
    } finally {
      ended.abort();
      await typing;
    }
    await this.page.keyboard.press("Control+s");
    await delay(500);
    return { puts, keys: this.typed.length - from, faults: this.findFaults(keysPerSecond) };
  }

  /** One undo takes the last answer back, and nothing else; one redo gives it again. */
  async checkUndo(): Promise<string[]> {
    const before = this.read();
    await this.write("To be undone, all of it.\n", before);
    const after = this.read();
    const press = async (key: string): Promise<string> => {
      await this.page.keyboard.press(key);
      await this.page.keyboard.press("Control+s");
      await delay(500);
      return this.read();
    };
    const faults: string[] = [];
    if ((await press("Control+z")) !== before) faults.push("one undo does not take an answer back");
    if ((await press("Control+y")) !== after) faults.push("one redo does not bring it back");
    if ((await press("Control+z")) !== before) faults.push("one undo does not take an answer back again");
    return faults;
  }

  private read(): string {
    return readFileSync(join(this.project, "plan.md"), "utf8");
  }

  private async write(
    response: string,
    baseline: string,
    onStep = (_step: string): void => {},
  ): Promise<void> {
    await writeResponse({
      paths: await locateDocument(join(this.project, "plan.md"), this.project),
      response,
      baseline,
      mergeByLines: mergeByLines(this.project, process.env),
      way: "editor",
      now: Date.now(),
      onStep,
    });
  }

  private async putAnswer(limit: number): Promise<Put> {
    const baseline = this.read();
    const response = `Answer number ${(this.answers += 1)}, in full.\n`;
    for (let busy = 0; ; busy += 1) {
      const at = performance.now();
      const steps = new Map<string, number>();
      try {
        await this.write(response, baseline, (step) => steps.set(step, performance.now()));
        const ackMs = (steps.get("acknowledged") ?? 0) - (steps.get("handed over") ?? 0);
        return { wholeMs: performance.now() - at, ackMs, busy };
      } catch (error) {
        if (!isBusyError(error) || busy >= limit) throw error;
      }
    }
  }

  private async pressKeys(keysPerSecond: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const isEnd = this.typed.length % LINE === LINE - 1;
      const key = isEnd ? "\n" : (LETTERS[this.typed.length % LETTERS.length] ?? "a");
      this.typed += key;
      await this.page.keyboard.press(isEnd ? "Enter" : key);
      await delay(1_000 / keysPerSecond);
    }
  }

  /** Puts the cursor behind `typed:`. */
  private async goToTyped(): Promise<void> {
    const { keyboard } = this.page;
    // A start takes the keys away now and then, for a message of its own.
    await this.page.click(".monaco-editor .view-lines");
    await keyboard.press("Control+Home");
    await keyboard.press("ArrowDown");
    await keyboard.press("End");
  }

  private findFaults(keysPerSecond: number): string[] {
    const text = this.read();
    const found = [...text.matchAll(/^Answer number (\d+), in full\.$/gm)].map(([, number]) =>
      Number(number),
    );
    const isWhole = found.length === this.answers && found.every((number, at) => number === at + 1);
    const keys = /^typed:([a-z\n]*)\n<!-- \/agent:status -->$/m.exec(text)?.[1] ?? "";
    const where = `${keysPerSecond} keys a second`;
    return [
      ...(isWhole ? [] : [`${where}: ${found.length} of ${this.answers} answers, or not in order`]),
      ...(keys === this.typed
        ? []
        : [`${where}: ${keys.length} of ${this.typed.length} keys in their place`]),
    ];
  }
}
