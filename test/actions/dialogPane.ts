// Opens a pane with the program that shows recorded dialogs, waits until its first one is listed, and reads what it was
// answered.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadRecording } from "../../adapters/testkit/recordings.ts";
import type { PaneView } from "../../core/model/view.ts";
import type { Harness } from "./actionHarness.ts";

const SCRIPT = fileURLToPath(new URL("dialogAgent.mjs", import.meta.url));
const FIXTURES = fileURLToPath(new URL("../fixtures", import.meta.url));

export interface Dialog {
  name: string;
  text: string;
  title: string;
  options: readonly string[];
  mark?: string;
  /** `only`: there is no selection that moves. */
  digits?: "too" | "only";
  escapes?: string;
  colours?: boolean;
  field?: number;
  /** See dialogAgent.mjs. */
  boxes?: number;
  stuckBox?: number;
  stuck?: boolean;
  slowMs?: number;
  /** It opens at `skip`, not when the one before it has gone. */
  isHeld?: boolean;
}

/** A recorded frame as a dialog; `replace` makes another prompt of it. */
export const dialogOf = (
  frame: string,
  more: Omit<Dialog, "name" | "text" | "title"> & { name?: string; replace?: readonly [string, string] },
): Dialog => {
  const at = frame.lastIndexOf("/");
  const { text, title } = loadRecording(join(FIXTURES, frame.slice(0, at)), frame.slice(at + 1));
  const { replace, name = frame.slice(at + 1), ...rest } = more;
  return { name, text: replace === undefined ? text : text.replaceAll(...replace), title, ...rest };
};

/** How the process table shows the agents: a script that node runs, or a process title. */
const PROGRAMS: Readonly<Record<string, { script?: string; processTitle?: string }>> = {
  claude: { script: "@anthropic-ai/claude-code/cli.mjs" },
  omp: { script: "@oh-my-pi/pi-coding-agent/dist/cli.js" },
  codex: { processTitle: "codex" },
  opencode: { processTitle: "opencode" },
  copilot: { processTitle: "/x/@github/copilot-linux-x64/copilot" },
};

export interface DialogPane {
  /** As it was when the first dialog was listed with its options. */
  readonly row: PaneView;
  readonly paneId: string;
  /** Name of the dialog and what was chosen. */
  chosen(): [string, string][];
  /** The dialog of now goes, as if it was answered elsewhere; or the one that is held opens. */
  skip(): Promise<void>;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

interface Shown {
  dialogs: readonly Dialog[];
  /** A frame of the agent, which stands at the end. */
  last: string;
  name: string;
  prefix?: string;
}

/** The pane's id, and the file into which it writes what was chosen. */
const startAgent = async (harness: Harness, agent: string, shown: Shown): Promise<[string, string]> => {
  const { dialogs, name, prefix = "exec" } = shown;
  const program = PROGRAMS[agent] ?? {};
  const folder = mkdtempSync(join(harness.tmux.folder, `${name}-`));
  const script = join(folder, program.script ?? "dialog.mjs");
  mkdirSync(dirname(script), { recursive: true });
  copyFileSync(SCRIPT, script);
  const log = join(folder, "chosen");
  const rest = loadRecording(join(FIXTURES, "recordings", agent), shown.last);
  const last = { text: rest.text, title: rest.title, cursor: rest.cursor };
  const options = JSON.stringify({ processTitle: program.processTitle, dialogs, last });
  const command = [process.execPath, script, log, options].map(quoted).join(" ");
  const opened = await harness.open(`${prefix} ${command}`);
  return [opened.identity.pane_id, log];
};

/** An agent that shows nothing but this recorded frame. */
export const openFrame = async (harness: Harness, agent: string, frame: string): Promise<PaneView> => {
  const [paneId] = await startAgent(harness, agent, { dialogs: [], last: frame, name: frame });
  const isRead = ({ agent: found, state }: PaneView): boolean => found === agent && state !== "unknown";
  return harness.daemon.until(paneId, isRead, 15_000);
};

export const openDialogs = async (
  harness: Harness,
  agent: string,
  dialogs: readonly Dialog[],
  { name = agent, prefix = "exec" } = {},
): Promise<DialogPane> => {
  const [paneId, log] = await startAgent(harness, agent, { dialogs, last: "completed", name, prefix });
  const isListed = ({ agent: found, prompt_fingerprint: name }: PaneView): boolean =>
    found === agent && name !== null;
  return {
    row: await harness.daemon.until(paneId, isListed, 15_000),
    paneId,
    chosen: () =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .trimEnd()
            .split("\n")
            .map((line): [string, string] => JSON.parse(line))
        : [],
    skip: async () => {
      await harness.tmux.run("send-keys", "-t", paneId, "C-n");
    },
  };
};
