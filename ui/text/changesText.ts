// Words about what has changed in a worktree, and the message that a person's comments on its lines become. Paths and lines are
// hostile: in the message no character of theirs can do more than be read.
import type { FileDiff, TreeDiff } from "../../core/model/treeDiff.ts";
import { displayLine, displayText } from "./displayText.ts";

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** `since origin/main (3f2a1c0)`. */
export const baseText = ({ base: { kind, name, commit } }: Pick<TreeDiff, "base">): string => {
  const short = commit?.slice(0, 7) ?? "";
  switch (kind) {
    case "branch":
      return `since ${displayLine(name ?? "")} (${short})`;
    case "turn":
      return `since its turn began (${short})`;
    case "commit":
      return `since the last commit (${short})`;
    case "nothing":
      return "in a repository without commits";
  }
};

/** `3 files +12 −4`. */
export const countsText = ({ files, added, removed }: TreeDiff["summary"]): string =>
  files === 0 ? "no changes" : `${counted(files, "file")} +${added} −${removed}`;

/** What is not shown at all, as a sentence; empty where all is. */
export const leftOutText = ({ left_out: leftOut }: Pick<TreeDiff, "left_out">): string =>
  leftOut.length === 0 ? "" : `Left out: ${leftOut.join("; ")}.`;

/** `src/one → src/two`. */
export const fileText = ({ identity, old_path: old }: FileDiff): string =>
  [...(old === null ? [] : [old]), identity.path].map(displayLine).join(" → ");

/** `+3 −1`; what is not a change of lines, in words. */
export const fileCounts = ({ added, removed, is_binary: isBinary }: FileDiff): string =>
  isBinary ? "binary" : `+${added ?? 0} −${removed ?? 0}`;

const CHANGE_WORDS: Readonly<Record<FileDiff["change"], string>> = {
  added: "new",
  modified: "",
  deleted: "deleted",
  renamed: "renamed",
  retyped: "other type",
};

/** What else is to be said of a file: `new`, `renamed`, why its lines are missing. */
export const fileNote = ({ change, is_untracked: isUntracked, left_out: leftOut }: FileDiff): string =>
  [isUntracked && change === "added" ? "new, not in git" : CHANGE_WORDS[change], displayLine(leftOut ?? "")]
    .filter((part) => part !== "")
    .join(" · ");

/** A line without the tabs and the end of line that a surface would draw in its own way. */
export const lineText = (text: string): string => displayText(text.replaceAll("\t", "    "));

// Comments: a line, as it was shown, and the person's words about it.

export interface LineComment {
  readonly path: string;
  /** `old`: a line that was removed. */
  readonly side: "old" | "new";
  readonly line: number;
  readonly quoted: string;
  readonly words: string;
}

export const MAX_COMMENTS = 50;
export const MAX_COMMENT = 2_000;
const MAX_QUOTED = 200;

/** `src/one, line 12`. */
export const commentPlace = ({ path, side, line }: Omit<LineComment, "quoted" | "words">): string =>
  `${displayLine(path).toWellFormed()}, line ${line}${side === "old" ? " before the change" : ""}`;

/** As it stands in the message: one line, every sign that is no plain character as a mark. */
export const quotedLine = (text: string): string => {
  const line = text.toWellFormed().replace(/\r$/, "").replaceAll("\t", "  ").replaceAll("\n", " ");
  const shown = displayText(line).trimEnd();
  return shown.length > MAX_QUOTED ? `${shown.slice(0, MAX_QUOTED).toWellFormed()}…` : shown;
};

const wordsOf = (words: string): string =>
  displayText(words.toWellFormed().replaceAll(/\r\n?/g, "\n").replaceAll("\t", "  ").trim());

/** What is sent, to the letter what surfaces show. It begins with words of ours, so that no agent takes it for a command. */
export const commentsMessage = (comments: readonly LineComment[]): string =>
  comments.length === 0
    ? ""
    : [
        "About your changes:",
        ...comments.map(
          (comment) =>
            `In ${commentPlace(comment)}:\n> ${quotedLine(comment.quoted)}\n${wordsOf(comment.words)}`,
        ),
      ].join("\n\n");

/** A copy with one more; a second one on the same line takes the place of the first. */
export const withComment = (comments: readonly LineComment[], added: LineComment): readonly LineComment[] => [
  ...comments.filter((one) => !isSameLine(one, added)).slice(-(MAX_COMMENTS - 1)),
  added,
];

type Place = Pick<LineComment, "path" | "side" | "line">;

export const isSameLine = (one: Place, other: Place): boolean =>
  one.path === other.path && one.side === other.side && one.line === other.line;
