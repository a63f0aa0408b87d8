// What a person who looks at a recorded dialog, and knows what was asked, says of it.
import type { PromptRequest } from "../../../core/model/request.ts";

export interface Seen {
  kind: PromptRequest["kind"];
  /** By the screen alone: everything that is asked is in sight, and nothing that is not drawn can be a part of it. */
  isWhole: boolean;
  /** Rows without frame and indentation, as they are drawn; null where none of them is in sight. */
  body: readonly string[] | null;
  /** Of an edit: lines of a difference, `>` where a row goes on with the line above; absent where none is drawn. */
  content?: readonly string[];
}

/**
 * `whole`: the event's text may be approved with this dialog on the screen; `part`: it is this dialog's, and may be denied
 * only; `other`: the dialog is another one's.
 */
export type WithEvent = "whole" | "part" | "other";

export interface Row {
  frame: string;
  why: string;
  /** Null: the screen does not prove that anything is asked. */
  seen: Seen | null;
  /** Index of the screen's row in which the dialog, or what is in sight of it, begins. */
  top: number | null;
  /** For each request that was announced, in that order, as if it was the only one that is open. */
  events: readonly WithEvent[];
  /** The same while all of them are open; absent: only one was at that moment. */
  together?: readonly WithEvent[];
}

/** `touch tall-01.txt` … */
export const tall = (first: number, last: number): string[] =>
  Array.from(
    { length: last - first + 1 },
    (_, at) => `touch tall-${String(first + at).padStart(2, "0")}.txt`,
  );

/** `+row 01 of eighty` … */
export const eighty = (first: number, last: number, sign: (at: number) => string = () => "+"): string[] =>
  Array.from(
    { length: last - first + 1 },
    (_, at) => `${sign(first + at)}row ${String(first + at).padStart(2, "0")} of eighty`,
  );

export const HEREDOC = [
  "cat > notes.txt <<'EOF'",
  "",
  "    indented line with four spaces",
  "Tip: auto mode handles these prompts for you",
  "1. Yes",
  "the same line twice",
  "the same line twice",
  "EOF",
];

export const NEW_FILE = ["+first line", "+    second line, indented", "+third line"];

export const CHANGE = [
  "-line 15 of thirty",
  "+line 15 is CHANGED",
  " line 16 of thirty",
  "-line 17 of thirty",
  "+line 17 is CHANGED too",
];

/** The lines of the file around it. */
export const thirty = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, at) => ` line ${first + at} of thirty`);

export const README = [" # Lab project", " ", "-hello from the lab", "+HELLO FROM THE LAB"];

const URL_PATH = "abcdefghij".repeat(7);

/** The long command as it is wrapped in 116 columns or a little more. */
export const LONG_116 = [
  'mkdir -p out/reports && printf "%s\\n" "first word and  second word" | tee out/one.txt && curl -s',
  `https://lab.invalid/${URL_PATH} | grep -v 'it is not`,
  `"quoted" here' | sort -u > out/reports/two.txt && touch "out/a file with spaces.txt" && rm -rf out/old && echo all`,
  "done with the long command",
];

/** The same in 56. */
export const LONG_56 = [
  'mkdir -p out/reports && printf "%s\\n" "first word and',
  'second word" | tee out/one.txt && curl -s',
  "https://lab.invalid/abcdefghijabcdefghijabcdefghijabcdef",
  "ghijabcdefghijabcdefghijabcdefghij | grep -v 'it is not",
  `"quoted" here' | sort -u > out/reports/two.txt && touch`,
  '"out/a file with spaces.txt" && rm -rf out/old && echo',
  "all done with the long command",
];
