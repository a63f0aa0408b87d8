// The sessions that agents keep on disk, in the picker: the screen (the list, or the end of one session), what the keys do (search,
// open, resume), and what is asked of the daemon. An answer is shown only while the person still looks at what it is about.
import type { DaemonClient } from "../command/context.ts";
import type { HistoryEntry, HistorySession } from "../../core/model/history.ts";
import { formatAge, visibleOnTerminal } from "../../core/model/words.ts";
import { displayLine } from "../../ui/text/displayText.ts";
import {
  sessionPlace,
  sessionTitle,
  sessionKey,
  resumeInput,
  startedText,
} from "../../ui/text/sessionText.ts";
import type { Frame, Size } from "./frame.ts";
import { clip, filled, hintLine, keyHint, pad, span, spread, STYLE, wrapWhole, type Line } from "./line.ts";
import { listStep, type HistoryMode } from "./pickerState.ts";
import type { Key } from "./terminal.ts";
import { ModeQuestions } from "./pickerSurface.ts";
import { withoutLast, type ReplyDeps } from "./pickerActs.ts";

// The screen: all of it is the agents' own text, so what nobody would see becomes a mark.

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
    return [[], [span(search === "" ? "   No saved sessions." : "   Nothing found.", STYLE.dim)]];
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

/** The result of the last request. */
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

// Keys and calls.

const LIMIT = 200;
/** Longer than the daemon waits for an agent that was started. */
const WAIT_MS = 15_000;
const STARTING = "Starting…";

const EMPTY_HISTORY: HistoryMode = {
  kind: "history",
  sessions: null,
  total: 0,
  selected: 0,
  search: "",
  isTyping: false,
  open: null,
  said: null,
  problem: null,
};

export interface PickerHistoryDeps extends Pick<ReplyDeps, "state" | "change"> {
  /** The daemon of now; null while there is none. */
  readonly client: () => DaemonClient | null;
  readonly pageRows: () => number;
}

export class PickerHistory {
  private readonly deps: PickerHistoryDeps;
  private readonly questions: ModeQuestions<HistoryMode>;
  /** Separate, so that a search does not drop the result of a start. */
  private readonly starts: ModeQuestions<HistoryMode>;

  constructor(deps: PickerHistoryDeps) {
    this.deps = deps;
    const shown = {
      client: deps.client,
      current: () => this.current(),
      put: (mode: HistoryMode) => this.put(mode),
    };
    this.questions = new ModeQuestions(shown);
    this.starts = new ModeQuestions(shown);
  }

  open(): void {
    this.deps.change({ mode: EMPTY_HISTORY });
    void this.list("").then(() => this.refresh());
  }

  /** A key while the history is shown. */
  key({ name, isText }: Key, mode: HistoryMode): void {
    if (mode.open !== null) return this.pageKey(name, mode, mode.open.up);
    if (mode.isTyping && this.typeKey(name, isText, mode)) return;
    const last = (mode.sessions?.length ?? 0) - 1;
    const isLetter = mode.isTyping && (name === "j" || name === "k");
    const step = isLetter ? undefined : listStep(name, this.deps.pageRows());
    if (step !== undefined)
      return this.put({ ...mode, selected: Math.max(0, Math.min(last, mode.selected + step)) });
    if (name === "Enter") return void this.read(mode);
    if (name === "r") return this.askToResume(mode);
    if (name === "/") return this.put({ ...mode, isTyping: true });
    if (name === "Escape" && mode.search !== "") return this.search(mode, "", false);
    if (name === "Escape" || name === "q" || name === "g") this.deps.change({ mode: { kind: "list" } });
  }

  /** False for a key that is no letter of the text. */
  private typeKey(name: string, isText: boolean, mode: HistoryMode): boolean {
    if (isText) this.search(mode, mode.search + name, true);
    else if (name === "Backspace") this.search(mode, withoutLast(mode.search), true);
    else if (name === "Ctrl-U") this.search(mode, "", true);
    else if (name === "Enter") this.put({ ...mode, isTyping: false });
    else if (name === "Escape") this.search(mode, "", false);
    else return false;
    return true;
  }

