// What has changed in a worktree as rows: a head for each file, and below those that are open their lines, under each other or side
// by side. Words that differ within a line are found when the line is drawn.
import { diffWordsWithSpace } from "diff";
import type { FileDiff, TreeDiff } from "../../core/model/treeDiff.ts";
import { lineText, type LineComment } from "../text/changesText.ts";

/** One side of a row. */
export interface DiffSide {
  readonly kind: "same" | "added" | "removed";
  readonly line: number;
  /** Without its sign, as the file has it. */
  readonly text: string;
  /** The line that it took the place of, or the other way round; null: none. */
  readonly other: string | null;
}

export type DiffRow =
  | { readonly kind: "file"; readonly key: string; readonly file: FileDiff; readonly isOpen: boolean }
  /** Between lines: lines that did not change are left out. */
  | { readonly kind: "gap"; readonly key: string; readonly text: string }
  /** `old` and `new` of a line that did not change are the same line. Under each other a change has one side only. */
  | {
      readonly kind: "line";
      readonly key: string;
      readonly file: FileDiff;
      readonly old: DiffSide | null;
      readonly new: DiffSide | null;
    };

/** Files with more lines than this are folded until they are opened. */
const FOLD_FROM = 400;

const sizeOf = ({ hunks }: FileDiff): number => hunks.reduce((sum, { lines }) => sum + lines.length, 0);

/** `toggled`: paths that the person opened or closed. */
export const isFileOpen = (file: FileDiff, toggled: ReadonlySet<string>): boolean =>
  file.hunks.length > 0 && sizeOf(file) <= FOLD_FROM !== toggled.has(file.identity.path);

type LineRow = Extract<DiffRow, { kind: "line" }>;

/** The lines of a run of changes: those that were removed, then those that were added; or beside each other. */
const runRows = (
  file: FileDiff,
  run: { removed: DiffSide[]; added: DiffSide[] },
  isSplit: boolean,
): LineRow[] => {
  const count = Math.max(run.removed.length, run.added.length);
  const pairs = Array.from({ length: count }, (_, index) => {
    const [left, right] = [run.removed[index], run.added[index]];
    return {
      old: left === undefined ? null : { ...left, other: right?.text ?? null },
      new: right === undefined ? null : { ...right, other: left?.text ?? null },
    };
  });
  const keyOf = (old: DiffSide | null, now: DiffSide | null): string =>
    `${file.identity.path}\0${old === null ? "" : `-${old.line}`}${now === null ? "" : `+${now.line}`}`;
  const row = (old: DiffSide | null, now: DiffSide | null): LineRow => ({
    kind: "line",
    key: keyOf(old, now),
    file,
    old,
    new: now,
  });
  if (isSplit) return pairs.map(({ old, new: now }) => row(old, now));
  return [
    ...pairs.flatMap(({ old }) => (old === null ? [] : [row(old, null)])),
    ...pairs.flatMap(({ new: now }) => (now === null ? [] : [row(null, now)])),
  ];
};

const linesOf = (file: FileDiff, isSplit: boolean): DiffRow[] =>
  file.hunks.flatMap((hunk, index) => {
    const rows: DiffRow[] = [];
    let [old, now] = [hunk.old_start, hunk.new_start];
    let run = { removed: [] as DiffSide[], added: [] as DiffSide[] };
    const endRun = (): void => {
      for (const row of runRows(file, run, isSplit)) rows.push(row);
      run = { removed: [], added: [] };
    };
    if (index > 0 || hunk.heading !== "")
      rows.push({ kind: "gap", key: `${file.identity.path}\0@${index}`, text: lineText(hunk.heading) });
    for (const [at, line] of hunk.lines.entries()) {
      const [sign, text] = [line[0], line.slice(1)];
      if (sign === "-") {
        // A removed line behind an added one begins another run.
        if (run.added.length > 0) endRun();
        run.removed.push({ kind: "removed", line: old, text, other: null });
        old += 1;
      } else if (sign === "+") {
        run.added.push({ kind: "added", line: now, text, other: null });
        now += 1;
      } else if (sign === "\\") {
        // A remark in the midst of a run is about the end of the file, which the other side may not share.
        if (hunk.lines[at + 1] === undefined) {
          endRun();
          rows.push({ kind: "gap", key: `${file.identity.path}\0\\${index}`, text: "no newline at the end" });
        }
      } else {
        endRun();
        const side: DiffSide = { kind: "same", line: now, text, other: null };
        rows.push({
          kind: "line",
          key: `${file.identity.path}\0=${now}`,
          file,
          old: { ...side, line: old },
          new: side,
        });
        old += 1;
        now += 1;
      }
    }
    endRun();
    return rows;
  });

