// The keyboard of the picker. Moves come from the same table as the popover's, actions from the table of actions. A key that
// answers acts only on a card that was read, and only when it was pressed for it.
import type { OutputSource } from "../../core/model/action.ts";
import type { KillSignal } from "../../core/model/action.ts";
import type { PaneView } from "../../core/model/view.ts";
import { commandOf, type KeyCommand, type MoveCommand } from "../../ui/actions/keyboard.ts";
import { actionOf, kill, PANE_ACTIONS } from "../../ui/actions/paneActions.ts";
import { moveSelection, nextWaiting } from "../../ui/lists/rows.ts";
import { AnswerPress, type AnswerPressDeps } from "./answerGate.ts";
import type { Key, KeyInput } from "./terminal.ts";
import {
  PickerActs,
  PickerDocuments,
  chooseLater,
  editReply,
  submitReply,
  withoutLast,
  type ReplyDeps,
} from "./pickerActs.ts";
import { PickerArmed, type PickerArmedDeps } from "./pickerArmed.ts";
import { PickerChanges } from "./pickerChanges.ts";
import { PickerHistory } from "./pickerHistory.ts";
import { selectedPane, type ListView, type Mode } from "./pickerState.ts";
import { PickerRule } from "./pickerRule.ts";
import { PickerStart } from "./pickerStart.ts";
import { dialogKeyOf } from "./screens.ts";

/** Keys of text do nothing until so long after the last one, once a text field closed while the person typed. */
const TYPED_ON_MS = 700;

const NEXT_SIGNAL = { INT: "TERM", TERM: "KILL", KILL: "INT" } as const satisfies Record<
  KillSignal,
  KillSignal
>;

const LIST: Mode = { kind: "list" };

type MoveTable = Readonly<Record<MoveCommand, () => void>>;

const isMove = (command: KeyCommand): command is MoveCommand =>
  typeof command === "string" && !PANE_ACTIONS.some(({ id }) => id === command);

const isAnswerCommand = (command: KeyCommand): boolean =>
  typeof command === "object" || (!isMove(command) && actionOf(command).isAnswer === true);

export class PickerKeys {
  private readonly deps: ConstructorParameters<typeof PickerKeys>[0];
  private readonly press: AnswerPress;
  private readonly history: PickerHistory;
  private readonly armed: PickerArmed;
  private readonly start: PickerStart;
  private readonly rule: PickerRule;
  private readonly changes: PickerChanges;
  private readonly acts: PickerActs;
  private readonly documents: PickerDocuments;
  /** Until when keys of text are the rest of a text that was being typed. */
  private typedUntil = -Infinity;

  constructor(
    deps: ReplyDeps &
      PickerArmedDeps &
      AnswerPressDeps & {
        readonly search: (text: string) => void;
        readonly wasRead: (key: string) => boolean;
        /** Rows of a page of the mode's text. */
        readonly pageRows: () => number;
        readonly columns: () => number;
        /** Of the output that is shown; null where none is. */
        readonly outputSource: () => OutputSource | null;
        readonly redraw: () => void;
        readonly leave: () => void;
      },
  ) {
    this.deps = deps;
    this.press = new AnswerPress(deps);
    this.history = new PickerHistory(deps);
    this.armed = new PickerArmed(deps);
    this.start = new PickerStart(deps);
    this.rule = new PickerRule(deps);
    this.changes = new PickerChanges(deps);
    this.acts = new PickerActs(deps);
    this.documents = new PickerDocuments(deps);
  }

  /** What one read brought. Different keys in one read were typed before anybody could look, or pasted. */
  take(inputs: readonly KeyInput[]): void {
    this.press.interrupt();
    const names = new Set(inputs.map((input) => (input.kind === "key" ? input.key.name : "paste")));
    for (const input of inputs)
      if (input.kind === "paste") this.paste(input.text);
      else this.key(input.key, names.size > 1);
  }

  /** The text field went away while the person typed: what follows is meant for it. */
  holdText(): void {
    this.typedUntil = this.deps.now() + TYPED_ON_MS;
  }

