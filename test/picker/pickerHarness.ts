// The picker as a person has it: the real command in a real tmux, keys typed, screens captured, against a daemon with made-up panes.
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { makeFakeHome, type FakeHome } from "../../cli/testing/fakeHome.ts";
import type { FeatureAnswers } from "../../core/ports/feature.ts";
import type { PaneView, TargetView } from "../../core/model/view.ts";
import { expect, vi } from "vitest";
import { AnsweringDaemon } from "../fakes/answeringDaemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";

export interface OpenPicker {
  readonly daemon: AnsweringDaemon;
  readonly tmux: PrivateTmux;
  readonly paneId: string;
  readonly home: FakeHome;
  screen(): Promise<string>;
  /** With its styles. */
  styled(): Promise<string>;
  /** Resolves with the screen once it has the text. */
  shows(text: string | RegExp): Promise<string>;
  showsNot(text: string | RegExp): Promise<string>;
  /** Names as tmux has them, or single characters. */
  type(...keys: readonly string[]): Promise<void>;
  /** A key that is held down, as a keyboard repeats it: paced by tmux, because no program that is started for each comes so evenly. */
  hold(key: string, pace: { firstMs: number; everyMs: number; times: number }): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  stopDaemon(): Promise<void>;
  startDaemon(): Promise<void>;
  /** What was done to panes. */
  asked(action: string): unknown[];
  /** Resolves once that was done so often. */
  untilAsked(action: string, count: number): Promise<void>;
  close(): Promise<void>;
}

export interface PickerOptions {
  panes: readonly PaneView[];
  targets?: readonly TargetView[];
  columns?: number;
  rows?: number;
  /** Variables before the command. */
  env?: string;
  args?: string;
  /** Makes of the command the one that runs it somewhere else. */
  over?: (command: string) => string;
  prepare?: (daemon: AnsweringDaemon) => void;
  features?: readonly FeatureAnswers[];
}

const WAIT = { timeout: 20_000, interval: 60 };

/** What a person reads before they answer. */
export const READING = 450;

export const openPicker = async (options: PickerOptions): Promise<OpenPicker> => {
  const home = makeFakeHome();
  const daemon = new AnsweringDaemon(options.panes);
  if (options.targets !== undefined) daemon.setTargets([...options.targets]);
  options.prepare?.(daemon);
  let stop = await home.serve(daemon, options.features);
  const tmux = createPrivateTmux();
  const variables = `AGTMUX_HOME='${home.paths.home}' AGTMUX_NO_START=1 ${options.env ?? ""}`;
  const own = `env -u TMUX -u NO_COLOR ${variables} '${process.execPath}' '${CLI_ENTRY}' ${options.args ?? "pick"}`;
  const command = `${options.over?.(own) ?? own}; echo "status $?"; exec cat`;
  const { columns = 100, rows = 30 } = options;
  const size = ["-x", String(columns), "-y", String(rows)];
  const paneId = await tmux.run(
    "new-session",
    "-d",
    "-P",
    "-F",
    "#{pane_id}",
    ...size,
    "-s",
    "person",
    command,
  );
  await tmux.run("set-option", "-g", "window-size", "manual");
  const capture = (...more: string[]) => tmux.run("capture-pane", "-p", ...more, "-t", paneId);
  const screen = () => capture();
  const has = (text: string, what: string | RegExp) =>
    typeof what === "string" ? text.includes(what) : what.test(text);
  const waitFor = async (what: string | RegExp, isWanted: boolean): Promise<string> => {
    let last = "";
    await vi.waitFor(async () => {
      last = await screen();
      if (has(last, what) !== isWanted)
        throw new Error(`${isWanted ? "no" : "still"} ${String(what)} on:\n${last}`);
    }, WAIT);
    return last;
  };
  const asked = (action: string): unknown[] =>
    daemon.asked.filter((one) => one.action === action).map(({ input }) => input);
  return {
    daemon,
    tmux,
    paneId,
    home,
    screen,
    styled: () => capture("-e"),
    shows: (text) => waitFor(text, true),
    showsNot: (text) => waitFor(text, false),
    hold: async (key, { firstMs, everyMs, times }) => {
      const press = ["send-keys", "-t", paneId, key];
      const pause = (ms: number): string[] => [";", "run-shell", "-d", String(ms / 1_000), ";"];
      const repeats = Array.from({ length: times }, () => [...pause(everyMs), ...press]).flat();
      await tmux.run(...press, ...pause(firstMs), ...press, ...repeats);
    },
    type: async (...keys) => {
      await tmux.run("send-keys", "-t", paneId, ...keys);
    },
    resize: async (x, y) => {
      await tmux.run("resize-window", "-t", "person", "-x", String(x), "-y", String(y));
    },
    stopDaemon: () => stop(),
    startDaemon: async () => {
      stop = await home.serve(daemon, options.features);
    },
    asked,
    untilAsked: (action, count) =>
      vi.waitFor(() => expect(asked(action)).toHaveLength(count), { timeout: 5_000, interval: 20 }),
    close: async () => {
      await tmux.close();
      await home.close();
    },
  };
};
