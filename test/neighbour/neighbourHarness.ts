// The same things done twice, on servers with the same history: once alone, once with agtmux watching. What other programs
// and people see of them must be equal.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import type { TargetView } from "../../core/model/view.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";

/** Longer than the daemon leaves between two looks. */
const LOOKS_MS = 2_000;

type ServerView = TargetView["servers"][number];

const openScreen = (outer: PrivateTmux, pane: string) => {
  const rows = async (): Promise<string[]> =>
    (await outer.run("capture-pane", "-p", "-t", pane)).split("\n").map((row) => row.trimEnd());
  return {
    /** Keys as tmux names them, typed by the person. */
    type: async (...keys: readonly string[]): Promise<void> =>
      void (await outer.run("send-keys", "-t", pane, ...keys)),
    /** Bytes that the terminal itself sends, such as a report of its focus. */
    send: async (bytes: string): Promise<void> => {
      const codes = [...Buffer.from(bytes, "latin1")].map((byte) => byte.toString(16).padStart(2, "0"));
      await outer.run("send-keys", "-t", pane, "-H", ...codes);
    },
    /** What it shows, trailing blanks cut. */
    rows,
    /** Resolves with what it shows once that holds `text`. */
    untilShows: async (text: string): Promise<string[]> => {
      await until(async () => (await rows()).join("\n").includes(text), `the terminal shows ${text}`).catch(
        async (cause: unknown) => {
          throw new Error((await rows()).join("\n"), { cause });
        },
      );
      return rows();
    },
    /** Its window is closed. */
    close: async (): Promise<void> => void (await outer.run("kill-pane", "-t", pane)),
  };
};

/** A terminal window of the person, in which one tmux client of the server runs. */
export type Terminal = ReturnType<typeof openScreen>;

const openNeighbour = (
  tmux: PrivateTmux,
  outer: PrivateTmux,
  isWatched: boolean,
  server: () => ServerView | undefined,
) => {
  const clients = async (): Promise<number> =>
    (await tmux.run("list-clients", "-F", "#{client_tty}")).split("\n").filter((tty) => tty !== "").length;
  let windows = 0;
  return {
    tmux,
    isWatched,
    /** How agtmux has the server; undefined where it does not watch. */
    server,
    /** Runs a tmux command whose failure is a result like any other. */
    attempt: (...args: readonly string[]): Promise<string> =>
      tmux.run(...args).catch((error: Error & { stderr?: string }) => `failed: ${error.stderr?.trim()}`),
    /** Opens a window of the person's terminal and runs tmux with `args` there; resolves when a client is attached. */
    openTerminal: async (
      args: readonly string[],
      { width, height }: { width: number; height: number } = { width: 90, height: 24 },
    ): Promise<Terminal> => {
      const before = await clients();
      const command = `exec env -u TMUX -u TMUX_PANE TERM=screen tmux -u ${[...tmux.socketArgs, ...args].join(" ")}`;
      const size = ["-x", String(width), "-y", String(height)];
      const name = ["-s", `terminal-${(windows += 1)}`];
      const pane = await outer.run("new-session", "-d", ...name, ...size, "-P", "-F", "#{pane_id}", command);
      await outer.run("set-option", "-t", pane, "status", "off");
      await outer.run("resize-window", "-t", pane, ...size);
      await until(async () => (await clients()) > before, "the client is attached");
      return openScreen(outer, pane);
    },
    /** Resolves when the screen of the pane holds `text`. */
    untilShows: (pane: string, text: string): Promise<void> =>
      until(
        async () => (await tmux.run("capture-pane", "-p", "-t", pane)).includes(text),
        `${pane} shows ${text}`,
      ),
    /** As long as agtmux needs to look twice, also where nobody does. */
    letLooksPass: (): Promise<void> => wait(LOOKS_MS),
  };
};

export type Neighbour = ReturnType<typeof openNeighbour>;

const serverOf = (daemon: TestDaemon | null): ServerView | undefined =>
  daemon?.daemon.service.targets()[0]?.servers[0];

/** Starts watching and resolves once the server is looked at as it is from then on. */
export const startWatching = async (tmux: PrivateTmux): Promise<TestDaemon> => {
  const daemon = await startTestDaemon({ sockets: [tmux.socketPath] });
  const server = (): ServerView | undefined => serverOf(daemon);
  await until(() => server()?.status === "ok" && server()?.mode !== "polling", "the server is watched");
  return daemon;
};

export interface Deed<T> {
  /** Makes what is there before anybody watches. */
  arrange: (one: Neighbour) => Promise<unknown>;
  /** What a person or program does and sees of it, without anything that differs from run to run. */
  act: (one: Neighbour) => Promise<T>;
}

/** Does it once; `isWatched`: with agtmux watching from before `act` until after it. */
export const doOnce = async <T>({ arrange, act }: Deed<T>, isWatched: boolean): Promise<T> => {
  const tmux = createPrivateTmux();
  const outer = createPrivateTmux();
  // Named after what runs, windows would have another name from one moment to the next.
  appendFileSync(join(tmux.folder, "conf"), "set-option -g automatic-rename off\n");
  let daemon: TestDaemon | null = null;
  try {
    const one = openNeighbour(tmux, outer, isWatched, () => serverOf(daemon));
    await arrange(one);
    if (isWatched) daemon = await startWatching(tmux);
    return await act(one);
  } finally {
    await daemon?.close();
    await outer.close();
    await tmux.close();
  }
};

/** Fails unless both see the same; gives what they see. */
export const expectAlike = async <T>(deed: Deed<T>): Promise<T> => {
  const [alone, watched] = await Promise.all([doOnce(deed, false), doOnce(deed, true)]);
  expect(watched).toEqual(alone);
  return watched;
};

export const twoSessions = async ({ tmux }: Neighbour): Promise<void> => {
  await tmux.newSession("old");
  await tmux.newSession("new");
};
/** Of every pane. */
export const screens = async ({ tmux }: Neighbour): Promise<string[]> => {
  const panes = (await tmux.run("list-panes", "-a", "-F", "#{pane_id}")).split("\n");
  return Promise.all(panes.map((pane) => tmux.run("capture-pane", "-p", "-t", pane)));
};

/** A terminal at the session `new`, and where its client is. */
export const attached = async (one: Neighbour) => {
  const terminal = await one.openTerminal(["attach-session", "-t", "new"]);
  const where = () => one.tmux.run("list-clients", "-F", "#{client_session} #{window_index} #{pane_index}");
  return { terminal, where };
};
