// What has changed in the worktree of the selected agent, in the picker: its keys, its calls, the comments on lines, and its screen.
// Names and lines are the repository's; a comment is sent as the very message that is shown.
import type { PaneView } from "../../core/model/view.ts";
import { visibleOnTerminal } from "../../core/model/words.ts";
import { isSettled, outcomeText } from "../../ui/actions/actionStatus.ts";
import { laterReason } from "../../ui/actions/disabledReasons.ts";
import { sendLater } from "../../ui/actions/paneActions.ts";
import {
  commentedLine,
  diffRows,
  isFileOpen,
  lineParts,
  moveFile,
  moveRow,
  type DiffRow,
  type DiffSide,
} from "../../ui/lists/diffRows.ts";
import {
  baseText,
  commentPlace,
  commentsMessage,
  countsText,
  fileCounts,
  fileNote,
  fileText,
  isSameLine,
  leftOutText,
  MAX_COMMENT,
  quotedLine,
  withComment,
  type LineComment,
} from "../../ui/text/changesText.ts";
import { displayLine, displaySentence } from "../../ui/text/displayText.ts";
import { panePlace } from "../../ui/text/rowText.ts";
import type { Frame, FrameInput } from "./frame.ts";
import {
  clip,
  filled,
  hintLine,
  keyHint,
  pad,
  span,
  spread,
  STYLE,
  widthOf,
  wrapLine,
  wrapWhole,
  type Line,
} from "./line.ts";
import { withoutLast, type ReplyDeps } from "./pickerActs.ts";
import type { PickerHistoryDeps } from "./pickerHistory.ts";
import { listStep, type ChangesMode } from "./pickerState.ts";
import { ModeQuestions } from "./pickerSurface.ts";
import type { Key } from "./terminal.ts";

/** With its rows, which are kept: making them from a large diff takes longer than drawing. */
const withRows = (mode: ChangesMode): ChangesMode => ({
  ...mode,
  rows: mode.diff === null ? [] : diffRows(mode.diff, mode),
});

/** From so many columns on the two sides stand beside each other. */
const SPLIT_FROM = 140;
/** As long a letter may be the rest of a text. */
const TYPED_ON_MS = 700;

export class PickerChanges {
  private readonly deps: ConstructorParameters<typeof PickerChanges>[0];
  private readonly questions: ModeQuestions<ChangesMode>;
  /** By runtime; they outlive the view. */
  private readonly kept = new Map<string, readonly LineComment[]>();

  /** When the last comment was added. */
  private addedAt = -Infinity;

  constructor(
    deps: PickerHistoryDeps & ReplyDeps & { readonly columns: () => number; readonly now: () => number },
  ) {
    this.deps = deps;
    this.questions = new ModeQuestions({
      client: deps.client,
      current: () => this.current(),
      put: (mode) => this.put(mode),
    });
  }

  open(pane: PaneView): void {
    this.put({
      kind: "changes",
      pane,
      diff: null,
      isSplit: this.deps.columns() >= SPLIT_FROM,
      toggled: new Set(),
      rows: [],
      selected: 0,
      comments: this.kept.get(pane.identity.runtime_id ?? "") ?? [],
      writing: null,
      isSending: false,
      said: null,
      problem: null,
    });
    this.load(pane);
  }

  paste(text: string, mode: ChangesMode): void {
    if (mode.writing !== null) this.type(mode, mode.writing.words + text.replaceAll(/\r\n?/g, "\n"));
  }

  key({ name, isText }: Key, mode: ChangesMode, isBurst: boolean): void {
    if (mode.writing !== null) return this.writeKey({ name, isText }, mode, isBurst);
    const { rows } = mode;
    const row = rows[mode.selected];
    const step = listStep(name, this.deps.pageRows());
    if (step !== undefined) return this.put({ ...mode, selected: moveRow(rows, mode.selected, step) });
    switch (name) {
      case "n":
      case "p":
        return this.put({ ...mode, selected: moveFile(rows, mode.selected, name === "n" ? 1 : -1) });
      case " ":
      case "Enter":
        return this.toggle(mode, row);
      case "f":
        return this.toggleAll(mode, row);
      case "c":
        return this.write(mode, row);
      case "x": {
        if (this.isTypedOn()) return;
        const place = commentedLine(row);
        if (place !== null)
          this.keep(
            mode,
            mode.comments.filter((one) => !isSameLine(one, place)),
          );
        return;
      }
      case "r":
        return this.load(mode.pane);
      case "s":
        // Keys that came in one read were pasted, or typed before anybody could look.
        if (!isBurst && !this.isTypedOn()) void this.send(mode);
        return;
      case "Escape":
      case "ArrowLeft":
      case "q":
      case "v":
        this.deps.change({ mode: { kind: "list" } });
    }
  }

