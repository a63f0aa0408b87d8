// `agtmux pick`: the popover in a terminal. This file puts it together: the daemon's feed becomes rows, rows become frames, keys
// become actions; and it ends in the pane that was chosen.
import { performance } from "node:perf_hooks";
import type { FeedEntry, PaneView } from "../../core/model/view.ts";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { AttachPlan } from "../../core/model/action.ts";
import {
  agentLimits,
  canNameSession,
  NO_LIMITS,
  type ActionContext,
} from "../../ui/actions/disabledReasons.ts";
import { applyEntries, markLost } from "../../ui/lists/feedReducer.ts";
import { setTimer, type CliContext, type DaemonClient } from "../command/context.ts";
import { hasColour } from "../render/table.ts";
import { resumeFeed } from "../command/resumeFeed.ts";
import { become } from "../verbs/attach.ts";
import { PickerKeys } from "./pickerKeys.ts";
import { Arranger, cardKey, INITIAL_STATE, modeFits, selectedPane, type PickerState } from "./pickerState.ts";
import { createSurface } from "./pickerSurface.ts";
import { Preview, type Watched } from "./preview.ts";
import { firstOutput } from "../../ui/actions/guards.ts";
import { tickedOf, withTick } from "../../ui/actions/ticks.ts";
import { frameOf, listWidth, pageRows } from "./screens.ts";
import { ShownCards } from "./answerGate.ts";
import { Terminal } from "./terminal.ts";

/** Changes within this time are one frame. Keys are drawn at once. In milliseconds, as the other. */
const GATHER_MS = 50;
/** Ages are drawn again this often. */
const AGE_MS = 1_000;
/** Lines of output that the whole screen can scroll through. */
const OUTPUT_LINES = 1_000;

/** Twice: what the poll of this turn finds is handled before. */
const afterInput = (callback: () => void): void => void setImmediate(() => setImmediate(callback));

class Picker {
  private readonly context: CliContext;
  private readonly arranger = new Arranger();
  private readonly terminal: Terminal;
  private readonly shown = new ShownCards({ now: () => performance.now(), setTimer, afterInput });
  private readonly preview: Preview;
  private readonly keys: PickerKeys;
  private readonly ended = Promise.withResolvers<AttachPlan | null>();
  private state: PickerState = INITIAL_STATE;
  private client: DaemonClient | null = null;
  private limits = NO_LIMITS;
  private scrollTop = 0;
  private entries: FeedEntry[] = [];
  private cancelGather: (() => void) | null = null;
  private cancelDraw: (() => void) | null = null;
  /** The terminal was given back: what comes now is not shown. */
  private isClosed = false;