  /** Shows what is handed over of a pane's session, and to whom. */
  handOver(pane: PaneView): void {
    this.start.open(pane);
  }

  /** Shows a rule about what a pane asks. */
  makeRule(pane: PaneView): void {
    this.rule.open(pane);
  }

  /** Shows what has changed in the worktree of a pane's agent. */
  showChanges(pane: PaneView): void {
    this.changes.open(pane);
  }

  close(): void {
    this.press.interrupt();
    this.armed.close();
  }

  private paste(text: string): void {
    const { mode, search } = this.deps.state();
    if (mode.kind === "reply") editReply(this.deps, mode, { insert: text });
    else if (mode.kind === "text") this.typeOn(mode, text.split(/[\r\n]/)[0] ?? "");
    else if (mode.kind === "start") this.start.paste(text, mode);
    else if (mode.kind === "changes") this.changes.paste(text, mode);
    else if (mode.kind === "search") this.deps.search(search + (text.split(/[\r\n]/)[0] ?? ""));
  }

  private key(key: Key, isBurst: boolean): void {
    const { deps } = this;
    const { mode, feed } = deps.state();
    if (key.name === "Ctrl-C") return deps.leave();
    if (key.name === "Ctrl-L") return deps.redraw();
    if (!feed.hasSnapshot) {
      if (key.name === "q" || key.name === "Escape") deps.leave();
      return;
    }
    switch (mode.kind) {
      case "search":
        return this.searchKey(key);
      case "reply":
        return this.replyKey(key, mode, isBurst);
      case "text":
        return this.textKey(key, mode, isBurst);
      case "question":
      case "kill":
        return this.dialogKey(key, mode, isBurst);
      case "help":
        return deps.change({ mode: LIST });
      case "history":
        return this.history.key(key, mode);
      case "armed":
        return this.armed.key(key, mode);
      case "start":
        return this.start.key(key, mode, isBurst);
      case "rule":
        return this.rule.key(key, mode, isBurst);
      case "changes":
        return this.changes.key(key, mode, isBurst);
      case "list":
      case "whole":
      case "output":
        return this.commandKey(key, isBurst);
    }
  }

  private searchKey({ name, isText }: Key): void {
    const { deps } = this;
    const { search } = deps.state();
    if (isText) deps.search(search + name);
    else if (name === "Backspace") deps.search(withoutLast(search));
    else if (name === "Ctrl-U") deps.search("");
    else if (name === "Enter") deps.change({ mode: LIST });
    else if (name === "Escape") {
      deps.change({ mode: LIST });
      deps.search("");
    } else if (name === "ArrowDown" || name === "ArrowUp") this.move(name === "ArrowDown" ? 1 : -1);
  }

  private replyKey({ name, isText }: Key, mode: Extract<Mode, { kind: "reply" }>, isBurst: boolean): void {
    const { deps } = this;
    if (name === "Escape") deps.change({ mode: LIST });
    else if (mode.isSending) return;
    else if (name === "Tab") chooseLater(deps, mode);
    else if (isText) editReply(deps, mode, { insert: name });
    else if (name === "Backspace") editReply(deps, mode, { erase: "character" });
    else if (name === "Ctrl-W") editReply(deps, mode, { erase: "word" });
    else if (name === "Ctrl-U") editReply(deps, mode, { erase: "all" });
    // An Enter amid other keys is part of a text that was pasted into a terminal that does not mark pastes.
    else if (name === "NewLine" || (name === "Enter" && isBurst)) editReply(deps, mode, { insert: "\n" });
    else if (name === "Enter") void submitReply({ ...deps, onEnd: () => this.holdText() }, mode);
  }