  /** Whoever goes on typing after Enter sends and removes nothing. */
  private isTypedOn(): boolean {
    return this.deps.now() - this.addedAt < TYPED_ON_MS;
  }

  private load({ identity: { pane_ref: ref } }: PaneView): void {
    void this.questions.ask(
      (client) => client.call((api) => api.workspaces.changes.mutate({ ref })),
      (diff, before) => {
        const mode = withRows({ ...before, diff });
        return { ...mode, selected: moveRow(mode.rows, Math.min(before.selected, mode.rows.length - 1), 0) };
      },
    );
  }

  private toggle(mode: ChangesMode, row: DiffRow | undefined): void {
    if (row === undefined || row.kind === "gap") return;
    const toggled = new Set(mode.toggled);
    const { path } = row.file.identity;
    if (!toggled.delete(path)) toggled.add(path);
    this.show({ ...mode, toggled }, path);
  }

  private toggleAll(mode: ChangesMode, row: DiffRow | undefined): void {
    const items = mode.diff?.items ?? [];
    const opened = items.filter((file) => isFileOpen(file, mode.toggled));
    const toggled = new Set(mode.toggled);
    for (const { identity } of opened.length > 0 ? opened : items)
      if (!toggled.delete(identity.path)) toggled.add(identity.path);
    this.show({ ...mode, toggled }, row === undefined || row.kind === "gap" ? "" : row.file.identity.path);
  }

  /** With the head of this file selected. */
  private show(mode: ChangesMode, path: string): void {
    const shown = withRows(mode);
    this.put({
      ...shown,
      selected: Math.max(
        0,
        shown.rows.findIndex(({ key }) => key === path),
      ),
    });
  }

  private write(mode: ChangesMode, row: DiffRow | undefined): void {
    const place = commentedLine(row);
    // Without an agent there is nobody to read it.
    if (place === null || mode.pane.identity.runtime_id === null) return;
    const before = mode.comments.find((one) => isSameLine(one, place));
    this.put({ ...mode, said: null, writing: { ...place, words: before?.words ?? "" } });
  }

  private writeKey({ name, isText }: Key, mode: ChangesMode, isBurst: boolean): void {
    const { writing } = mode;
    if (writing === null) return;
    const { words } = writing;
    if (name === "Escape") this.put({ ...mode, writing: null });
    else if (isText) this.type(mode, words + name);
    else if (name === "Backspace") this.type(mode, withoutLast(words));
    else if (name === "Ctrl-W") this.type(mode, words.replace(/\S*\s*$/, ""));
    else if (name === "Ctrl-U") this.type(mode, "");
    // An Enter amid other keys is part of a text that was pasted into a terminal that does not mark pastes.
    else if (name === "NewLine" || (name === "Enter" && isBurst)) this.type(mode, `${words}\n`);
    else if (name === "Enter") {
      this.addedAt = this.deps.now();
      this.keep(
        { ...mode, writing: null },
        words.trim() === "" ? mode.comments : withComment(mode.comments, { ...writing, words: words.trim() }),
      );
    }
  }

  private type(mode: ChangesMode, words: string): void {
    if (mode.writing !== null)
      this.put({ ...mode, writing: { ...mode.writing, words: words.slice(0, MAX_COMMENT) } });
  }

  private keep(mode: ChangesMode, comments: readonly LineComment[]): void {
    this.kept.set(mode.pane.identity.runtime_id ?? "", comments);
    this.put({ ...mode, comments, said: null });
  }

