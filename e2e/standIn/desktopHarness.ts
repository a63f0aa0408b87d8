// A desktop for one test: a private tmux, a terminal that writes down what it was asked to run, programs that show an agent's
// dialogs, and the app on the stand-in.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "../../test/setup/realClock.ts";
import type { Browser, Page } from "playwright";
import { afterEach, beforeEach } from "vitest";
import { loadRecording } from "../../adapters/testkit/recordings.ts";
import { dialogOf, type Dialog } from "../../test/actions/dialogPane.ts";
import { createPrivateTmux, type PrivateTmux } from "../../test/harness/privateTmux.ts";
import { launchStandIn, type StandIn } from "../launchers/standIn.ts";
import { takeChromium } from "../launchers/workerBrowser.ts";

const BOX_AGENT = fileURLToPath(new URL("../../test/actions/boxAgent.mjs", import.meta.url));
const DIALOG_AGENT = fileURLToPath(new URL("../../test/actions/dialogAgent.mjs", import.meta.url));

export interface DialogAgent {
  readonly paneId: string;
  /** Name of the dialog and what was chosen. */
  chosen(): [string, string][];
  /** Removes the present dialog, as if it was answered elsewhere. */
  skip(): Promise<void>;
}

/** What is around the app, whichever runs it. */
export interface AgentScene {
  readonly folder: string;
  readonly home: string;
  readonly tmux: PrivateTmux;
  /** For the app: its person's home, the tmux, and a PATH with the terminal that writes down. */
  readonly env: Readonly<Record<string, string>>;
  /** A pane in which Claude Code seems to run; `where` as tmux names it. */
  playDialogs(
    where: string,
    dialogs: readonly Dialog[],
    last: Pick<Dialog, "text" | "title">,
  ): Promise<DialogAgent>;
  /** A pane in which Claude Code seems to rest at its prompt; `received` are the texts that were submitted. */
  playBox(where: string): Promise<{ readonly paneId: string; received(): string[] }>;
  /** The words that the terminal was asked to run; null before that. */
  terminal(): string[] | null;
  close(): Promise<void>;
}

