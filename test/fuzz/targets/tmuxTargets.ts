// What tmux lists and shows: rows of panes with hostile names, screens, and which commands may be asked.
import * as fc from "fast-check";
import {
  cleanScreen,
  MAX_SCREEN_COLUMNS,
  MAX_SCREEN_LINES,
  foldRows,
  parseRows,
  rowFormat,
  readListing,
} from "../../../core/tmux/topology.ts";
import { cleanText } from "../../../core/tmux/cleanText.ts";
import { lookScript, assertReadCommand } from "../../../core/tmux/tmuxCommand.ts";
import { hold, holdLine } from "../expectations.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { hostileText, mutatedText } from "../mutateText.ts";

const NONCE = "00112233445566778899aabbccddeeff";
const MARK = `<${NONCE}>`;
const NUMBERS = "%5 $1 @2 0 1 4242 1 0 1 0 120 40 3 7 1000 1795238680 0  /dev/pts/3";
const rowText = (numbers: string, title: string, window: string, session: string): string =>
  `${MARK}${numbers}${MARK}${title}${MARK}${window}${MARK}${session}${MARK}`;

const checkRow = (row: ReturnType<typeof parseRows>["rows"][number]): void => {
  hold(/^%\d{1,10}$/.test(row.paneId), "no pane id");
  holdLine(row.sessionName, 200, "a session's name");
  holdLine(row.windowName, 200, "a window's name");
  holdLine(row.title, 500, "a title");
  holdLine(row.tty, 200, "a tty");
  for (const text of [row.sessionName, row.windowName, row.title])
    hold(text.isWellFormed(), "a name holds half a character");
};

/** Names cannot shift a field, forge a row or take one away. */
const rowsTarget = defineTarget({
  name: "tmux/pane rows of hostile names",
  weight: 2,
  open: () => {
    const name = hostileText.map((text) => text.replaceAll(NONCE, ""));
    return {
      arbitrary: fc.array(fc.tuple(name, name, name, fc.nat(99)), { minLength: 1, maxLength: 6 }),
      check: (rows) => {
        const text = rows
          .map(([title, window, session, pane]) =>
            rowText(NUMBERS.replace("%5", `%${pane}`), title, window, session),
          )
          .join("\n");
        const parsed = parseRows(text.split("\n"), NONCE);
        hold(parsed.malformed === 0, "a name made a row malformed");
        hold(parsed.rows.length === rows.length, `${parsed.rows.length} rows of ${rows.length}`);
        for (const [index, row] of parsed.rows.entries()) {
          checkRow(row);
          hold(row.paneId === `%${rows[index]?.[3]}` && row.panePid === 4242, "a field was shifted");
        }
        const panes = foldRows(parsed.rows);
        hold(new Set(panes.map(({ paneId }) => paneId)).size === panes.length, "a pane twice");
      },
    };
  },
});

const brokenRowsTarget = defineTarget({
  name: "tmux/pane rows that are broken",
  open: () => ({
    arbitrary: mutatedText([
      [1, 2, 3].map(() => rowText(NUMBERS, "title", "window", "session")).join("\n"),
      rowText(NUMBERS.replace(" 0  ", " 1 137 "), "", "", ""),
      rowFormat(NONCE),
    ]),
    check: (text) => {
      const { rows, malformed } = parseRows(text.split("\n"), NONCE);
      hold(malformed >= 0, "a negative count");
      for (const row of rows) checkRow(row);
      foldRows(rows);
    },
  }),
});

const COMMAND_WORDS = [
  "list-panes",
  "list-clients",
  "capture-pane",
  "display-message",
  "run-shell",
  "send-keys",
  "-a",
  "-s",
  "-p",
  "-J",
  "-t",
  "-F",
  "-S",
  "-E",
  "%5",
  "$1",
  "@2",
  "-10",
  "#{pane_id} #{pane_title}",
  "#(touch x)",
  "#{E:pane_title}",
  "a;",
];
const readCommandTarget = defineTarget({
  name: "tmux/read commands",
  weight: 2,
  open: () => ({
    arbitrary: fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...COMMAND_WORDS) },
        { weight: 1, arbitrary: mutatedText(COMMAND_WORDS, 2) },
        { weight: 1, arbitrary: hostileText },
      ),
      { maxLength: 7 },
    ),
    check: (words) => {
      try {
        assertReadCommand(words);
      } catch (error) {
        hold(error instanceof Error && error.message.startsWith("tmux query refused:"), "another error");
        return;
      }
      hold(
        /^(list-panes|list-clients|capture-pane|display-message)$/.test(words[0] ?? ""),
        "another command",
      );
      const script = lookScript([words], "0".repeat(32)).join(" ");
      hold(/^[ -~]*$/.test(script), "a list of commands of more than one printable line");
      hold(!/#\(|[{;]\s*[ET][:;]/.test(script.replaceAll(" ; ", " ")), "a format that runs or expands");
    },
  }),
});

const listingTarget = defineTarget({
  name: "tmux/server listing",
  open: () => ({
    arbitrary: fc.tuple(
      mutatedText(["4242 1795238680 /tmp/tmux-1000/default", ""], 3),
      fc.boolean(),
      fc.array(
        hostileText.map((text) => text.replaceAll("\n", " ")),
        { maxLength: 3 },
      ),
    ),
    check: ([about, isOk, lines]) => {
      const listing = readListing(
        {
          status: "ok",
          answers: [
            { isOk: true, lines: about.split("\n") },
            { isOk, lines },
          ],
          at: 1,
        },
        "default",
      );
      if (listing.status === "error") holdLine(listing.problem, 300, "a problem");
      if (listing.status !== "ok") return;
      hold(Number.isFinite(listing.instance.pid), "the pid is no number");
      hold(Number.isFinite(listing.instance.startedAt), "the start is no number");
    },
  }),
});

const screenTarget = defineTarget({
  name: "tmux/screens",
  open: () => ({
    arbitrary: fc.tuple(fc.array(hostileText, { maxLength: 30 }), hostileText, fc.nat(700)),
    check: ([lines, text, max]) => {
      const clean = cleanScreen(lines);
      hold(clean.length <= MAX_SCREEN_LINES, "too many lines");
      for (const one of clean) holdLine(one, MAX_SCREEN_COLUMNS, "a line of a screen");
      const once = cleanText(text, max);
      holdLine(once, max, "a clean text");
      hold(once.isWellFormed(), "half a character");
    },
  }),
});

export const tmuxTargets = (): FuzzTarget[] => [
  rowsTarget,
  brokenRowsTarget,
  readCommandTarget,
  listingTarget,
  screenTarget,
];
