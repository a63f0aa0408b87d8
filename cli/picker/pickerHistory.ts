// The sessions that agents keep on disk, in the picker: the list, a search in it, and the end of one session. What the keys do,
// and what is asked of the daemon; what is asked for is shown only while the person still looks at it.
import type { HistorySession } from "../../core/model/history.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import { sessionKey, sessionPlace, sessionTitle } from "../../ui/text/sessionText.ts";
import { resumeInput, startedText } from "../../ui/text/startText.ts";
import { askHistory } from "../askHistory.ts";
import { askWorkspaces } from "../askWorkspaces.ts";
import type { Key } from "./keyReader.ts";
import { ModeQuestions } from "./modeQuestions.ts";
import type { HistoryMode } from "./pickerState.ts";
import { withoutLast, type ReplyDeps } from "./reply.ts";

const LIMIT = 200;
/** Longer than the daemon waits for an agent that was started. */
const WAIT_MS = 15_000;
const STARTING = "Starting…";

export const EMPTY_HISTORY: HistoryMode = {
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
  /** Beside the others: what a search asks must not drop what came of a start. */
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
    const page = this.deps.pageRows();
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      ...(mode.isTyping ? {} : { j: 1, k: -1 }),
    };
    const step = steps[name];
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

  /** It starts a program, so that it is asked first: a key that was meant for something else starts nothing. */
  private askToResume(mode: HistoryMode): void {
    const session = mode.sessions?.[mode.selected];
    if (session === undefined) return;
    const input = resumeInput(session);
    if (input === null) {
      const problem =
        session.pane_ref === null ? "Its log does not say where it worked." : "It is open already.";
      return this.put({ ...mode, problem });
    }
    this.deps.change({
      mode: {
        kind: "question",
        back: { ...mode, said: null, problem: null },
        question: {
          title: "Go on with this session?",
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
        askWorkspaces(client, "start", "mutation", { ...input, waitMs: WAIT_MS, surface: "picker" }),
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
      (client) => askHistory(client, "list", "query", { limit: LIMIT, ...(text === "" ? {} : { text }) }),
      ({ items, summary }, mode) => ({
        ...mode,
        sessions: items,
        total: summary.total,
        selected: keepSelected(mode, items),
      }),
    );
  }

  /** What the agents wrote since the last look, once it is known. */
  private async refresh(): Promise<void> {
    for (let isDone = false; !isDone && this.deps.state().mode.kind === "history";) {
      const client = this.deps.client();
      if (client === null) return;
      try {
        ({ isDone } = await askHistory(client, "refresh", "mutation", undefined));
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
      (client) => askHistory(client, "read", "query", { ref: sessionKey(session) }),
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
