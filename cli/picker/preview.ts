// The output of one pane: its text as lines of the picker, and `Preview`, which follows it while it is shown. It is asked for again
// and again, never twice at once, and never for a row that the selection only passes.
import { visibleText } from "../../core/model/words.ts";
import { span, wrapLine, type Line, type Style, STYLE } from "./line.ts";
import type { OutputRequest, OutputSource, PaneOutput } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";
import { agentInput } from "../../ui/actions/guards.ts";
import { displayLine, displaySentence } from "../../ui/text/displayText.ts";
import { setTimer, type DaemonClient } from "../command/context.ts";
import { toFailure } from "../command/document.ts";

// Lines: colours stay; everything else that a terminal would obey becomes visible or is removed.

// oxlint-disable-next-line no-control-regex -- it is what this is about
const SGR = /\u001B\[([0-9;:]*)m/g;
/** Longest style that is passed on; no program needs more. */
const MAX_STYLE = 60;
const TAB = "    ";

/** The style after one more sequence: they add up until a reset. Only digits and separators come through. */
const nextStyle = (style: Style, parameters: string): Style => {
  if (parameters === "" || parameters === "0") return "";
  const sum = /^0[;:]/.test(parameters) || style === "" ? parameters : `${style};${parameters}`;
  if (sum.length <= MAX_STYLE) return sum;
  return parameters.length <= MAX_STYLE ? parameters : "";
};

/** One line; a style does not go on into the next, because the daemon ends each with a reset. */
export const outputLine = (text: string): Line => {
  const line: { text: string; style: Style }[] = [];
  let style: Style = "";
  let from = 0;
  const add = (part: string): void => {
    if (part !== "") line.push(span(visibleText(part.replaceAll("\t", TAB)), style));
  };
  for (const found of text.matchAll(SGR)) {
    add(text.slice(from, found.index));
    style = nextStyle(style, found[1] ?? "");
    from = found.index + found[0].length;
  }
  add(text.slice(from));
  return line;
};

/** The last `count` lines; blank ones at the end are left out. */
export const lastLines = (lines: readonly string[], count: number): Line[] => {
  const last = lines.findLastIndex((line) => line.replace(SGR, "").trim() !== "");
  return lines.slice(Math.max(0, last + 1 - count), last + 1).map(outputLine);
};

export interface Watched {
  readonly pane: PaneView;
  readonly source: OutputRequest;
  readonly lines: number;
  /** Beside the list, where a row may only be passed: it is read once the selection rests on it. */
  readonly isBeside: boolean;
}

/** The selection rests this long before its output is asked for. In milliseconds, as the other. */
const REST_MS = 60;
/** Between an answer and the next question. */
const PAUSE_MS = 1_500;

const keyOf = ({ pane, source }: Watched): string =>
  `${source} ${pane.identity.runtime_id} ${pane.identity.pane_ref}`;

export class Preview {
  private readonly client: () => DaemonClient | null;
  private readonly onChange: () => void;
  private watched: Watched | null = null;
  private shownKey = "";
  private output: PaneOutput | null = null;
  private problem = "";
  /** Names of the documents of the pane with this reference. */
  private documents = { ref: "", names: "" };
  private cancel: (() => void) | null = null;
  private isAsking = false;

  constructor(client: () => DaemonClient | null, onChange: () => void) {
    this.client = client;
    this.onChange = onChange;
  }

  /** Follows this pane from now on; null: none. */
  watch(watched: Watched | null): void {
    const before = this.watched;
    this.watched = watched;
    if (watched === null) {
      this.cancel?.();
      this.cancel = null;
      return;
    }
    if (before !== null && keyOf(before) === keyOf(watched) && watched.lines <= before.lines) return;
    this.plan(REST_MS);
  }

  /** What is shown; null before the first answer. */
  get source(): OutputSource | null {
    return this.isShown() ? (this.output?.source ?? null) : null;
  }

  /** The end of the output in at most `count` rows, `up` rows above its end; null: no row is wrapped. */
  tail(count: number, up = 0, width: number | null = null): { lines: Line[]; total: number } {
    if (!this.isShown()) return { lines: [], total: 0 };
    const lines =
      this.output === null
        ? [[span(this.problem, STYLE.dim)]]
        : lastLines(this.output.lines, Number.MAX_SAFE_INTEGER);
    const all = width === null ? lines : lines.flatMap((line) => wrapLine(line, width));
    const end = Math.max(0, all.length - up);
    return { lines: all.slice(Math.max(0, end - count), end), total: all.length };
  }

  /** The documents of the pane that is followed; an asterisk marks those that hold something new. */
  documentNames(): string {
    return this.watched?.pane.identity.pane_ref === this.documents.ref ? this.documents.names : "";
  }

  close(): void {
    this.watch(null);
  }

  private isShown(): boolean {
    return this.watched !== null && this.shownKey === keyOf(this.watched);
  }

  private plan(delayMs: number): void {
    this.cancel?.();
    this.cancel = setTimer(delayMs, () => void this.look());
  }

  private async look(): Promise<void> {
    const { watched } = this;
    const client = this.client();
    if (this.isAsking || watched === null || client === null) return;
    this.isAsking = true;
    try {
      const { pane, source, lines } = watched;
      const isPreview = watched.isBeside && this.shownKey !== keyOf(watched);
      const input = { ...agentInput(pane), surface: "picker", lines, ansi: true, source, isPreview };
      this.show(watched, await client.call((api) => api.viewOutput.mutate(input)), "");
      await this.askDocuments(client, pane.identity.pane_ref);
    } catch (error) {
      this.show(watched, null, displaySentence(`cannot be read: ${toFailure(error).message}`));
    } finally {
      this.isAsking = false;
      const { watched: now } = this;
      if (now !== null) this.plan(keyOf(now) === keyOf(watched) ? PAUSE_MS : 0);
    }
  }

  private async askDocuments(client: DaemonClient, ref: string): Promise<void> {
    let names = "";
    try {
      names = (await client.call((api) => api.documents.ofPane.mutate({ ref })))
        .map(({ file, has_unsent: isNew }) => `${displayLine(file)}${isNew ? "*" : ""}`)
        .join(", ");
    } catch {
      // A daemon without this feature shows its panes without it.
    }
    const isSame = this.documents.ref === ref && this.documents.names === names;
    this.documents = { ref, names };
    if (!isSame && names !== "") this.onChange();
  }

  private show(watched: Watched, output: PaneOutput | null, problem: string): void {
    if (this.watched === null || keyOf(this.watched) !== keyOf(watched)) return;
    const isSame =
      this.shownKey === keyOf(watched) &&
      problem === this.problem &&
      JSON.stringify(this.output?.lines) === JSON.stringify(output?.lines);
    this.shownKey = keyOf(watched);
    this.output = output;
    this.problem = problem;
    if (!isSame) this.onChange();
  }
}