export interface DesktopHarness extends AgentScene {
  launch(more?: { dataDir?: string; platform?: NodeJS.Platform }): Promise<StandIn>;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** A program that writes its arguments down, one a line. */
export const installRecorder = (path: string, log: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' "$@" > "${log}.part"\nmv "${log}.part" "${log}"\n`);
  chmodSync(path, 0o755);
};

export const openAgentScene = async (): Promise<AgentScene> => {
  const folder = mkdtempSync(join(tmpdir(), "agtmux-desk-"));
  const home = join(folder, "home");
  const terminalLog = join(folder, "terminal.log");
  installRecorder(join(folder, "bin", "xdg-terminal-exec"), terminalLog);
  const tmux = createPrivateTmux();
  await tmux.run("new-session", "-d", "-s", "base", "-x", "120", "-y", "40");
  const env = {
    HOME: folder,
    AGTMUX_TMUX_SOCKETS: tmux.socketPath,
    PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
  };
  let agents = 0;
  /** Starts a program that `ps` takes for Claude Code and that writes down what it was given, a line each. */
  const play = async (where: string, source: string, options: unknown) => {
    agents += 1;
    const script = join(folder, `agent-${agents}`, "@anthropic-ai", "claude-code", "cli.mjs");
    mkdirSync(dirname(script), { recursive: true });
    copyFileSync(source, script);
    const log = join(folder, `agent-${agents}`, "log");
    const command = [process.execPath, script, log, JSON.stringify(options)].map(quoted).join(" ");
    const format = ["-d", "-P", "-F", "#{pane_id}"];
    const paneId = await tmux.run("new-window", ...format, "-t", where, `exec ${command}`);
    const lines = () => (existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : []);
    return { paneId, lines };
  };
  return {
    folder,
    home,
    tmux,
    env,
    playDialogs: async (where, dialogs, last) => {
      const { paneId, lines } = await play(where, DIALOG_AGENT, { dialogs, last });
      return {
        paneId,
        chosen: () => lines().map((line): [string, string] => JSON.parse(line)),
        skip: async () => {
          await tmux.run("send-keys", "-t", paneId, "C-n");
        },
      };
    },
    playBox: async (where) => {
      const { paneId, lines } = await play(where, BOX_AGENT, {});
      return { paneId, received: () => lines().map((line) => String(JSON.parse(line))) };
    },
    terminal: () =>
      existsSync(terminalLog) ? readFileSync(terminalLog, "utf8").trimEnd().split("\n") : null,
    close: async () => {
      await tmux.close();
      // The pane's shell may still be writing its history there.
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
};

const openDesktopHarness = async (browser: Browser): Promise<DesktopHarness> => {
  const scene = await openAgentScene();
  const apps: StandIn[] = [];
  return {
    ...scene,
    launch: async (more = {}) => {
      const app = await launchStandIn({ home: scene.home, env: scene.env, browser, ...more });
      apps.push(app);
      return app;
    },
    close: async () => {
      for (const app of apps) await app.close();
      await scene.close();
    },
  };
};

/** Asks over the page's own port, as its views do. Resolves with the answer, an error's shape included. */
export const askApp = (
  page: Page,
  type: "query" | "mutation",
  path: string,
  input?: unknown,
): Promise<unknown> =>
  page.evaluate(
    ([type, path, input]) => {
      const port: unknown = Reflect.get(window, "agtmux");
      const { send, onMessage } = port as {
        send: (message: unknown) => void;
        onMessage: (
          listener: (message: { id: number; data?: unknown; shape?: unknown }) => void,
        ) => () => void;
      };
      // The page itself numbers its calls from one.
      const id = 1_000_000 + Math.floor(Math.random() * 1_000_000);
      return new Promise<unknown>((resolve) => {
        const stop = onMessage((message) => {
          if (message.id !== id) return;
          stop();
          resolve(message.data ?? message.shape ?? null);
        });
        send({ kind: "call", id, type, path, input });
      });
    },
    [type, path, input] as const,
  );

/** The same, of the app around the page. */
export const askDesktop = (
  page: Page,
  type: "query" | "mutation",
  path: string,
  input?: unknown,
): Promise<unknown> => askApp(page, type, `desktop.${path}`, input);

/** Follows what the app tells its page; the array grows. Ends with the page. */
export const followDesktop = async (page: Page): Promise<unknown[]> => {
  const seen: unknown[] = [];
  const name = `desktopEvent${performance.now()}`;
  await page.exposeFunction(name, (event: unknown) => void seen.push(event));
  await page.evaluate((name) => {
    const port: unknown = Reflect.get(window, "agtmux");
    const tell: unknown = Reflect.get(window, name);
    const { send, onMessage } = port as {
      send: (message: unknown) => void;
      onMessage: (listener: (message: { kind: string; id: number; data?: unknown }) => void) => () => void;
    };
    const id = 999_999;
    onMessage((message) => {
      if (message.id !== id || message.kind !== "data" || typeof tell !== "function") return;
      tell(message.data);
      send({ kind: "ack", id });
    });
    send({ kind: "call", id, type: "subscription", path: "desktop.events", input: undefined });
  }, name);
  // The first event comes at once: from then on none is missed.
  await until(() => seen.length > 0, "the page follows the desktop");
  return seen;
};

/** A desktop for each test, or for all of a file with `beforeAll` and `afterAll`. */
export const takeDesktop = (before = beforeEach, after = afterEach): { scene: DesktopHarness } => {
  let browser: Browser;
  const desk = {} as { scene: DesktopHarness };
  takeChromium((given) => (browser = given));
  before(async () => {
    desk.scene = await openDesktopHarness(browser);
  });
  after(() => desk.scene?.close());
  return desk;
};

const RECORDINGS = fileURLToPath(new URL("../../test/fixtures/recordings/claude", import.meta.url));
/** What the agent shows once all of its dialogs were answered. */
export const DONE = loadRecording(RECORDINGS, "completed");

/** Asks to run a command; by itself `touch approved.txt`. */
export const permission = (command?: string, name?: string): Dialog =>
  dialogOf("recordings/claude/waiting_approval", {
    options: [
      "Yes",
      "Yes, and always allow access to /home/dev/project from this project",
      "Yes, and switch to auto mode",
      "No",
    ],
    digits: "too",
    escapes: "No",
    ...(name === undefined ? {} : { name }),
    ...(command === undefined ? {} : { replace: ["touch approved.txt", command] }),
  });
