// The history on the whole screen: the sessions, or the end of one. All of it is the agents' own text, so what nobody would see
// becomes a mark.
import type { HistoryEntry, HistorySession } from "../../core/model/history.ts";
import { formatAge } from "../../core/model/words.ts";
import { visibleOnTerminal } from "../../core/model/visibleText.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import { sessionPlace, sessionTitle } from "../../ui/text/sessionText.ts";
import type { Frame, Size } from "./frame.ts";
import { clip, filled, hintLine, keyHint, pad, span, spread, STYLE, wrapWhole, type Line } from "./line.ts";
import type { HistoryMode } from "./pickerState.ts";

const ROWS_PER_SESSION = 2;

const sessionLines = (session: HistorySession, isSelected: boolean, width: number, now: number): Line[] => {
  const age = formatAge(now - Date.parse(session.last_at));
  const open: Line = session.pane_ref === null ? [] : [span("open ", STYLE.green)];
  const title: Line = [
    span(isSelected ? " ❯ " : "   ", STYLE.key),
    span(sessionTitle(session), isSelected ? STYLE.bold : STYLE.plain),
  ];
  return [
    spread(title, [...open, span(`${age} `, STYLE.dim)], width),
    clip([span(`   ${sessionPlace(session)}  ${displayLine(session.short_ref)}`, STYLE.dim)], width),
  ];
};

/** The lines of the list that are in view. */
const listLines = (
  { sessions, selected, search }: HistoryMode,
  { columns }: Size,
  height: number,
  now: number,
): Line[] => {
  if (sessions === null) return [[], [span("   Looking…", STYLE.dim)]];
  if (sessions.length === 0)
    return [
      [],
      [span(search === "" ? "   No agent has kept a session here." : "   Nothing is found.", STYLE.dim)],
    ];
  const room = Math.max(1, Math.floor(height / ROWS_PER_SESSION));
  const first = Math.max(0, Math.min(selected - Math.floor(room / 2), sessions.length - room));
  return sessions
    .slice(first, first + room)
    .flatMap((session, index) => sessionLines(session, first + index === selected, columns, now));
};

const MARKS: Readonly<Record<HistoryEntry["role"], Line[0]>> = {
  user: span("> ", STYLE.key),
  agent: span("  "),
  tool: span("* ", STYLE.dim),
  note: span("! ", STYLE.yellow),
};

const entryLines = ({ role, text }: HistoryEntry, width: number): Line[] =>
  wrapWhole(visibleOnTerminal(text.replaceAll("\t", "  ")), Math.max(10, width - 4)).map((row): Line => [
    span(" "),
    MARKS[role] ?? span("  "),
    span(row, role === "tool" ? STYLE.dim : STYLE.plain),
  ]);

const HINTS: readonly Line[] = [
  keyHint("↑↓", "move"),
  keyHint("⏎", "read"),
  keyHint("r", "resume"),
  keyHint("/", "search"),
  keyHint("Esc", "back"),
];
const READ_HINTS: readonly Line[] = [keyHint("↑↓ PgUp PgDn", "scroll"), keyHint("Esc", "back")];

/** What came of the last thing that was asked for. */
const noteOf = ({ said, problem }: HistoryMode): Line => {
  if (problem !== null) return [span(`${displayLine(problem)} `, STYLE.red)];
  return said === null ? [] : [span(`${displayLine(said)} `, STYLE.green)];
};

const headOf = (mode: HistoryMode, width: number): Line => {
  const found = mode.search === "" ? `${mode.total} sessions` : `${mode.total} found`;
  const left =
    mode.open === null
      ? [span(" History ", STYLE.mark), span(`  ${found}`, STYLE.dim)]
      : [span(" Session ", STYLE.mark), span(`  ${sessionTitle(mode.open.session)}`)];
  return spread(left, clip(noteOf(mode), Math.max(20, width - 28)), width);
};

/** `now`: epoch ms by the daemon's clock. */
export const historyFrame = (mode: HistoryMode, size: Size, now: number, scrollTop: number): Frame => {
  const { columns, rows } = size;
  const isSearched = mode.open === null && (mode.isTyping || mode.search !== "");
  const height = rows - (isSearched ? 3 : 2);
  const all = mode.open === null ? null : mode.open.entries.flatMap((entry) => entryLines(entry, columns));
  const end = Math.max(height, (all?.length ?? 0) - (mode.open?.up ?? 0));
  const lines = all === null ? listLines(mode, size, height, now) : all.slice(Math.max(0, end - height), end);
  const search: Line = clip([span(" /", STYLE.key), span(displayLine(mode.search))], columns);
  return {
    lines: [
      headOf(mode, columns),
      ...filled(lines, height),
      ...(isSearched ? [pad(search, columns)] : []),
      hintLine(mode.open === null ? HINTS : READ_HINTS, columns),
    ].map((line) => clip(line, columns)),
    cards: [],
    cursor: null,
    scrollTop,
    page: null,
  };
};