  private async send(mode: ChangesMode): Promise<void> {
    const { comments, isSending } = mode;
    if (comments.length === 0 || isSending) return;
    const { surface, contextOf, state } = this.deps;
    const { runtime_id: runtimeId, pane_ref: ref } = mode.pane.identity;
    const now = state().feed.panes.get(ref);
    const pane = now?.identity.runtime_id === runtimeId ? now : null;
    const why = pane === null ? "its agent has ended." : laterReason(pane, contextOf(pane));
    if (pane === null || why !== null)
      return this.put({ ...mode, problem: `Can't be sent: ${displaySentence(why ?? "")}` });
    this.put({ ...mode, isSending: true, problem: null });
    const status = await sendLater(pane, commentsMessage(comments), surface);
    const isSent = status !== null && isSettled(status);
    // What was written meanwhile is kept.
    if (isSent && this.kept.get(runtimeId ?? "") === comments) this.kept.delete(runtimeId ?? "");
    const shown = this.current();
    if (shown === null || shown.pane.identity.runtime_id !== runtimeId) return;
    const said = status === null ? null : Object.values(outcomeText(status)).join(" ").trim();
    this.put({
      ...shown,
      isSending: false,
      comments: this.kept.get(runtimeId ?? "") ?? [],
      said: isSent ? said : null,
      problem: isSent ? null : said,
    });
  }

  private current(): ChangesMode | null {
    const { mode } = this.deps.state();
    return mode.kind === "changes" ? mode : null;
  }

  private put(mode: ChangesMode): void {
    this.deps.change({ mode });
  }
}

// The screen.

const NUMBER = 5;
const GUTTER = NUMBER + 3;
const SIGNS = { same: " ", added: "+", removed: "-" } as const;
const TONES = { same: STYLE.plain, added: STYLE.green, removed: STYLE.red } as const;
/** Of words that differ. */
const MARKED = { same: STYLE.plain, added: "30;42", removed: "30;41" } as const;

/** A side as rows of `width` columns. */
const sideRows = (side: DiffSide | null, width: number): Line[] => {
  if (side === null) return [[]];
  const tone = TONES[side.kind];
  const text = lineParts(side).map((part) => span(part.text, part.isChanged ? MARKED[side.kind] : tone));
  return wrapLine(text, Math.max(10, width - GUTTER)).map((row, index): Line => [
    span(index === 0 ? String(side.line).padStart(NUMBER) : " ".repeat(NUMBER), STYLE.dim),
    span(index === 0 ? ` ${SIGNS[side.kind]} ` : "   ", tone),
    ...row,
  ]);
};

const fileLine = (row: Extract<DiffRow, { kind: "file" }>, width: number): Line => {
  const { file, isOpen } = row;
  const sign = file.hunks.length === 0 ? "  " : isOpen ? "▾ " : "▸ ";
  const note = fileNote(file);
  const counts: Line = file.is_binary
    ? [span(`${fileCounts(file)} `, STYLE.dim)]
    : [span(`+${file.added ?? 0} `, STYLE.green), span(`−${file.removed ?? 0} `, STYLE.red)];
  return spread(
    [
      span(sign, STYLE.key),
      span(fileText(file), STYLE.bold),
      ...(note === "" ? [] : [span(`  ${note}`, STYLE.dim)]),
    ],
    counts,
    width,
  );
};

const rowLines = (row: DiffRow, isSplit: boolean, width: number): Line[] => {
  switch (row.kind) {
    case "file":
      return [fileLine(row, width)];
    case "gap":
      return [[span(`${" ".repeat(NUMBER)} ⋯ ${row.text}`, STYLE.dim)]];
    case "line": {
      if (!isSplit) return sideRows(row.new ?? row.old, width);
      const half = Math.floor((width - 1) / 2);
      const [left, right] = [sideRows(row.old, half), sideRows(row.new, half)];
      return filled(left, Math.max(left.length, right.length)).map((line, index) => [
        ...pad(clip(line, half), half),
        { text: "│", style: STYLE.dim, column: half + MARGIN },
        ...(right[index] ?? []),
      ]);
    }
  }
};

/** Columns for the sign of the selection and that of a comment. */
const MARGIN = 3;

/** The rows around the selected one, as many as fit; it stays in the middle, except at the ends. */
const bodyLines = (mode: ChangesMode, width: number, height: number): Line[] => {
  const { rows } = mode;
  const linesAt = (index: number): Line[] => {
    const row = rows[index];
    if (row === undefined) return [];
    const place = commentedLine(row);
    const has = place !== null && mode.comments.some((one) => isSameLine(one, place));
    return rowLines(row, mode.isSplit, width - MARGIN).map((line, at) => [
      span(index === mode.selected && at === 0 ? " ❯" : "  ", STYLE.key),
      span(has && at === 0 ? "●" : " ", STYLE.cyan),
      ...line,
    ]);
  };
  const above: Line[] = [];
  for (let index = mode.selected - 1; index >= 0 && above.length < height; index -= 1)
    above.unshift(...linesAt(index));
  const below = linesAt(mode.selected);
  for (let index = mode.selected + 1; index < rows.length && below.length < height; index += 1)
    below.push(...linesAt(index));
  const before = Math.min(above.length, Math.max(Math.floor(height / 2), height - below.length));
  return [...above.slice(above.length - before), ...below].slice(0, height);
};