  /** An Enter amid other keys is part of a text that was pasted into a terminal that does not mark pastes. */
  private textKey({ name, isText }: Key, mode: Extract<Mode, { kind: "text" }>, isBurst: boolean): void {
    const { deps } = this;
    const { question, text, isExtraOn } = mode;
    if (name === "Escape") deps.change({ mode: LIST });
    else if (name === "Tab" && question.extra !== undefined)
      deps.change({ mode: { ...mode, isExtraOn: !isExtraOn } });
    else if (isText) this.typeOn(mode, name);
    else if (name === "Backspace") deps.change({ mode: { ...mode, text: withoutLast(text) } });
    else if (name === "Ctrl-U") deps.change({ mode: { ...mode, text: "" } });
    else if (name === "Enter" && isBurst) this.typeOn(mode, " ");
    else if (name === "Enter" && (question.mayBeEmpty || text.trim() !== "")) {
      deps.change({ mode: LIST });
      this.holdText();
      question.onSubmit(text, isExtraOn);
    }
  }

  private typeOn(mode: Extract<Mode, { kind: "text" }>, text: string): void {
    this.deps.change({ mode: { ...mode, text: (mode.text + text).slice(0, mode.question.maxLength) } });
  }

  private dialogKey(
    { name }: Key,
    mode: Extract<Mode, { kind: "question" | "kill" }>,
    isBurst: boolean,
  ): void {
    const { deps } = this;
    if (mode.kind === "kill" && name === "Tab") {
      return deps.surface.askToKillBy(mode.pane, NEXT_SIGNAL[mode.signal]);
    }
    const wasRead = deps.wasRead(dialogKeyOf(mode) ?? "");
    const back = mode.kind === "question" ? mode.back : LIST;
    if (name !== "y") {
      if (wasRead || name === "Escape") deps.change({ mode: back });
      return;
    }
    this.press.press(name, () => {
      if (isBurst || !wasRead || deps.state().mode !== mode) return;
      if (mode.kind === "kill" && mode.sentence === null) return;
      deps.change({ mode: back });
      if (mode.kind === "question") mode.question.onConfirm();
      else kill(mode.pane, mode.signal, deps.surface);
    });
  }

  private commandKey({ name, isText }: Key, isBurst: boolean): void {
    const { deps } = this;
    if (isText && deps.now() < this.typedUntil) {
      this.press.note(name);
      return this.holdText();
    }
    this.typedUntil = -Infinity;
    const { mode } = deps.state();
    const command = this.commandOf(name);
    if (command !== null && isAnswerCommand(command) && !this.isTick(command))
      return this.press.press(name, () => (isBurst ? this.acts.refuseKey() : this.run(command)));
    if (isText) this.press.note(name);
    if ((mode.kind === "whole" || mode.kind === "output") && this.pageKey(name, mode)) return;
    const { view } = deps.state();
    if (name === "Tab" && view.kind === "sessions")
      return deps.show({ ...view, isMerged: !view.isMerged }, null);
    const pane = selectedPane(deps.state());
    if (name === "D" && mode.kind === "list" && pane !== null) return void this.documents.ask(pane);
    if (name === "q") return mode.kind === "list" ? deps.leave() : deps.change({ mode: LIST });
    if (command !== null) this.run(command);
  }

  /** It sends nothing, so that it needs no care. */
  private isTick(command: KeyCommand): boolean {
    const pane = selectedPane(this.deps.state());
    return typeof command === "object" && pane?.request?.options[command.option - 1]?.toggle !== undefined;
  }

  private commandOf(name: string): KeyCommand | null {
    const arrows: Readonly<Record<string, string>> = { PageDown: "ArrowDown", PageUp: "ArrowUp" };
    return commandOf(arrows[name] ?? name, { isTyping: false, isOnButton: false });
  }

  private run(command: KeyCommand): void {
    const pane = selectedPane(this.deps.state());
    if (isMove(command)) this.moves[command]();
    else if (pane !== null) this.acts.act(pane, command);
  }

  private move(step: 1 | -1): void {
    const { rows, selectedKey } = this.deps.state();
    this.deps.change({ selectedKey: moveSelection(rows, selectedKey, step), mode: this.modeAfterMove() });
  }

  /** A move belongs to the list; a search goes on. */
  private modeAfterMove(): Mode {
    const { mode } = this.deps.state();
    return mode.kind === "search" ? mode : LIST;
  }