  constructor(context: CliContext) {
    const { stdin, stdout, env } = context;
    this.context = context;
    this.terminal = new Terminal({
      stdin,
      stdout,
      hasColour: hasColour(env, stdout.isTTY),
      onInput: (inputs) => this.keys.take(inputs),
      onResize: () => this.draw(),
      onEnd: () => this.ended.resolve(null),
    });
    this.preview = new Preview(
      () => this.client,
      () => this.drawSoon(),
    );
    const surface = createSurface({
      client: () => this.client,
      insideTmux: env["TMUX"] || null,
      wasRead: (key) => this.shown.wasRead(key),
      setMode: (mode) => this.change({ mode }),
      showStatus: (status) => this.change({ status }),
      leaveTo: (plan) => this.ended.resolve(plan),
      showChanges: (pane) => this.keys.showChanges(pane),
      makeRule: (pane) => this.keys.makeRule(pane),
      ticked: (pane) => tickedOf(this.state.ticks, pane),
      canNameSession: (pane) => canNameSession(pane, this.limits),
      tick: (pane, number) => this.change({ ticks: withTick(this.state.ticks, pane, number) }),
      handOver: (pane) => this.keys.handOver(pane),
      env,
      keepDraft: (pane, text) => {
        const key = pane.identity.pane_ref;
        const { drafts } = this.state;
        // What the person writes there already is another text.
        if ((drafts.get(key) ?? "") === "") this.change({ drafts: new Map(drafts).set(key, text) });
      },
      openPanel: (pane, panel) => {
        const key = pane.identity.pane_ref;
        this.change({
          mode:
            panel === "reply"
              ? { kind: "reply", key, begun: pane, isSending: false, isLater: false }
              : { kind: "output", key, source: firstOutput(pane), up: 0 },
        });
      },
    });
    this.keys = new PickerKeys({
      state: () => this.state,
      client: () => this.client,
      change: (change) => this.change(change),
      search: (search) => this.put(this.arranger.arrange(this.state, { search })),
      show: (view, selectedKey) => {
        const from: PickerState = { ...this.state, selectedKey, mode: { kind: "list" } };
        this.put(this.arranger.arrange(from, { view }));
      },
      surface,
      contextOf: (pane) => this.contextOf(pane, (one) => this.shown.isWhole(cardKey(one))),
      wasRead: (key) => this.shown.wasRead(key),
      pageRows: () => pageRows(this.terminal.size),
      columns: () => this.terminal.size.columns,
      outputSource: () => this.preview.source,
      redraw: () => {
        this.terminal.forget();
        this.draw();
      },
      leave: () => this.ended.resolve(null),
      now: () => performance.now(),
      setTimer,
    });
  }

  /** Until the person ends it; the plan is that of the pane that was chosen. */
  async run(): Promise<AttachPlan | null> {
    const { signal } = this.context;
    const stop = new AbortController();
    const onSignal = (): void => this.ended.resolve(null);
    signal.addEventListener("abort", onSignal);
    this.terminal.open();
    const ticker = setInterval(() => this.draw(), AGE_MS);
    try {
      this.follow(AbortSignal.any([signal, stop.signal])).catch((error: unknown) => this.ended.reject(error));
      return await this.ended.promise;
    } finally {
      this.isClosed = true;
      clearInterval(ticker);
      signal.removeEventListener("abort", onSignal);
      stop.abort();
      this.cancelGather?.();
      this.cancelDraw?.();
      this.preview.close();
      this.shown.close();
      this.keys.close();
      this.terminal.close();
    }
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const { context } = this;
    const watcher = { connect: (how?: Parameters<CliContext["connect"]>[0]) => context.connect(how), signal };
    const since = { version: null, time: null };
    for await (const event of resumeFeed(watcher, { since, all: false, isAfresh: true, isShown: true }))
      switch (event.kind) {
        case "connected":
          this.client = event.client;
          void this.learn(event.client);
          break;
        case "entry":
          this.entries.push(event.entry);
          if (!this.state.feed.hasSnapshot) this.apply();
          else this.cancelGather ??= setTimer(GATHER_MS, () => this.apply());
          break;
        case "lost":
          this.client = null;
          this.put(
            this.arranger.arrange(this.state, {
              feed: markLost(this.state.feed, "the daemon is gone", null),
            }),
          );
          break;
      }
  }

  private async learn(client: DaemonClient): Promise<void> {
    try {
      const { items } = await client.call((api) => api.adapters.query());
      this.limits = agentLimits(items);
    } catch {
      // Nothing is ruled out here, and the daemon itself refuses.
      this.limits = NO_LIMITS;
    }
  }

  private apply(): void {
    this.cancelGather?.();
    this.cancelGather = null;
    const entries = this.entries.splice(0);
    if (entries.length === 0) return;
    const feed = applyEntries(this.state.feed, entries, this.context.now());
    this.put(this.arranger.arrange(this.state, { feed }));
  }

  private change(change: Partial<PickerState>): void {
    this.put({ ...this.state, ...change });
  }

  private put(state: PickerState): void {
    const before = this.state;
    if (modeFits(state, before)) this.state = state;
    else {
      this.state = { ...state, mode: { kind: "list" } };
      this.keys.holdText();
    }
    this.draw();
  }