  private search(mode: HistoryMode, search: string, isTyping: boolean): void {
    this.put({ ...mode, search, isTyping, selected: 0 });
    void this.list(search.trim());
  }

  private pageKey(name: string, mode: HistoryMode, up: number): void {
    const page = this.deps.pageRows();
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: -1,
      j: -1,
      ArrowUp: 1,
      k: 1,
      PageDown: -page,
      " ": -page,
      PageUp: page,
    };
    const step = steps[name];
    if (step !== undefined && mode.open !== null)
      this.put({ ...mode, open: { ...mode.open, up: Math.max(0, up + step) } });
    else if (["Escape", "ArrowLeft", "q", "Enter"].includes(name)) this.put({ ...mode, open: null });
  }

  /** Asks first, because it starts a program: a key that was meant for something else starts nothing. */
  private askToResume(mode: HistoryMode): void {
    const session = mode.sessions?.[mode.selected];
    if (session === undefined) return;
    const input = resumeInput(session);
    if (input === null) {
      const problem =
        session.pane_ref === null ? "Its log doesn't say where it worked." : "It is open already.";
      return this.put({ ...mode, problem });
    }
    this.deps.change({
      mode: {
        kind: "question",
        back: { ...mode, said: null, problem: null },
        question: {
          title: "Resume this session?",
          text: `${sessionTitle(session)} (${sessionPlace(session)}), in a new pane.`,
          confirmLabel: "start it",
          onConfirm: () => void this.resume(input),
        },
      },
    });
  }

  private async resume(input: NonNullable<ReturnType<typeof resumeInput>>): Promise<void> {
    const now = this.current();
    if (now !== null) this.put({ ...now, said: STARTING });
    await this.starts.ask(
      (client) =>
        client.call((api) => api.workspaces.start.mutate({ ...input, waitMs: WAIT_MS, surface: "picker" })),
      (started, mode) => ({ ...mode, said: startedText(started).join(" ") }),
    );
    const then = this.current();
    if (then?.said === STARTING) this.put({ ...then, said: null });
  }

  private current(): HistoryMode | null {
    const { mode } = this.deps.state();
    return mode.kind === "history" ? mode : null;
  }

  private put(mode: HistoryMode): void {
    this.deps.change({ mode });
  }

  private list(text: string): Promise<void> {
    return this.questions.ask(
      (client) =>
        client.call((api) => api.history.list.query({ limit: LIMIT, ...(text === "" ? {} : { text }) })),
      ({ items, summary }, mode) => ({
        ...mode,
        sessions: items,
        total: summary.total,
        selected: keepSelected(mode, items),
      }),
    );
  }

  /** Has the daemon read what the agents wrote since, and shows the list again after each step. */
  private async refresh(): Promise<void> {
    for (let isDone = false; !isDone && this.deps.state().mode.kind === "history";) {
      const client = this.deps.client();
      if (client === null) return;
      try {
        ({ isDone } = await client.call((api) => api.history.refresh.mutate()));
      } catch {
        // The list says what is wrong when it is asked for.
        isDone = true;
      }
      const { mode } = this.deps.state();
      if (mode.kind === "history" && mode.open === null) await this.list(mode.search.trim());
    }
  }

  private async read(mode: HistoryMode): Promise<void> {
    const session = mode.sessions?.[mode.selected];
    if (session === undefined) return;
    await this.questions.ask(
      (client) => client.call((api) => api.history.read.query({ ref: sessionKey(session) })),
      ({ entries }, now) => ({ ...now, isTyping: false, open: { session, entries, up: 0 } }),
    );
  }
}

/** The selection stays on its session while that is in the list. */
const keepSelected = ({ sessions, selected }: HistoryMode, items: readonly HistorySession[]): number => {
  const before = sessions?.[selected];
  const at = before === undefined ? -1 : items.findIndex((one) => sessionKey(one) === sessionKey(before));
  return Math.max(0, at);
};