export const diffRows = (
  { items }: Pick<TreeDiff, "items">,
  { toggled, isSplit }: { toggled: ReadonlySet<string>; isSplit: boolean },
): DiffRow[] =>
  items.flatMap((file): DiffRow[] => {
    const isOpen = isFileOpen(file, toggled);
    const head: DiffRow = { kind: "file", key: file.identity.path, file, isOpen };
    return isOpen ? [head, ...linesOf(file, isSplit)] : [head];
  });

/** The index of the row `step` further; gaps are no stops, and at the ends it stays. */
export const moveRow = (rows: readonly DiffRow[], index: number, step: number): number => {
  const wanted = Math.max(0, Math.min(rows.length - 1, index + step));
  const isStop = (at: number): boolean => rows[at] !== undefined && rows[at].kind !== "gap";
  for (const direction of step < 0 ? [-1, 1] : [1, -1])
    for (let at = wanted; rows[at] !== undefined; at += direction) if (isStop(at)) return at;
  return 0;
};

/** The index of the head of the next file, or of this one and then the one before. */
export const moveFile = (rows: readonly DiffRow[], index: number, step: 1 | -1): number => {
  for (let at = index + step; at >= 0 && at < rows.length; at += step)
    if (rows[at]?.kind === "file") return at;
  return index;
};

/** What a comment on this row is about; null for a row that is no line. */
export const commentedLine = (row: DiffRow | undefined): Omit<LineComment, "words"> | null => {
  if (row?.kind !== "line") return null;
  const side = row.new ?? row.old;
  if (side === null) return null;
  const isOld = row.new === null;
  return { path: row.file.identity.path, side: isOld ? "old" : "new", line: side.line, quoted: side.text };
};

export interface Part {
  readonly text: string;
  readonly isChanged: boolean;
}

/** Longer lines are not compared by words. */
const MAX_COMPARED = 500;
const withoutReturn = (text: string): string => text.replace(/\r$/, "");

/** The text of a line as it is shown, with what differs from the line that it stands for. */
export const lineParts = ({ kind, text, other }: DiffSide): readonly Part[] => {
  // The mark of a line's end says something only where the other line ends in another way.
  const isEndChanged = other !== null && withoutReturn(text) === withoutReturn(other);
  const shown = isEndChanged ? text : withoutReturn(text);
  const whole = [{ text: lineText(shown), isChanged: false }];
  if (other === null || kind === "same" || shown.length > MAX_COMPARED || other.length > MAX_COMPARED)
    return whole;
  const [old, now] = kind === "removed" ? [shown, other] : [other, shown];
  const pieces = diffWordsWithSpace(old, isEndChanged ? now : withoutReturn(now));
  // Lines that share little are other lines.
  const shared = pieces.reduce(
    (sum, { added, removed, value }) => (added || removed ? sum : sum + value.trim().length),
    0,
  );
  if (shared * 3 < Math.max(old.length, now.length)) return whole;
  return pieces
    .filter(({ added, removed }) => (kind === "removed" ? !added : !removed))
    .map(({ added, removed, value }) => ({ text: lineText(value), isChanged: added || removed }));
};