  private readonly moves: MoveTable = {
    moveDown: () => this.move(1),
    moveUp: () => this.move(-1),
    activate: () => {
      const pane = selectedPane(this.deps.state());
      if (pane === null) this.openSession();
      else this.acts.act(pane, "attach");
    },
    expand: () => {
      const pane = selectedPane(this.deps.state());
      if (pane === null) this.openSession();
      else if (pane.request !== null) this.deps.surface.showWhole(pane);
    },
    collapse: () => this.deps.change({ mode: LIST }),
    nextWaiting: () => {
      const { rows, selectedKey } = this.deps.state();
      const next = nextWaiting(rows, selectedKey, () => false);
      if (next !== null) this.deps.change({ selectedKey: next, mode: LIST });
    },
    filter: () => this.deps.change({ mode: { kind: "search" } }),
    escape: () => this.escape(),
    help: () => this.deps.change({ mode: { kind: "help" } }),
    agents: () => this.go({ kind: "agents" }),
    sessions: () => this.go({ kind: "sessions", isMerged: false }),
    targets: () => this.go({ kind: "targets" }),
    history: () => this.history.open(),
    armed: () => {
      const pane = selectedPane(this.deps.state());
      this.armed.open(pane === null || pane.armed === null ? null : pane.identity.runtime_id);
    },
    settings: () => {},
    start: () => this.start.open(),
  };

  /** Closes the innermost part that is open; at last the picker. */
  private escape(): void {
    const { mode, search, status } = this.deps.state();
    if (mode.kind !== "list") this.deps.change({ mode: LIST });
    else if (status !== null && status.status.kind !== "sending") this.deps.change({ status: null });
    else if (search !== "") this.deps.search("");
    else if (!this.goBack()) this.deps.leave();
  }

  /** To a view; the one that is shown stays as it is. */
  private go(view: ListView): void {
    if (view.kind === this.deps.state().view.kind) this.deps.change({ mode: LIST });
    else this.deps.show(view, null);
  }

  /** The windows of the selected session. */
  private openSession(): void {
    const { rows, selectedKey, view } = this.deps.state();
    const row = rows.find(({ key }) => key === selectedKey);
    if (row?.kind !== "session" || view.kind !== "sessions") return;
    const { key: sessionKey, name } = row.session;
    this.deps.show({ kind: "windows", sessionKey, name, isMerged: view.isMerged }, null);
  }

  /** False in the view from which nothing leads back. */
  private goBack(): boolean {
    const { view } = this.deps.state();
    if (view.kind === "agents") return false;
    if (view.kind === "windows")
      this.deps.show({ kind: "sessions", isMerged: view.isMerged }, `session:${view.sessionKey}`);
    else this.deps.show({ kind: "agents" }, null);
    return true;
  }

  /** Moves within a text on the whole screen; false for a key that does something else. */
  private pageKey(name: string, mode: Extract<Mode, { kind: "whole" | "output" }>): boolean {
    const page = this.deps.pageRows();
    const steps: Readonly<Record<string, number>> = {
      " ": page,
      PageDown: page,
      PageUp: -page,
      ArrowDown: 1,
      j: 1,
      ArrowUp: -1,
      k: -1,
    };
    const step = steps[name];
    if (mode.kind === "output" && name === "t") {
      const isScreen = (this.deps.outputSource() ?? mode.source) === "screen";
      const source = isScreen ? "transcript" : "screen";
      this.deps.change({ mode: { ...mode, source, up: 0 } });
      return true;
    }
    if (step === undefined) {
      const closes = name === "w" || name === "ArrowLeft" || (mode.kind === "output" && name === "o");
      if (closes) this.deps.change({ mode: LIST });
      return closes;
    }
    this.deps.change({
      mode:
        mode.kind === "whole"
          ? { ...mode, top: Math.max(0, mode.top + step) }
          : { ...mode, up: Math.max(0, mode.up - step) },
    });
    return true;
  }
}