  private contextOf(pane: PaneView, isShownWhole: (pane: PaneView) => boolean): ActionContext {
    const { targets, connection } = this.state.feed;
    return {
      isConnected: connection.kind === "live",
      isUnreachable: targets.get(pane.identity.target)?.health === "down",
      ...this.limits,
      isShownWhole,
      ticked: (one) => tickedOf(this.state.ticks, one),
    };
  }

  private drawSoon(): void {
    this.cancelDraw ??= setTimer(GATHER_MS, () => this.draw());
  }

  private watched(): Watched | null {
    const { mode } = this.state;
    const pane = selectedPane(this.state);
    const { columns, rows } = this.terminal.size;
    if (pane === null) return null;
    if (mode.kind === "output") return { pane, source: mode.source, lines: OUTPUT_LINES, isBeside: false };
    return listWidth(columns) < columns && mode.kind !== "help" && mode.kind !== "whole"
      ? { pane, source: "screen", lines: rows, isBeside: true }
      : null;
  }

  private draw(): void {
    this.cancelDraw?.();
    this.cancelDraw = null;
    if (this.isClosed) return;
    this.preview.watch(this.watched());
    const { state, terminal } = this;
    const { feed, mode } = state;
    const frame = frameOf({
      state,
      size: terminal.size,
      scrollTop: this.scrollTop,
      look: {
        now: this.context.now() + feed.clockOffsetMs,
        hasMachines: feed.targets.size > 1,
        contextOf: (pane, isShownWhole) => this.contextOf(pane, () => isShownWhole),
      },
      output: (count, up, width) => this.preview.tail(count, up, width),
      outputSource: this.preview.source,
      documentNames: this.preview.documentNames(),
    });
    this.scrollTop = frame.scrollTop;
    if (mode.kind === "whole" && frame.page !== null)
      this.state = { ...state, mode: { ...mode, ...frame.page } };
    terminal.paint(frame, () => this.shown.note(frame.cards));
  }
}

/** Columns and rows that the popup takes of the terminal. */
const POPUP_SIZE = ["-w", "90%", "-h", "85%"] as const;

/** The picker in a popup of tmux, which closes with it. tmux gets words, never a shell's line. */
const openPopup = async (context: CliContext): Promise<number> => {
  const { env } = context;
  const [socket = ""] = (env["TMUX"] ?? "").split(",");
  if (socket === "")
    throw new AgtmuxError("E_USAGE", "--popup needs a tmux around it", {
      remedy: "Run 'agtmux pick' here, or this command inside tmux.",
    });
  const own = ["AGTMUX_HOME", "NO_COLOR"].flatMap((name) =>
    env[name] === undefined ? [] : [`${name}=${env[name]}`],
  );
  // In the packaged app Node is the app itself.
  if (process.versions["electron"] !== undefined) own.push("ELECTRON_RUN_AS_NODE=1");
  const command = ["env", ...own, process.execPath, process.argv[1] ?? "", "pick"];
  const { createLocalTmux } = await import("../../core/connections/localTmux.ts");
  const words = ["display-popup", "-E", ...POPUP_SIZE, ...command];
  const argv = await createLocalTmux({ ...env }, socket).forTerminal(words);
  return become({ argv, mode: "switch_client" }, context);
};

/** Resolves with the exit status. Fails with E_USAGE without a terminal that can be drawn on. */
export const runPicker = async (
  context: CliContext,
  {
    popup,
  }: {
    popup?: boolean;
  },
): Promise<number> => {
  if (popup === true) return openPopup(context);
  const { stdin, stdout, env } = context;
  if (!stdin.isTTY || !stdout.isTTY || env["TERM"] === "dumb")
    throw new AgtmuxError("E_USAGE", "pick needs a terminal that it can draw on", {
      remedy: "Use 'agtmux list' or 'agtmux watch' here.",
    });
  const plan = await new Picker(context).run();
  return plan === null ? 0 : become(plan, context);
};