const HINTS: readonly Line[] = [
  keyHint("↑↓", "line"),
  keyHint("n p", "file"),
  keyHint("Space", "fold"),
  keyHint("c", "comment"),
  keyHint("f", "fold all"),
  keyHint("r", "read again"),
  keyHint("Esc", "back"),
];

/** What is being written, else the message that the comments become, of a long one the end. */
const footLines = (
  mode: ChangesMode,
  width: number,
  most: number,
): { lines: Line[]; cursor: number | null } => {
  const { writing, comments } = mode;
  if (writing !== null) {
    const rows = wrapWhole(visibleOnTerminal(writing.words), width - 5).slice(-5);
    return {
      lines: [
        clip(
          [
            span(` Comment on ${commentPlace(writing)} `, STYLE.mark),
            span("  Enter: add · Alt+Enter: new line · Esc: close", STYLE.dim),
          ],
          width,
        ),
        clip([span(` > ${quotedLine(writing.quoted)}`, STYLE.dim)], width),
        ...rows.map((row, index): Line => [span(index === 0 ? " › " : "   ", STYLE.key), span(row)]),
      ],
      cursor: Math.min(width - 1, 3 + widthOf(rows.at(-1) ?? "")),
    };
  }
  if (comments.length === 0) return { lines: [], cursor: null };
  const rows = commentsMessage(comments)
    .split("\n")
    .flatMap((line) => wrapWhole(line, width - 3));
  const hidden = Math.max(0, rows.length - most);
  return {
    lines: [
      clip(
        [
          span(` ${comments.length === 1 ? "1 comment" : `${comments.length} comments`} `, STYLE.mark),
          span(
            mode.isSending
              ? "  sending…"
              : "  s sends this once the agent is idle · x removes that of the line",
            STYLE.dim,
          ),
        ],
        width,
      ),
      ...(hidden > 0 ? [clip([span(`   … ${hidden} lines above`, STYLE.dim)], width)] : []),
      ...rows.slice(hidden).map((row): Line => [span(`   ${row}`)]),
    ],
    cursor: null,
  };
};

export const changesFrame = (mode: ChangesMode, { size, scrollTop }: FrameInput): Frame => {
  const { columns, rows } = size;
  const foot = footLines(mode, columns, Math.max(3, Math.floor(rows / 3)));
  const height = Math.max(1, rows - 2 - foot.lines.length);
  const { diff, problem, said } = mode;
  const leftOut = diff === null ? "" : leftOutText(diff);
  const left: Line = [
    span(" Changes ", STYLE.mark),
    span(
      diff === null
        ? `  ${displayLine(panePlace(mode.pane))}`
        : `  ${countsText(diff.summary)} ${baseText(diff)}`,
      STYLE.dim,
    ),
    ...(leftOut === "" ? [] : [span(`  ${displayLine(leftOut)}`, STYLE.yellow)]),
  ];
  const note: Line =
    problem !== null
      ? [span(` ${displayLine(problem)}`, STYLE.red)]
      : said !== null
        ? [span(` ${displayLine(said)}`, STYLE.green)]
        : [];
  const waiting =
    diff === null && problem === null ? "Reading…" : diff?.items.length === 0 ? "Nothing has changed." : "";
  const body = waiting === "" ? bodyLines(mode, columns, height) : [[], [span(`   ${waiting}`, STYLE.dim)]];
  const hints = [...(mode.comments.length > 0 ? [keyHint("s", "send when idle")] : []), ...HINTS];
  return {
    lines: [
      clip(left, columns),
      ...filled(body, height),
      ...foot.lines,
      note.length > 0 ? clip(note, columns) : hintLine(hints, columns),
    ].map((line) => clip(line, columns)),
    cards: [],
    cursor: foot.cursor === null ? null : { row: rows - 2, column: foot.cursor },
    scrollTop,
    page: null,
  };
};
